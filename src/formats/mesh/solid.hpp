#pragma once
// Solids of uniform density and thin shells: size, and moments of inertia per unit mass.

#include <string>

#include "ulna/spatial/parts/types.hpp"

namespace ulna {

/// A solid of uniform density: its volume and, per unit mass, its moments about its own axes.
struct Solid {
  double volume = 0;
  Vector3<double> moments = Vector3<double>::Zero();
};

/// A thin shell of uniform density a square metre.
struct Shell {
  double area = 0;
  Vector3<double> moments = Vector3<double>::Zero();
};

/// `type` is sphere, ellipsoid, box, cylinder or capsule (both about z); `size` holds radii and
/// half lengths: the radius, then the half length of the cylinder. Nothing for other types.
Solid solid_of(const std::string& type, const Vector3<double>& size);

/// The surface of a sphere, box, cylinder (with its ends) or capsule. Nothing for other types.
Shell shell_of(const std::string& type, const Vector3<double>& size);

}  // namespace ulna
