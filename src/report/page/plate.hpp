#pragma once
// Plates of platforms, bases and links with three or more joints: a flat body through the points
// where joints sit on it, with round corners.

#include <optional>
#include <vector>

#include "ulna/formats/internal/mesh.hpp"
#include "ulna/spatial/pose.hpp"

namespace ulna {

struct Plate {
  Triangles triangles;
  Vector3<double> normal;  ///< of unit length, to either side
};

/// The convex hull of `points`, wider by `rim` all around and `thickness` thick. Nothing when the
/// points do not span a plate: fewer than three, on a line or nearly so, or far from one plane.
std::optional<Plate> plate_through(const std::vector<Vector3<double>>& points, double rim,
                                   double thickness);

}  // namespace ulna
