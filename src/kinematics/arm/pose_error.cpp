#include "arm/pose_error.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/spatial/rotation.hpp"

namespace ulna {

Matrix3<double> inverse_left_jacobian(const Vector3<double>& turn) {
  const double angle = turn.norm();
  const Matrix3<double> W = skew(turn);
  const double c =
      angle < 1e-4 ? 1.0 / 12 : (1 - 0.5 * angle / std::tan(0.5 * angle)) / (angle * angle);
  return Matrix3<double>::Identity() - 0.5 * W + c * W * W;
}

PoseError::PoseError(const Model& model, const InverseKinematicsTarget& target,
                     const std::vector<Obstacle>& obstacles)
    : model_(model),
      work_(model),
      target_(target),
      held_(held_rows(!target.rotation, target.held)),
      closure_(model),
      obstacles_(model, obstacles) {}

void PoseError::evaluate(const Eigen::VectorXd& q, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
  const Jacobian& whole = jacobian(model_, work_, q, {target_.frame});
  const Pose<double> X = frame_pose(model_, work_, target_.frame);
  const int own = target_.rotation ? 6 : 3;
  r.resize(own);
  r.tail<3>() = X.position - target_.position;
  if (J) *J = whole.bottomRows(own);
  if (target_.rotation) add_rotation(X, r, J);
  if (rows() < own) {
    std::vector<int> held = held_;
    for (int& row : held) row -= 6 - own;
    r = Eigen::VectorXd(r(held));
    if (J) *J = Eigen::MatrixXd((*J)(held, Eigen::all));
  }
  if (closure_.rows() > 0) add_loops(q, r, J);
  if (obstacles_.rows() == 0) return;
  const auto before = static_cast<int>(r.size());
  r.conservativeResize(before + obstacles_.rows());
  if (J) J->conservativeResize(r.size(), Eigen::NoChange);
  obstacles_.evaluate(work_, q, r, J, before);
}

bool PoseError::closed(const Eigen::VectorXd& q, double tolerance) {
  closure_.update(work_, q);
  return closure_.largest_gap(work_) <= std::max(tolerance, model_.robot().loop_tolerance);
}

std::string PoseError::in_obstacle(const Eigen::VectorXd& q) {
  return obstacles_.deepest(work_, q);
}

void PoseError::add_rotation(const Pose<double>& X, Eigen::VectorXd& r, Eigen::MatrixXd* J) const {
  // log of the rotation that is left, in world axes. Its derivative is the inverse of the left
  // Jacobian of SO(3); near the solution that is the identity, far away the exact one keeps the
  // convergence of Newton's method.
  const Vector3<double> turn = log_rotation(X.rotation * target_.rotation->transpose());
  r.head<3>() = turn;
  if (J) J->topRows<3>() = inverse_left_jacobian(turn) * J->topRows<3>();
}

/// The loops stay closed: their residuals join the error of the pose.
void PoseError::add_loops(const Eigen::VectorXd& q, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
  closure_.update(work_, q);
  const Eigen::Index own = r.size();
  r.conservativeResize(own + closure_.rows());
  r.tail(closure_.rows()) = closure_.residual();
  if (!J) return;
  J->conservativeResize(r.size(), Eigen::NoChange);
  J->bottomRows(closure_.rows()) = closure_.jacobian();
}

}  // namespace ulna
