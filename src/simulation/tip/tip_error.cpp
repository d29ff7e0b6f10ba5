#include "tip/tip_error.hpp"

#include "ulna/elastic/modal_body.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

TipError::TipError(const Model& model)
    : model_(model), rigid_(with_rigid_links(model.robot())), work_(rigid_) {}

Vector3<double> TipError::missing(const Workspace& work, int frame, const Eigen::VectorXd& target) {
  update_poses(rigid_, work_, target);
  return frame_pose(rigid_, work_, frame).position - frame_pose(model_, work, frame).position;
}

double TipError::component(const Workspace& work, int frame, const Eigen::VectorXd& target,
                           int index) {
  const Vector3<double> off = -missing(work, frame, target);
  return index < 3 ? off(index) : off.norm();
}

Eigen::VectorXd TipError::missing_at_joints(const Workspace& work, int frame,
                                            const Eigen::VectorXd& target) {
  const Vector3<double> off = missing(work, frame, target);
  const Eigen::MatrixXd G = jacobian(rigid_, work_, target, {.frame = frame}).bottomRows(3);
  // (G'G + mu) e = G' off
  Eigen::MatrixXd normal = G.transpose() * G;
  normal.diagonal().array() += 1e-6 * normal.trace() + 1e-300;
  return dense::Ldlt(normal).solve(Eigen::VectorXd(G.transpose() * off));
}

}  // namespace ulna
