#include "ulna/model/placement.hpp"

#include <Eigen/Geometry>

#include "ulna/spatial/rotation.hpp"

namespace ulna {

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
  const Pose<double> X_WF{Eigen::Quaterniond::FromTwoVectors(Vector3<double>::UnitZ(), z).matrix(),
                          point};
  return {X_WP.inverse() * X_WF, X_WF.inverse() * X_WC};
}

}  // namespace ulna
