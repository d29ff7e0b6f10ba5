#include "ulna/spatial/homogeneous_screw.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {

PositionMatrix<double> displacement(const FiniteScrew& screw) {
  const Matrix3<double> R = rotation_about(screw.axis, screw.angle);
  return PositionMatrix<double>(
      Pose<double>{R, screw.point - R * screw.point + screw.axis * screw.slide});
}

PositionMatrix<double> displacement(const ScrewMatrix<double>& L, double q) {
  return PositionMatrix<double>(exp_twist(L.twist().vector() * q));
}

FiniteScrew screw_of(const PositionMatrix<double>& Q) {
  const AxisAngle turn = axis_angle_from_rotation(Q.rotation());
  const Vector3<double> t = Q.origin();
  FiniteScrew screw{turn.axis, turn.angle, 0, Vector3<double>::Zero()};
  if (turn.angle == 0) {
    screw.slide = t.norm();
    if (screw.slide > 0) screw.axis = t / screw.slide;
    return screw;
  }
  screw.slide = screw.axis.dot(t);
  const Vector3<double> across = t - screw.axis * screw.slide;
  screw.point = (across + screw.axis.cross(across) / std::tan(turn.angle / 2)) / 2;
  return screw;
}

InstantScrew screw_of(const VelocityMatrix<double>& W) {
  const Twist<double> V = W.twist();
  InstantScrew screw;
  screw.angular_speed = V.angular.norm();
  if (screw.angular_speed == 0) {
    screw.slide_speed = V.linear.norm();
    if (screw.slide_speed > 0) screw.axis = V.linear / screw.slide_speed;
    return screw;
  }
  screw.axis = V.angular / screw.angular_speed;
  screw.slide_speed = screw.axis.dot(V.linear);
  screw.point = screw.axis.cross(V.linear) / screw.angular_speed;
  return screw;
}

VelocityMatrix<double> velocity(const InstantScrew& screw) {
  const Vector3<double> w = screw.axis * screw.angular_speed;
  return VelocityMatrix<double>(
      Twist<double>{w, screw.axis * screw.slide_speed + screw.point.cross(w)});
}

ScrewMatrix<double> unit_screw(const VelocityMatrix<double>& W) {
  const InstantScrew screw = screw_of(W);
  const double size = screw.angular_speed > 0 ? screw.angular_speed : screw.slide_speed;
  if (!(size > 0)) throw ComputationError("a body at rest has no screw axis", size);
  return ScrewMatrix<double>(Matrix4<double>(W.matrix / size));
}

PositionMatrix<double> orthonormalised(const Matrix4<double>& M) {
  return PositionMatrix<double>(
      Pose<double>{nearest_rotation(M.topLeftCorner<3, 3>()), M.topRightCorner<3, 1>()});
}

FreeBody solve_free_body(const InertiaMatrix<double>& J, const FreeBody& given,
                         const std::array<int, 6>& unknown, const VelocityMatrix<double>& W) {
  using Vector12 = Eigen::Matrix<double, 12, 1>;
  // [I, -1] x = -bias with x = (rate, action) and bias = skew(W^2 J).
  Eigen::Matrix<double, 6, 12> A;
  A << J.inertia().matrix(), -Matrix6<double>::Identity();
  Vector12 x;
  x << given.rate.vector(), given.action.vector();
  std::array<bool, 12> wanted{};
  for (int k : unknown) {
    if (k < 0 || k > 11 || wanted[k])
      throw InputError(fmt::format("unknown quantity {} of a free body", k),
                       "six different numbers 0..11");
    wanted[k] = true;
    x(k) = 0;
  }
  const AccelerationMatrix<double> centripetal(Matrix4<double>(W.matrix * W.matrix));
  const Vector6<double> bias = action(centripetal, J).wrench().vector();
  Matrix6<double> part;
  for (int k = 0; k < 6; ++k) part.col(k) = A.col(unknown[k]);
  const dense::FullLu factor(part);
  if (!factor.invertible())
    throw ComputationError(
        fmt::format("the equations of the free body leave {} of the six unknowns open",
                    6 - factor.rank()),
        static_cast<double>(factor.rank()));
  const Vector6<double> solution = factor.solve(-bias - A * x);
  for (int k = 0; k < 6; ++k) x(unknown[k]) = solution(k);
  return {Twist<double>::from_vector(x.head<6>()), Wrench<double>::from_vector(x.tail<6>())};
}

}  // namespace ulna
