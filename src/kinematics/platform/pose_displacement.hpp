#pragma once
// The displacement of a platform between two poses: the rotation vector times the platform's radius
// first, then the shift, world axes. docs/theory/platforms.md, section 9.

#include "arm/pose_error.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {

inline Vector6<double> pose_displacement(const Pose<double>& from, const Pose<double>& to,
                                         double radius) {
  Vector6<double> d;
  d << radius * log_rotation(Matrix3<double>(to.rotation * from.rotation.transpose())),
      to.position - from.position;
  return d;
}

/// The rates of a displacement by the twist of the platform in plain units.
inline Matrix6<double> displacement_rates(const Vector6<double>& displacement, double radius) {
  Matrix6<double> rates = Matrix6<double>::Identity();
  rates.topLeftCorner<3, 3>() =
      radius * inverse_left_jacobian(Vector3<double>(displacement.head<3>() / radius));
  return rates;
}

}  // namespace ulna
