#pragma once
// Angles that bring a point about fixed axes to another point: the parts of closed-form inverse
// kinematics. A turning joint is an axis in the world at coordinate zero.

#include <vector>

#include "ulna/spatial/parts/types.hpp"

namespace ulna {

struct TurnAxis {
  Vector3<double> direction;  ///< unit
  Vector3<double> point;
};

/// p turned about the axis.
Vector3<double> turned(const TurnAxis& axis, double angle, const Vector3<double>& p);
/// The angle about the axis from one point to another at the same height and distance; 0 on the
/// axis itself.
double angle_from_to(const TurnAxis& axis, const Vector3<double>& from, const Vector3<double>& to);

/// All q in (-pi, pi] with a0 + a1 cos q + b1 sin q + a2 cos 2q + b2 sin 2q = 0.
std::vector<double> trigonometric_roots(double a0, double a1, double b1, double a2, double b2);

struct TwoAngles {
  double first, second;
};
/// q1, q2 with Rot1(q1) Rot2(q2) from = to, at most two pairs. `size`: a length that rounding is
/// measured by.
std::vector<TwoAngles> two_turns(const TurnAxis& one, const TurnAxis& two,
                                 const Vector3<double>& from, const Vector3<double>& to,
                                 double size);

struct ThreeAngles {
  double angle[3];
};
/// The same about three axes, at most four.
std::vector<ThreeAngles> three_turns(const TurnAxis axes[3], const Vector3<double>& from,
                                     const Vector3<double>& to, double size);

/// q with Rot(d1, q1) Rot(d2, q2) Rot(d3, q3) = R, at most two.
std::vector<ThreeAngles> three_turns_to_rotation(const Vector3<double>& d1,
                                                 const Vector3<double>& d2,
                                                 const Vector3<double>& d3,
                                                 const Matrix3<double>& R);

}  // namespace ulna
