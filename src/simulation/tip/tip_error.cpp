#include "tip/tip_error.hpp"

#include <fmt/format.h>

#include "ulna/elastic/modal_body.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

TipError::TipError(const Model& model, LedJoints led)
    : model_(model),
      rigid_(with_rigid_links(model.robot())),
      dynamics_(rigid_),
      led_(std::move(led)) {
  led_.speeds.resize(static_cast<std::size_t>(rigid_.speeds()));
  led_.coordinates.resize(static_cast<std::size_t>(rigid_.coordinates()));
  if (dynamics_.loops()) dynamics_.hold(led_.speeds);
}

const Eigen::VectorXd& TipError::posture(const Eigen::VectorXd& q, const Eigen::VectorXd& target) {
  if (!dynamics_.loops()) return target;
  if (target_.size() > 0 && target_ == target && posture_.size() > 0) return posture_;
  target_ = target;
  posture_ = rigid_.normalized(q.head(rigid_.coordinates()));
  for (Eigen::Index k = 0; k < posture_.size(); ++k)
    if (led_.coordinates[static_cast<std::size_t>(k)]) posture_(k) = target(k);
  if (!dynamics_.close_positions(posture_)) {
    posture_.resize(0);
    throw ComputationError(
        fmt::format("the loops of robot '{}' with rigid links do not close with its joints where "
                    "their motions say",
                    rigid_.name()));
  }
  return posture_;
}

Vector3<double> TipError::missing(const Workspace& work, int frame, const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& target) {
  update_poses(rigid_, dynamics_.work(), posture(q, target));
  return frame_pose(rigid_, dynamics_.work(), frame).position -
         frame_pose(model_, work, frame).position;
}

double TipError::component(const Workspace& work, int frame, const Eigen::VectorXd& q,
                           const Eigen::VectorXd& target, int index) {
  const Vector3<double> off = -missing(work, frame, q, target);
  return index < 3 ? off(index) : off.norm();
}

/// Velocity of the frame for the speeds, where loops close for those of the joints that are led.
Eigen::MatrixXd TipError::frame_rates(int frame) {
  Workspace& work = dynamics_.work();
  const Eigen::VectorXd q = dynamics_.loops() ? posture_ : target_;
  const Eigen::MatrixXd J = jacobian(rigid_, work, q, {.frame = frame}).bottomRows(3);
  if (!dynamics_.loops()) return J;
  dynamics_.loops()->update_closure(work, q);
  const LoopClosure& closure = dynamics_.loops()->closure();
  const Eigen::Index n = rigid_.speeds(), rows = closure.rows();
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(rows + n, n), given = all;
  all.topRows(rows) = closure.jacobian();
  for (Eigen::Index k = 0; k < n; ++k)
    if (led_.speeds[static_cast<std::size_t>(k)]) all(rows + k, k) = given(rows + k, k) = 1;
  return J * (dense::LeastNorm(all, loop_rank_tolerance).pseudo_inverse() * given);
}

Eigen::VectorXd TipError::missing_at_joints(const Workspace& work, int frame,
                                            const Eigen::VectorXd& q,
                                            const Eigen::VectorXd& target) {
  const Vector3<double> off = missing(work, frame, q, target);
  if (!dynamics_.loops()) target_ = target;
  const Eigen::MatrixXd G = frame_rates(frame);
  // (G'G + mu) e = G' off
  Eigen::MatrixXd normal = G.transpose() * G;
  normal.diagonal().array() += 1e-6 * normal.trace() + 1e-300;
  return dense::Ldlt(normal).solve(Eigen::VectorXd(G.transpose() * off));
}

}  // namespace ulna
