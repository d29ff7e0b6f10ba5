#include "arm/quick_pose.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/numerics/dense.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {

QuickPose::QuickPose(const Model& model, Workspace& work, const InverseKinematicsTarget& target)
    : model_(model),
      work_(work),
      target_(target),
      applies_(model.coordinates() == model.speeds() && target.held == all_axes &&
               model.speeds() >= (target.rotation ? 6 : 3)),
      J_(6, model.speeds()),
      dq_(model.speeds()) {}

/// dq_ = -J' (J J' + lambda)^-1 r, without the coordinates that it would push beyond their limits.
void QuickPose::step(const Vector6<double>& r, const Eigen::VectorXd& q) {
  const double damping = std::min(0.1, 0.5 * r.squaredNorm()) + 1e-14;
  for (int pass = 0; pass < 4; ++pass) {
    Eigen::Matrix<double, 6, 6> A = J_ * J_.transpose();
    A.diagonal().array() += damping;
    if (!target_.rotation) A.topLeftCorner<3, 3>().setIdentity();
    dq_.noalias() = -(J_.transpose() * dense::solve_ldlt<6>(A, r));
    bool held = false;
    for (Eigen::Index k = 0; k < dq_.size(); ++k) {
      const bool out =
          (dq_(k) < 0 && q(k) <= model_.lower()(k)) || (dq_(k) > 0 && q(k) >= model_.upper()(k));
      if (!out) continue;
      J_.col(k).setZero();
      held = true;
    }
    if (!held) break;
  }
  const double longest = dq_.cwiseAbs().maxCoeff();
  if (longest > 1) dq_ /= longest;
}

bool QuickPose::search(Eigen::VectorXd& q, double tolerance, double& residual) {
  constexpr int most = 60, patience = 12;
  double best = INFINITY;
  int since = 0;
  for (int k = 0; k < most; ++k) {
    J_ = jacobian(model_, work_, q, {target_.frame});
    const Pose<double> X = frame_pose(model_, work_, target_.frame);
    Vector6<double> r = Vector6<double>::Zero();
    r.tail<3>() = X.position - target_.position;
    if (target_.rotation)
      r.head<3>() = log_rotation(X.rotation * target_.rotation->transpose());
    else
      J_.topRows<3>().setZero();
    residual = r.norm();
    if (!std::isfinite(residual)) return false;
    if (residual <= 1e-3 * tolerance) return true;
    since = residual < 0.9 * best ? 0 : since + 1;
    best = std::min(best, residual);
    if (since > patience || (since > 1 && residual <= tolerance)) break;
    step(r, q);
    q = (q + dq_).cwiseMax(model_.lower()).cwiseMin(model_.upper());
  }
  return residual <= tolerance;
}

}  // namespace ulna
