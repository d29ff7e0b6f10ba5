#pragma once
// Rotations in all their forms: matrices, quaternions, rotation vectors, Euler angles; and the
// exponential and logarithm of poses.
//
// R_AB turns components in B into components in A. A quaternion is four numbers w, x, y, z with the
// scalar first. A rotation vector is unit axis times angle. What needs no comparison is a template
// on the scalar; the rest is for double.
//
//   operation                formula                           function
//   turn about x, y, z       [1 0 0; 0 c -s; 0 s c], ...       rotation_x(a), rotation_y(a), ...
//   turn about unit axis u   1 + sin a [u] + (1 - cos a)[u]^2  rotation_about(u, a)
//   matrix of a quaternion   1 + 2w [v] + 2 [v]^2              rotation_from_quaternion(q)
//   quaternion of a matrix   the inverse with w >= 0           quaternion_from_rotation(R)
//   q_AC                     q_AB q_BC                         quaternion_product(q_AB, q_BC)
//   q_BA                     (w, -v)                           quaternion_conjugate(q_AB)
//   rate of q_AB             q_AB (0, w_AB_B)/2                quaternion_rate(q_AB, w_AB_B)
//   rotation vector, matrix  exp [w], its inverse              exp_rotation(w), log_rotation(R)
//   the same, quaternion     (cos a/2, u sin a/2), inverse     exp_quaternion(w), log_quaternion(q)
//   shortest turn, a to b    c + [w] + ww'/(1+c), w = a x b    turn_between(a, b)
//   twist, pose              exp [[w] v; 0 0], its inverse     exp_twist(V), log_pose(X)
//   three turns, matrix      R1(a0) R2(a1) R3(a2), inverse     euler_rotation, euler_angles

#include <string_view>
#include <type_traits>

#include "ulna/scalar/parts/export.hpp"
#include "ulna/scalar/parts/scalar.hpp"
#include "ulna/spatial/pose.hpp"

