#pragma once
// Three turns to angular velocity and acceleration and back, for any of the 12 sequences
// (euler_rotation and euler_angles in rotation.hpp are the position part). With a_i the axis of
// turn i as the turns before it have placed it, in the fixed frame:
//
//   w  = A qd,                A = [a1 a2 a3]                             angle_axes
//   w' = A qdd + P (qd1 qd2, qd1 qd3, qd2 qd3),
//        P = [a1 x a2, a1 x a3, a2 x a3]                                 angle_products
//   G  = [w'] + [w]^2
//
// A is singular where the outer axes coincide. Both angle solutions of one rotation have rates and
// accelerations of their own, from the same w and w'.

#include <string_view>

#include "ulna/spatial/homogeneous.hpp"

namespace ulna {

/// A: the three axes as columns, in the fixed frame, in the order of the angles.
ULNA_API Matrix3<double> angle_axes(std::string_view sequence, const Vector3<double>& angles);
/// P: what products of rates add to the angular acceleration.
ULNA_API Matrix3<double> angle_products(std::string_view sequence, const Vector3<double>& angles);

ULNA_API Vector3<double> angular_velocity(std::string_view sequence, const Vector3<double>& angles,
                                          const Vector3<double>& rates);
ULNA_API Vector3<double> angular_acceleration(std::string_view sequence,
                                              const Vector3<double>& angles,
                                              const Vector3<double>& rates,
                                              const Vector3<double>& accelerations);

/// ComputationError where the outer axes coincide.
ULNA_API Vector3<double> angle_rates(std::string_view sequence, const Vector3<double>& angles,
                                     const Vector3<double>& w);
ULNA_API Vector3<double> angle_accelerations(std::string_view sequence,
                                             const Vector3<double>& angles,
                                             const Vector3<double>& rates,
                                             const Vector3<double>& w_dot);

/// The motion of a body that turns about a fixed point.
struct AngleMotion {
  Vector3<double> angles, rates, accelerations;
};
ULNA_API PositionMatrix<double> position_from_angles(std::string_view sequence,
                                                     const Vector3<double>& angles,
                                                     const Vector3<double>& origin);
ULNA_API VelocityMatrix<double> velocity_from_angles(std::string_view sequence,
                                                     const AngleMotion& motion,
                                                     const Vector3<double>& fixed_point);
ULNA_API AccelerationMatrix<double> acceleration_from_angles(std::string_view sequence,
                                                             const AngleMotion& motion,
                                                             const Vector3<double>& fixed_point);

/// Angles, rates and accelerations of a motion, both solutions. ComputationError where the outer
/// axes coincide.
struct AngleMotions {
  AngleMotion first, second;
};
ULNA_API AngleMotions angle_motions(std::string_view sequence, const PositionMatrix<double>& M,
                                    const VelocityMatrix<double>& W,
                                    const AccelerationMatrix<double>& H);

}  // namespace ulna
