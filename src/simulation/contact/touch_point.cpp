#include "contact/touch_point.hpp"

#include <Eigen/Geometry>

namespace ulna {
namespace {

/// From the centre of a disc to its point nearest to the plane (eq. 45), and its rate.
void rim(const Vector3<double>& normal, const Vector3<double>& normal_rate,
         const Vector3<double>& axis, const Vector3<double>& axis_rate, double radius,
         Vector3<double>& arm, Vector3<double>& arm_rate) {
  const double along = normal.dot(axis);
  const Vector3<double> w = normal - along * axis;
  const double length = w.norm();
  arm.setZero();
  arm_rate.setZero();
  if (length < 1e-9) return;  // it lies flat: no point is the lowest
  const Vector3<double> rate =
      normal_rate - (normal_rate.dot(axis) + normal.dot(axis_rate)) * axis - along * axis_rate;
  const Vector3<double> u = w / length;
  arm = -radius * u;
  arm_rate = -radius / length * (rate - u * u.dot(rate));
}

}  // namespace

Matrix3<double> frame_on(const Vector3<double>& normal) {
  const Vector3<double> n = normal.normalized();
  // The first tangent is as near to the x axis as can be, so that a level ground has x and y.
  const Vector3<double> near =
      std::abs(n.x()) < 0.9 ? Vector3<double>::UnitX() : Vector3<double>(Vector3<double>::UnitY());
  Matrix3<double> axes;
  axes.col(0) = n;
  axes.col(1) = (near - n * n.dot(near)).normalized();
  axes.col(2) = n.cross(axes.col(1));
  return axes;
}

TouchPoint touch(const Workspace& work, const Sides& sides, const TouchingShape& shape,
                 const ContactPlane& plane, const Matrix3<double>& axes) {
  const Pose<double> X_WA = carrier_pose(work, sides.shape);
  const Pose<double> X_WP = carrier_pose(work, sides.plane);
  const Twist<double> V_WA = carrier_velocity(work, sides.shape);
  const Twist<double> V_WP = carrier_velocity(work, sides.plane);
  TouchPoint out;
  out.directions = X_WP.rotation * axes;
  for (int k = 0; k < 3; ++k) out.turning.col(k) = V_WP.angular.cross(out.directions.col(k));
  const Vector3<double> offset = X_WA.rotation * shape.point;
  const Vector3<double> centre = X_WA.position + offset;
  Vector3<double> arm = -shape.radius * out.directions.col(0);
  Vector3<double> arm_rate = -shape.radius * out.turning.col(0);
  if (shape.disc()) {
    const Vector3<double> axis = X_WA.rotation * shape.axis.normalized();
    rim(out.directions.col(0), out.turning.col(0), axis, V_WA.angular.cross(axis), shape.radius,
        arm, arm_rate);
    out.tilt = out.directions.col(0).cross(axis).norm();
  }
  out.arm = arm;
  out.place = centre + arm;
  out.drift = V_WA.at(offset) + arm_rate;
  out.gap = out.directions.col(0).dot(out.place - X_WP * plane.point);
  return out;
}

Eigen::VectorXd angular_row(const Model& model, Workspace& work, const VectorRef& q,
                            const Sides& sides, const Vector3<double>& direction) {
  Eigen::VectorXd row = Eigen::VectorXd::Zero(model.speeds());
  const auto add = [&](const Carrier& side, double sense) {
    row +=
        sense *
        carrier_jacobian(model, work, q, side, Vector3<double>::Zero()).topRows<3>().transpose() *
        direction;
  };
  add(sides.shape, 1);
  add(sides.plane, -1);
  return row;
}

TouchPoint blade(const Workspace& work, const Sides& sides, const NonholonomicConstraint& edge) {
  const Pose<double> X_WA = carrier_pose(work, sides.shape);
  const Twist<double> V_WA = carrier_velocity(work, sides.shape);
  TouchPoint out;
  const Vector3<double> offset = X_WA.rotation * edge.shape.point;
  out.place = X_WA.position + offset;
  out.drift = V_WA.at(offset);
  out.directions.setZero();
  out.turning.setZero();
  for (std::size_t k = 0; k < edge.directions.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    out.directions.col(i) = X_WA.rotation * edge.directions[k].normalized();
    out.turning.col(i) = V_WA.angular.cross(out.directions.col(i));
  }
  return out;
}

void point_rows(const Model& model, Workspace& work, const VectorRef& q, const Sides& sides,
                const TouchPoint& at, int count, Eigen::Ref<Eigen::MatrixXd> rows,
                Eigen::Ref<Eigen::VectorXd> bias) {
  // Velocity and acceleration, at a = 0, of the material point of a side that is at the place; the
  // place wanders over the side.
  Vector3<double> velocity = Vector3<double>::Zero(), acceleration = Vector3<double>::Zero();
  const auto add = [&](const Carrier& side, double sense) {
    const Twist<double> V = carrier_velocity(work, side), rate = carrier_acceleration(work, side);
    const Vector3<double> arm = at.place - carrier_pose(work, side).position;
    velocity += sense * V.at(arm);
    acceleration += sense * (rate.at(arm) + V.angular.cross(at.drift - V.linear));
  };
  add(sides.shape, 1);
  add(sides.plane, -1);
  for (int k = 0; k < count; ++k)
    bias(k) = at.turning.col(k).dot(velocity) + at.directions.col(k).dot(acceleration);
  rows.topRows(count).setZero();
  const auto add_rows = [&](const Carrier& side, double sense) {
    const Pose<double> X = carrier_pose(work, side);
    const Jacobian& J =
        carrier_jacobian(model, work, q, side, X.rotation.transpose() * (at.place - X.position));
    for (int k = 0; k < count; ++k)
      for (Eigen::Index j = 0; j < J.cols(); ++j)
        rows(k, j) += sense * at.directions.col(k).dot(J.col(j).tail<3>());
  };
  add_rows(sides.shape, 1);
  if (sides.plane.node != 0) add_rows(sides.plane, -1);
}

}  // namespace ulna