namespace ulna {

/// w, x, y, z: scalar first. Functions assume unit length unless they say otherwise.
template <class S>
using Quaternion = Eigen::Matrix<S, 4, 1>;

template <class S>
Matrix3<S> rotation_x(const S& angle) {
  S s, c;
  sincos(angle, s, c);
  Matrix3<S> R;
  R << S(1), S(0), S(0), S(0), c, -s, S(0), s, c;
  return R;
}

template <class S>
Matrix3<S> rotation_y(const S& angle) {
  S s, c;
  sincos(angle, s, c);
  Matrix3<S> R;
  R << c, S(0), s, S(0), S(1), S(0), -s, S(0), c;
  return R;
}

template <class S>
Matrix3<S> rotation_z(const S& angle) {
  S s, c;
  sincos(angle, s, c);
  Matrix3<S> R;
  R << c, -s, S(0), s, c, S(0), S(0), S(0), S(1);
  return R;
}

/// A turn by `angle` about an axis of unit length. The scalar is that of the angle.
template <class S>
Matrix3<S> rotation_about(const std::type_identity_t<Vector3<S>>& unit_axis, const S& angle) {
  S s, c;
  sincos(angle, s, c);
  const S &x = unit_axis(0), &y = unit_axis(1), &z = unit_axis(2);
  const Vector3<S> t = unit_axis * (S(1) - c);
  const S xy = t(0) * y, xz = t(0) * z, yz = t(1) * z;
  const S sx = s * x, sy = s * y, sz = s * z;
  Matrix3<S> R;
  R << t(0) * x + c, xy - sz, xz + sy,  //
      xy + sz, t(1) * y + c, yz - sx,   //
      xz - sy, yz + sx, t(2) * z + c;
  return R;
}

/// Of a unit quaternion; for any other the result is not a rotation.
template <class S>
Matrix3<S> rotation_from_quaternion(const Quaternion<S>& q) {
  const S w = q(0), x = q(1), y = q(2), z = q(3);
  const S x2 = x + x, y2 = y + y, z2 = z + z;
  const S xx = x2 * x, yy = y2 * y, zz = z2 * z;
  const S xy = x2 * y, xz = x2 * z, yz = y2 * z;
  const S wx = x2 * w, wy = y2 * w, wz = z2 * w;
  Matrix3<S> R;
  R << S(1) - (yy + zz), xy - wz, xz + wy,  //
      xy + wz, S(1) - (xx + zz), yz - wx,   //
      xz - wy, yz + wx, S(1) - (xx + yy);
  return R;
}

/// q_AC = q_AB q_BC.
template <class S>
Quaternion<S> quaternion_product(const Quaternion<S>& a, const Quaternion<S>& b) {
  return {a(0) * b(0) - a(1) * b(1) - a(2) * b(2) - a(3) * b(3),
          a(0) * b(1) + a(1) * b(0) + a(2) * b(3) - a(3) * b(2),
          a(0) * b(2) - a(1) * b(3) + a(2) * b(0) + a(3) * b(1),
          a(0) * b(3) + a(1) * b(2) - a(2) * b(1) + a(3) * b(0)};
}

/// q_BA from q_AB.
template <class S>
Quaternion<S> quaternion_conjugate(const Quaternion<S>& q) {
  return {q(0), -q(1), -q(2), -q(3)};
}

/// The rate of q_AB when B turns in A with angular velocity w_AB_B (axes of B).
template <class S>
Quaternion<S> quaternion_rate(const Quaternion<S>& q, const Vector3<S>& w_body) {
  const Vector3<S> h = w_body * S(0.5);
  return {-(q(1) * h(0) + q(2) * h(1) + q(3) * h(2)),  //
          q(0) * h(0) + q(2) * h(2) - q(3) * h(1),     //
          q(0) * h(1) + q(3) * h(0) - q(1) * h(2),     //
          q(0) * h(2) + q(1) * h(1) - q(2) * h(0)};
}

/// The unit quaternion with w >= 0; for a half turn (w = 0) the one whose first non-zero component
/// is positive. A matrix that is a rotation up to rounding gives a quaternion accurate to rounding.
ULNA_API Quaternion<double> quaternion_from_rotation(const Matrix3<double>& R);

/// exp [w], for rotation vectors of any length. Up to a half turn each entry is within 8 epsilon
/// (2.2e-16); for longer vectors the error grows with the length.
ULNA_API Matrix3<double> exp_rotation(const Vector3<double>& w);

/// The rotation vector of length 0 to pi with exp [w] = R. For a matrix rounded from an exact
/// rotation its error is at most 3 epsilon (2.2e-16) times its length, also for angles near 0 (down
/// to 1e-300) and near pi. Beside a half turn w and -w are nearly the same rotation,
/// and which one comes out is decided by rounding.
ULNA_API Vector3<double> log_rotation(const Matrix3<double>& R);

ULNA_API Quaternion<double> exp_quaternion(const Vector3<double>& w);

/// The rotation vector of length 0 to pi; q and -q give the same one. The length of q does not
/// matter.
ULNA_API Vector3<double> log_quaternion(const Quaternion<double>& q);

/// Axis of unit length and angle in 0..pi. No rotation at all has the axis z.
struct AxisAngle {
  Vector3<double> axis = Vector3<double>::UnitZ();
  double angle = 0;
};
ULNA_API AxisAngle axis_angle_from_rotation(const Matrix3<double>& R);

/// The shortest turn that brings the direction of a onto that of b; neither may be zero. Opposite
/// vectors leave the axis open: it is then the coordinate axis farthest from b (the first of those
/// equally far), made perpendicular to b. R a / |a| is within 4 epsilon (2.2e-16) of b / |b|, for
/// nearly opposite vectors, too.
ULNA_API Matrix3<double> turn_between(const Vector3<double>& a, const Vector3<double>& b);

/// The pose X_AB reached after unit time from X_AB = 1 with the constant twist (w, v) of B in B,
/// rotation first.
ULNA_API Pose<double> exp_twist(const Vector6<double>& twist);

/// The twist (w, v), rotation first and |w| <= pi, with exp_twist(w, v) = X. The error
/// of each part is at most 8 epsilon (2.2e-16) times |w| and |v|, at all angles.
ULNA_API Vector6<double> log_pose(const Pose<double>& X);

/// Three turns, one per letter, in the order of the letters. Lower case: each about the axes as
/// moved by the turns before it, so "zyx" is Rz(a0) Ry(a1) Rx(a2). Upper case: all about fixed
/// axes, so "XYZ" is Rz(a2) Ry(a1) Rx(a0), the roll, pitch and yaw of URDF. Any of the 12 sequences
/// without equal neighbours; another text throws InputError.
ULNA_API Matrix3<double> euler_rotation(std::string_view sequence, const Vector3<double>& angles);

/// The angles of a rotation, each in [-pi, pi].
struct EulerAngles {
  Vector3<double> first;   ///< middle angle in 0..pi (like "zxz") or -pi/2..pi/2 (like "zyx")
  Vector3<double> second;  ///< the same rotation with the middle angle outside that range
  /// |sin| ("zxz") or |cos| ("zyx") of the middle angle. The error of the outer angles is about
  /// 1e-16 over it; the rotation they give together is accurate always.
  double separation = 0;
  /// The outer axes coincide to rounding (separation below 16 ulp of 1): only the sum or difference
  /// of the outer angles is determined, and `first` has its last angle 0.
  bool singular = false;
};
ULNA_API EulerAngles euler_angles(std::string_view sequence, const Matrix3<double>& R);

/// Whether R'R = 1 within `tolerance` in each entry, and det R > 0.
ULNA_API bool is_rotation(const Matrix3<double>& R, double tolerance = 1e-12);

/// The rotation with the least Frobenius distance to a matrix. Throws ComputationError when several
/// are equally near, e.g. for rank one.
ULNA_API Matrix3<double> nearest_rotation(const Matrix3<double>& matrix);

}  // namespace ulna
