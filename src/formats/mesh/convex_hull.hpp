#pragma once
// The convex hull of points, one point after the other: the faces that see it are replaced by those
// between it and their border. Cost: points times faces.

#include "ulna/formats/internal/mesh.hpp"
#include "ulna/spatial/parts/types.hpp"

namespace ulna {

/// Outward triangles. None where the points lie in a plane. InputError above 20,000 points.
Triangles convex_hull(const std::vector<Vector3<double>>& points);

}  // namespace ulna
