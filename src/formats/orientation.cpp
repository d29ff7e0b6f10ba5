#include "orientation.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace ulna {

Matrix3<double> without_negative_zeros(const Matrix3<double>& m) { return m.array() + 0.0; }

Matrix3<double> rotation_from_rpy(const Vector3<double>& rpy) {
  const double sr = std::sin(rpy(0)), cr = std::cos(rpy(0));
  const double sp = std::sin(rpy(1)), cp = std::cos(rpy(1));
  const double sy = std::sin(rpy(2)), cy = std::cos(rpy(2));
  Matrix3<double> R;
  R << cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,  //
      sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,   //
      -sp, cp * sr, cp * cr;
  return without_negative_zeros(R);
}

std::optional<Vector3<double>> exact_rpy(const Matrix3<double>& R) {
  const Vector3<double> rpy(std::atan2(R(2, 1), R(2, 2)),
                            std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0))),
                            std::atan2(R(1, 0), R(0, 0)));
  const Vector3<double> tidy = rpy.array() + 0.0;
  if (rotation_from_rpy(tidy) == R) return tidy;
  return std::nullopt;
}

Matrix3<double> rotation_from_axis_angle(const Vector3<double>& axis, double angle) {
  return without_negative_zeros(Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix());
}

Matrix3<double> rotation_from_wxyz(const Eigen::Vector4d& wxyz) {
  return without_negative_zeros(
      Eigen::Quaterniond(wxyz(0), wxyz(1), wxyz(2), wxyz(3)).toRotationMatrix());
}

double orthonormality_error(const Matrix3<double>& R) {
  return (R.transpose() * R - Matrix3<double>::Identity()).cwiseAbs().maxCoeff();
}

}  // namespace ulna
