#include "ulna/model/parts/placement.hpp"

#include "ulna/spatial/rotation.hpp"

namespace ulna {

Matrix3<double> axes_along(const Vector3<double>& direction) {
  // 1 + W + W^2 / (1 + c) with W = skew(z x direction), c = direction.z. Below the horizon 1 + c is
  // had without cancellation from s^2 = (1 + c)(1 - c).
  const double s2 = direction.x() * direction.x() + direction.y() * direction.y();
  const double c = direction.z();
  if (c < 0 && s2 < 1e-300) return Vector3<double>(1, -1, -1).asDiagonal();
  const double k = c < 0 ? (1 - c) / s2 : 1 / (1 + c);
  const double x = direction.x(), y = direction.y();
  Matrix3<double> A;
  A << 1 - k * x * x, -k * x * y, x,  //
      -k * x * y, 1 - k * y * y, y,   //
      -x, -y, c;
  return A;
}

Placement standard_dh(double theta, double d, double a, double alpha) {
  return extended_dh(theta, d, 0, a, alpha);
}

Placement extended_dh(double theta, double d, double b, double a, double alpha) {
  return {Pose<double>::turn(rotation_z(theta)), {rotation_x(alpha), Vector3<double>(a, b, d)}};
}

Placement modified_dh(double theta, double d, double a, double alpha) {
  const Matrix3<double> twist = rotation_x(alpha);
  return {{twist * rotation_z(theta), Vector3<double>(a, 0, 0) + twist * Vector3<double>(0, 0, d)},
          {}};
}

Placement screw_axis(const Vector3<double>& direction, const Vector3<double>& point,
                     const Pose<double>& X_WP, const Pose<double>& X_WC) {
  const Vector3<double> z = direction.normalized();
  const Pose<double> X_WF{axes_along(z), point};
  return {X_WP.inverse() * X_WF, X_WF.inverse() * X_WC};
}

}  // namespace ulna
