#include "tip/tip_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/elastic/modal_body.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {

TipEquations::TipEquations(const Model& model, const std::vector<ScalarMotionPtr>& joints,
                           double end, const TipOptions& options)
    : model_(model),
      rigid_(with_rigid_links(model.robot())),
      motions_(joints),
      end_(end),
      options_(options),
      n_(model.joint_speeds()),
      m_(model.modes()),
      work_(model),
      rigid_work_(rigid_),
      derivatives_(model) {
  weight_.setOnes(m_);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  const InverseDerivatives& d =
      inverse_dynamics_derivatives(model_, work_, derivatives_, model.neutral(), zero, zero);
  for (long k = 0; k < m_; ++k)
    if (const double stiffness = d.dtau_dq(n_ + k, n_ + k); stiffness > 0)
      weight_(k) = 1 / stiffness;
}

TipTarget TipEquations::target(double t) {
  TipTarget out{Eigen::VectorXd(n_), Eigen::VectorXd::Zero(n_), Eigen::VectorXd::Zero(n_), {}, {}};
  const double at = std::clamp(t, 0.0, end_);
  for (long k = 0; k < n_; ++k) {
    const MotionValue x = motions_[static_cast<std::size_t>(k)]->at(at);
    const double first = motions_[static_cast<std::size_t>(k)]->at(0).value;
    out.q(k) = amplitude_ == 1 ? x.value : first + amplitude_ * (x.value - first);
    if (t > 0 && t < end_) out.v(k) = amplitude_ * x.rate, out.a(k) = amplitude_ * x.acceleration;
  }
  update_poses(rigid_, rigid_work_, out.q);
  out.X = frame_pose(rigid_, rigid_work_, options_.frame);
  const Jacobian J = jacobian(rigid_, rigid_work_, out.q, {.frame = options_.frame});
  out.G = options_.position_only ? Eigen::MatrixXd(J.bottomRows(3)) : Eigen::MatrixXd(J);
  const Eigen::VectorXd sizes = dense::singular_values(out.G);
  if (sizes.size() < n_ || !(sizes.minCoeff() > 1e-6 * sizes.maxCoeff()))
    throw ComputationError(fmt::format(
        "at t = {:.4g} s frame '{}' cannot be moved in {} directions by the {} joints "
        "of robot '{}': the posture is singular, or the frame has fewer freedoms",
        at, model_.frames()[static_cast<std::size_t>(options_.frame)].name, n_, n_, model_.name()));
  return out;
}

void TipEquations::evaluate(const TipTarget& target, const Eigen::VectorXd& x,
                            const Eigen::VectorXd& v, const Eigen::VectorXd& a, bool derivatives) {
  tau = inverse_dynamics(model_, work_, x, v, a);
  update_poses(model_, work_, x);
  const Pose<double> X = frame_pose(model_, work_, options_.frame);
  const Vector3<double> off = X.position - target.X.position;
  gap = off.norm();
  const dense::Qr solver(target.G);
  Eigen::VectorXd error(target.G.rows());
  if (options_.position_only)
    error = off;
  else
    error << target.X.rotation *
                 log_rotation(Matrix3<double>(target.X.rotation.transpose() * X.rotation)),
        off;
  residual.resize(size());
  residual.head(n_) = solver.solve(error);
  residual.tail(m_) = weight_.cwiseProduct(tau.tail(m_));
  if (!derivatives) return;
  const InverseDerivatives& d = inverse_dynamics_derivatives(model_, work_, derivatives_, x, v, a);
  const Jacobian J = jacobian(model_, work_, x, {.frame = options_.frame});
  dx.setZero(size(), size()), dv.setZero(size(), size()), da.setZero(size(), size());
  dx.topRows(n_) =
      solver.solve(options_.position_only ? Eigen::MatrixXd(J.bottomRows(3)) : Eigen::MatrixXd(J));
  dx.bottomRows(m_) = weight_.asDiagonal() * d.dtau_dq.bottomRows(m_);
  dv.bottomRows(m_) = weight_.asDiagonal() * d.dtau_dv.bottomRows(m_);
  da.bottomRows(m_) = weight_.asDiagonal() * d.mass_matrix.bottomRows(m_);
}

Eigen::VectorXd TipEquations::quasi_static(const TipTarget& target, Eigen::VectorXd x) {
  Eigen::VectorXd v = Eigen::VectorXd::Zero(size()), a = v;
  v.head(n_) = target.v, a.head(n_) = target.a;
  constexpr int most = 50;
  for (int k = 0; k < most; ++k) {
    evaluate(target, x, v, a, true);
    const Eigen::VectorXd step = dense::Lu(dx).solve(residual);
    if (!step.allFinite()) break;
    x -= std::min(1.0, 0.5 / step.cwiseAbs().maxCoeff()) * step;
    if (step.cwiseAbs().maxCoeff() < 1e-12) return x;
  }
  throw ComputationError(fmt::format(
      "the deflection of robot '{}' on its path was not found in {} iterations; its links bend too "
      "far for this motion",
      model_.name(), most));
}

}  // namespace ulna
