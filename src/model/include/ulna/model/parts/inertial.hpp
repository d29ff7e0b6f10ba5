#pragma once

#include "ulna/spatial/parts/types.hpp"

namespace ulna {

/// Mass, centre of mass and inertia about that centre, in the axes of the body's frame.
struct Inertial {
  double mass = 0;
  Vector3<double> centre = Vector3<double>::Zero();
  Matrix3<double> inertia = Matrix3<double>::Zero();
};

}  // namespace ulna
