#pragma once
// The ways files write an orientation, as rotation matrices. An exact zero never comes out
// negative, so that a matrix compares and prints as one expects.

#include <optional>

#include "ulna/spatial/pose.hpp"

namespace ulna {

/// Roll, pitch, yaw about the fixed axes x, y, z: Rz(yaw) Ry(pitch) Rx(roll).
Matrix3<double> rotation_from_rpy(const Vector3<double>& rpy);

/// The angles that give exactly this matrix, to the last bit; none when rounding stands between.
std::optional<Vector3<double>> exact_rpy(const Matrix3<double>& rotation);

/// `axis` need not be of unit length but must not be zero.
Matrix3<double> rotation_from_axis_angle(const Vector3<double>& axis, double angle);

/// Unit quaternion w, x, y, z.
Matrix3<double> rotation_from_wxyz(const Eigen::Vector4d& wxyz);

/// How far R'R is from the identity (largest entry).
double orthonormality_error(const Matrix3<double>& rotation);

/// Turns every -0 into 0.
Matrix3<double> without_negative_zeros(const Matrix3<double>& m);

}  // namespace ulna
