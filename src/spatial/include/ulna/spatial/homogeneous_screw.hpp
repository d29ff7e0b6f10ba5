#pragma once
// Screws and 4x4 matrices: the axis of a finite displacement or of a velocity, and back; clean
// position matrices; the equations of a free body.

#include <array>

#include "ulna/spatial/homogeneous.hpp"

namespace ulna {

/// A turn about an axis and a slide along it.
struct FiniteScrew {
  Vector3<double> axis = Vector3<double>::UnitZ();  ///< of unit length
  double angle = 0;                                 ///< 0..pi
  double slide = 0;                                 ///< along the axis; pitch = slide / angle
  Vector3<double> point = Vector3<double>::Zero();  ///< of the axis, nearest the origin
};

/// R = 1 + [u] sin f + [u]^2 (1 - cos f), t = (1 - R) p + slide u.
ULNA_API PositionMatrix<double> displacement(const FiniteScrew& screw);
/// exp(L q), the displacement of a joint.
ULNA_API PositionMatrix<double> displacement(const ScrewMatrix<double>& L, double q);
/// A pure translation has its direction as the axis, angle 0 and the point 0. For small angles the
/// point is as uncertain as the rounding of the rotation over the angle.
ULNA_API FiniteScrew screw_of(const PositionMatrix<double>& Q);

/// The instantaneous screw axis of a velocity.
struct InstantScrew {
  Vector3<double> axis = Vector3<double>::UnitZ();  ///< of unit length
  double angular_speed = 0;                         ///< about the axis, never negative
  double slide_speed = 0;                           ///< along the axis
  Vector3<double> point = Vector3<double>::Zero();  ///< of the axis, nearest the origin (the pole)
  /// Metres per radian; infinite for a translation.
  double pitch() const { return slide_speed / angular_speed; }
};

/// A pure translation has its direction as the axis and the point 0.
ULNA_API InstantScrew screw_of(const VelocityMatrix<double>& W);
ULNA_API VelocityMatrix<double> velocity(const InstantScrew& screw);
/// W over its angular speed, or over its speed for a translation. ComputationError for W = 0.
ULNA_API ScrewMatrix<double> unit_screw(const VelocityMatrix<double>& W);

/// The nearest matrix with an orthonormal rotation and the last row 0 0 0 1.
ULNA_API PositionMatrix<double> orthonormalised(const Matrix4<double>& M);

/// Newton's and Euler's equations of one body, action = skew(H J), with any six of the twelve
/// quantities unknown: the rate of W (angular 0..2, linear 3..5) and the action (couple 6..8, force
/// 9..11), all at the frame's origin. What is given for an unknown quantity is not read.
struct FreeBody {
  Twist<double> rate;     ///< of W
  Wrench<double> action;  ///< resultant on the body, weight included
};
/// InputError when the unknowns are not six different ones; ComputationError when they are not
/// determined by the equations.
ULNA_API FreeBody solve_free_body(const InertiaMatrix<double>& J, const FreeBody& given,
                                  const std::array<int, 6>& unknown = {0, 1, 2, 3, 4, 5},
                                  const VelocityMatrix<double>& W = {});

}  // namespace ulna
