// Small vibrations of flexible mechanisms with loops: docs/theory/flexible.md, eq. 30. The residual
// of the equations of motion on the free speeds, G' (M a + h), is a function of the free
// coordinates and their rates, the others following by closure; its slopes are K and C.

#include <algorithm>
#include <memory>

#include "common.hpp"
#include "flexible/vibration.hpp"
#include "formulation/truncated_route.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/rank.hpp"

namespace ulna {
namespace {

class ReducedMotion {
 public:
  ReducedMotion(const Model& model, const ModesQuery& query)
      : model_(model), work_(model), dynamics_(model), closure_(model) {
    if (query.level != ElasticLevel::exact) {
      truncated_ = std::make_unique<TruncatedRoute>(model, query.level);
      dynamics_.use(truncated_.get());
    }
    q_ = query.q.size() > 0 ? query.q : model.neutral();
    check_size(model, q_, model.coordinates(), "q");
    closure_.update(work_, q_);
    if (closure_.largest_gap(work_) > 1e-12) {
      AssemblyOptions options;
      options.start = q_;
      options.tolerance = 1e-11;
      q_ = assembled(model, options);
    }
    closure_.update(work_, q_);
    choose_speeds(query);
    v_ = with_dependent(or_zero(query.v, model, "v"), Eigen::VectorXd::Zero(closure_.rows()));
    a_ = or_zero(query.a, model, "a");
  }

  const std::vector<int>& speeds() const { return free_; }

  /// G' (M a + h) at displacements x of the free coordinates and changes of their rates.
  Eigen::VectorXd residual(const Eigen::VectorXd& x, const Eigen::VectorXd& rate) {
    Eigen::VectorXd q = q_, step = Eigen::VectorXd::Zero(model_.speeds()), v = v_;
    step(free_) = x;
    v(free_) += rate;
    model_.move_along(q, step);
    dynamics_.hold(kept_);
    if (!dynamics_.close_positions(work_, q, 1e-14 * model_.length_scale()))
      throw ComputationError(dynamics_.why_open(work_));
    closure_.update(work_, q);
    v = with_dependent(v, Eigen::VectorXd::Zero(closure_.rows()));
    closure_.update_rates(work_, q, v);
    const Eigen::VectorXd a = with_dependent(a_, closure_.bias());
    const Eigen::MatrixXd G = map();
    return G.transpose() * dynamics_.required_efforts(work_, q, v, a);
  }

  Eigen::MatrixXd mass(Eigen::MatrixXd& G) {
    closure_.update(work_, q_);
    G = map();
    if (truncated_)
      truncated_->mass(work_, q_, work_.mass_matrix);
    else
      compute_mass_matrix(model_, work_, q_.data());
    return G.transpose() * work_.mass_matrix * G;
  }

 private:
  /// Locked joints keep their motion. "All joints" means those that drive the mechanism: the others
  /// are held by the loops.
  void choose_speeds(const ModesQuery& query) {
    kept_ = still_speeds(model_, query, false);
    if (query.all_locked)
      for (const int k : split_speeds(closure_).independent)
        if (k < model_.joint_speeds()) kept_[k] = 1;
    const Eigen::MatrixXd A = closure_.scaled_jacobian();
    // Joints first: modes are dependent only where the joints cannot close the loops.
    Eigen::MatrixXd left = A;
    std::vector<char> dependent(kept_.size(), 0);
    for (const bool modal : {false, true}) {
      std::vector<int> candidates;
      for (int k = 0; k < model_.speeds(); ++k)
        if (!kept_[k] && (k >= model_.joint_speeds()) == modal) candidates.push_back(k);
      if (candidates.empty()) continue;
      const Eigen::MatrixXd part = left(Eigen::all, candidates);
      if (part.norm() <= loop_rank_tolerance * A.norm()) continue;
      for (const int c : rank_by_qr(part.transpose(), loop_rank_tolerance).independent_rows)
        dependent[candidates[c]] = 1;
      std::vector<int> columns;
      for (int k = 0; k < model_.speeds(); ++k)
        if (dependent[k]) columns.push_back(k);
      const Eigen::MatrixXd Q = dense::Qr(A(Eigen::all, columns)).thin_Q();
      left = A - Q * (Q.transpose() * A);
    }
    for (int k = 0; k < model_.speeds(); ++k) {
      if (dependent[k]) dependent_.push_back(k);
      if (!dependent[k] && !kept_[k]) free_.push_back(k), kept_[k] = 1;
    }
  }

  dense::PivotedQr factor() const {
    return dense::PivotedQr(closure_.jacobian()(Eigen::all, dependent_));
  }

  /// The entries that follow from the others by A x = b.
  Eigen::VectorXd with_dependent(Eigen::VectorXd x, const Eigen::VectorXd& b) const {
    if (dependent_.empty()) return x;
    x(dependent_).setZero();
    x(dependent_) = factor().solve(b - closure_.times(x));
    return x;
  }

  Eigen::MatrixXd map() const {
    Eigen::MatrixXd G = Eigen::MatrixXd::Zero(model_.speeds(), std::ssize(free_));
    for (std::size_t k = 0; k < free_.size(); ++k) G(free_[k], static_cast<long>(k)) = 1;
    if (!dependent_.empty() && !free_.empty())
      G(dependent_, Eigen::all) = -factor().solve(closure_.jacobian()(Eigen::all, free_));
    return G;
  }

  const Model& model_;
  Workspace work_;
  LoopDynamics dynamics_;
  LoopClosure closure_;
  Eigen::VectorXd q_, v_, a_;
  std::vector<int> free_, dependent_;
  std::unique_ptr<TruncatedRoute> truncated_;  ///< none at exact
  std::vector<char> kept_;                     ///< what closing a displaced posture does not move
};

}  // namespace

ElasticModes loop_vibration_matrices(const Model& model, const ModesQuery& query) {
  ReducedMotion motion(model, query);
  ElasticModes out;
  out.speeds = motion.speeds();
  const auto n = static_cast<long>(out.speeds.size());
  if (n == 0) return out;
  out.M = motion.mass(out.motion);
  out.C.resize(n, n), out.K.resize(n, n);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(n);
  constexpr double step = 1e-5, rate = 1e-3;
  for (long k = 0; k < n; ++k) {
    const Eigen::VectorXd e = Eigen::VectorXd::Unit(n, k);
    out.K.col(k) =
        (motion.residual(step * e, none) - motion.residual(-step * e, none)) / (2 * step);
    out.C.col(k) =
        (motion.residual(none, rate * e) - motion.residual(none, -rate * e)) / (2 * rate);
  }
  return out;
}

}  // namespace ulna
