#include "ulna/simulation/equilibrium.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "linear/damped_step.hpp"
#include "linear/stiffness_stability.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/kinematics/internal/named_efforts.hpp"
#include "ulna/model/internal/check_size.hpp"

namespace ulna {
namespace {

/// Damped least squares in the tangent, with radians and metres as they are: directions in which
/// no effort changes (a joint along gravity) are then left alone. Scaling by the columns of the
/// Jacobian, as solve_least_squares does, would run away along them.
class EquilibriumSearch {
 public:
  EquilibriumSearch(const Model& model, const Eigen::VectorXd& start, const Eigen::VectorXd& tau)
      : model_(model), work_(model), derivatives_(model), tau_(tau), q_(start) {
    zero_ = Eigen::VectorXd::Zero(model.speeds());
    coordinate_.assign(model.coordinate_of_speed().begin(), model.coordinate_of_speed().end());
    begin_at(start);
  }

  void begin_at(const Eigen::VectorXd& q) {
    q_ = q;
    into_limits(q_);
    r_ = residual(q_);
  }

  void run(double tolerance) {
    double damping = 1e-3;
    for (iterations = 0; iterations < 500 && r_.norm() > tolerance && damping < 1e12;
         ++iterations) {
      const Eigen::MatrixXd J =
          inverse_dynamics_derivatives(model_, work_, derivatives_, q_, zero_, zero_).dtau_dq;
      Eigen::VectorXd next = model_.integrate(q_, step(J, damping * J.norm()));
      into_limits(next);
      const Eigen::VectorXd r = residual(next);
      if (r.norm() < r_.norm()) {
        q_ = next;
        r_ = r;
        damping = std::max(damping / 10, 1e-12);
      } else {
        damping *= 4;
      }
    }
  }

  /// Begins again a third of a radian (or metre) along the way the robot falls from where it stands
  /// now: at a posture where no effort changes with the coordinates, nothing else shows a
  /// direction.
  void fall() {
    const double most = r_.cwiseAbs().maxCoeff();
    if (!(most > 0)) return;
    begin_at(model_.integrate(q_, -0.3 / most * r_));
  }

  /// Down the energy, where the least squares end beside an equilibrium.
  void descend(double tolerance) {
    for (int round = 0; round < 300 && r_.norm() > tolerance; ++round) {
      Eigen::VectorXd x = falling_step(stiffness_matrix(), r_, 0.2);
      for (int k = 0; k < model_.speeds(); ++k)
        if (at_limit(k, x(k))) x(k) = 0;
      bool fell = false;
      for (int halving = 0; halving < 30 && !fell; ++halving, x /= 2) {
        Eigen::VectorXd next = model_.integrate(q_, x);
        into_limits(next);
        const Eigen::VectorXd r = residual(next);
        fell = (r + r_).dot(model_.difference(q_, next)) < 0;
        if (fell) q_ = next, r_ = r;
      }
      if (!fell) return;
    }
  }

  const Eigen::VectorXd& q() const { return q_; }
  double missing() const { return r_.norm(); }
  const Eigen::VectorXd& residual() const { return r_; }
  /// Effort for a radian or metre: what efforts are compared with at an equilibrium.
  double stiffness() { return stiffness_matrix().norm(); }
  Eigen::MatrixXd stiffness_matrix() {
    return inverse_dynamics_derivatives(model_, work_, derivatives_, q_, zero_, zero_).dtau_dq;
  }
  std::vector<int> held() const {
    std::vector<int> list;
    for (int k = 0; k < model_.speeds(); ++k)
      if (at_limit(k, 1) || at_limit(k, -1)) list.push_back(k);
    return list;
  }
  int iterations = 0;

 private:
  Eigen::VectorXd residual(const Eigen::VectorXd& q) {
    return inverse_dynamics(model_, work_, q, zero_, zero_) - tau_;
  }
  bool at_limit(int speed, double sense) const {
    const int k = coordinate_[speed];
    return k >= 0 && (sense > 0 ? q_(k) >= model_.upper()(k) : q_(k) <= model_.lower()(k));
  }
  void into_limits(Eigen::VectorXd& q) const {
    for (const int k : coordinate_)
      if (k >= 0) q(k) = std::clamp(q(k), model_.lower()(k), model_.upper()(k));
  }
  Eigen::VectorXd step(Eigen::MatrixXd J, double damping) const {
    const Eigen::VectorXd gradient = J.transpose() * r_;
    for (int k = 0; k < model_.speeds(); ++k)
      if (at_limit(k, -gradient(k))) J.col(k).setZero();  // it would only leave its limits
    return damped_step(J, r_, damping, 1);
  }

  const Model& model_;
  Workspace work_;
  DerivativeWorkspace derivatives_;
  Eigen::VectorXd zero_, tau_, q_, r_;
  std::vector<int> coordinate_;  ///< of each speed, -1 for quaternions
};

}  // namespace

Equilibrium find_equilibrium_loops(const Model& model, const Eigen::VectorXd& start,
                                   const Eigen::VectorXd& tau, double tolerance);

Equilibrium find_equilibrium(const Model& model, const VectorRef& start, const VectorRef& tau,
                             double tolerance) {
  check_size(model, start, model.coordinates(), "q");
  check_efforts(model, tau);
  if (!model.loops().empty()) return find_equilibrium_loops(model, start, tau, tolerance);
  Equilibrium found;
  if (model.speeds() == 0) return {start, 0, true, {}, {}, true, {}};
  EquilibriumSearch search(model, model.normalized(start), tau);
  const double scale = effort_scale(model, search.missing(), tau.norm(), search.stiffness());
  search.run(tolerance * scale);
  if (search.missing() > 10 * tolerance * scale && search.held().empty()) {
    search.fall();
    search.run(tolerance * scale);
  }
  if (search.missing() > 10 * tolerance * scale && search.held().empty()) {
    const Eigen::VectorXd nearest = search.q();
    const double left = search.missing();
    search.begin_at(model.normalized(start));
    search.descend(tolerance * scale);
    if (search.missing() > left) search.begin_at(nearest);
  }
  found.q = model.normalized(search.q());
  found.residual = search.missing();
  found.held = search.held();
  found.found = found.residual <= 10 * tolerance * scale;
  if (!found.found) {
    std::vector<int> speeds(static_cast<std::size_t>(model.speeds()));
    std::iota(speeds.begin(), speeds.end(), 0);
    found.reason =
        unbalanced_text(model, speeds, search.q(), search.residual(), search.stiffness_matrix());
    if (!found.reason.empty()) return found;
    found.reason = found.held.empty()
                       ? fmt::format("the efforts come no nearer after {} steps", search.iterations)
                       : "the search ended at a joint limit";
    return found;
  }
  found.stable = is_stable(model, found.q, tau, 1e-7, [&] { return search.stiffness_matrix(); });
  return found;
}

}  // namespace ulna
