#pragma once
// Radau IIA of order 5, three stages, with error control: for stiff systems. After Hairer and
// Wanner, Solving Ordinary Differential Equations II, 2nd edition, section IV.8 (RADAU5).
// docs/theory/simulation.md, eq. 90-93. The interface is that of RungeKutta (runge_kutta.hpp);
//
//   Radau5<MySystem, MyJacobian> stepper(system, jacobian, n, {1e-8, 1e-10});
//
// where jacobian(t, y, dy, J) fills J = d rates / dy at a state whose rates are dy.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/simulation/parts/integrator.hpp"

namespace ulna {

template <class System, class Jacobian>
class Radau5 {
 public:
  /// The next step depends on the Jacobian and on the polynomial of the step before.
  static constexpr bool keeps_history = true;
  Radau5(System& system, Jacobian jacobian, int n, Tolerances tolerances,
         double largest_step = std::numeric_limits<double>::infinity())
      : system_(system),
        jacobian_(std::move(jacobian)),
        n_(n),
        tolerances_(tolerances),
        largest_step_(largest_step),
        y_(n),
        old_(n),
        f_(n),
        trial_(n),
        scale_(n),
        Z_(n, 3),
        W_(n, 3),
        F_(n, 3),
        Q_(n, 3) {}

  void start(double t, const double* y, double step = 0) {
    t_ = old_t_ = t;
    y_ = Eigen::Map<const Eigen::VectorXd>(y, n_);
    old_ = y_;
    restart();
    h_ = step > 0 ? step : first_step();
  }

  /// The state was changed from outside, or the rates jump here.
  void restart() {
    evaluate(t_, y_, f_);
    fresh_jacobian_ = false;
    has_jacobian_ = has_factors_ = has_polynomial_ = false;
    old_h_ = 0;
  }

  /// One accepted step that ends at `stop` at the latest; there exactly.
  void step(double stop) { advance(stop, 0); }

  /// The same, unless Newton's method or the projection asks for a step below `least`: false then,
  /// with the state as it was.
  bool advance(double stop, double least) {
    const Eigen::VectorXd begin = y_;
    const double from = t_;
    old_ = begin;
    old_t_ = from;
    bool rejected = false;
    while (true) {
      const double left = stop - from;
      double h = std::min(h_, largest_step_);
      const bool lands = 1.01 * h >= left;
      if (lands)
        h = left;
      else if (2 * h > left)
        h = left / 2;
      const double wanted = h_;
      if (!has_factors_ || h != factored_h_) factor(h);
      if (!solve_stages(h)) {
        ++statistics.rejected;
        rejected = true;
        if (fresh_jacobian_ && 0.5 * h < least) return false;
        fresh_jacobian_ ? shrink(0.5 * h, from) : refresh_jacobian();
        continue;
      }
      t_ = lands ? stop : from + h;
      y_ = old_ + Z_.col(2);
      double error = error_of(h, rejected);
      const double safety = 0.9 * (2 * most_rounds + 1) / (2 * most_rounds + rounds_);
      if (!(error <= 1) || !project()) {
        ++statistics.rejected;
        rejected = true;
        t_ = from;
        y_ = old_;
        if (error <= 1 && h < least) return false;
        if (error <= 1) error = 4;
        shrink(h * std::clamp(safety * factor_from(h, error), 0.2, 0.9), from);
        continue;
      }
      double grow = std::min(10.0, safety * factor_from(h, error));
      if (rejected) grow = std::min(grow, 1.0);
      const bool slow = rounds_ > 2 && rate_ > 1e-3;
      if (!slow && grow >= 1 && grow < 1.2) grow = 1;
      h_ = lands && !rejected ? std::max(wanted, h * grow) : h * grow;
      old_h_ = h;
      old_error_ = std::max(error, 1e-4);
      finish(slow);
      break;
    }
    ++statistics.steps;
    return true;
  }

  /// Takes the last step once more from its beginning, to end at `t` inside it.
  void end_last_step_at(double t) {
    const double h = t - old_t_;
    t_ = old_t_;
    y_ = old_;
    factor(h);
    bool solved = solve_stages(h);
    if (!solved) {
      evaluate(t_, y_, f_);
      refresh_jacobian();
      factor(h);
      solved = solve_stages(h);
    }
    if (solved)
      y_ = old_ + Z_.col(2);
    else
      interpolate(t, y_.data());
    t_ = t;
    project();
    evaluate(t_, y_, f_);
    fresh_jacobian_ = has_factors_ = false;
  }

  /// The state at a time within the last step: the polynomial through its stages.
  void interpolate(double t, double* y) { Eigen::Map<Eigen::VectorXd>(y, n_) = polynomial_at(t); }

  double t() const { return t_; }
  double previous_t() const { return old_t_; }
  double* y() { return y_.data(); }
  const double* y() const { return y_.data(); }
  const double* previous_y() const { return old_.data(); }
  int size() const { return n_; }

  StepMemory memory() const { return {h_, old_error_}; }
  void set_memory(const StepMemory& m) { h_ = m.step, old_error_ = m.error; }

  /// The largest eigenvalue of the Jacobian in size, by a few rounds of the power method: what an
  /// explicit method would be limited by.
  double fastest_rate() {
    if (!has_jacobian_) refresh_jacobian();
    Eigen::VectorXd x = Eigen::VectorXd::Ones(n_) / std::sqrt(std::max(n_, 1));
    double size = 0;
    for (int round = 0; round < 12; ++round) {
      trial_.noalias() = J_ * x;
      size = trial_.norm();
      if (!(size > 0)) return 0;
      x = trial_ / size;
    }
    return size;
  }

  IntegratorStatistics statistics;
  long factorizations = 0;

 private:
  static constexpr int most_rounds = 6;  ///< of Newton's method
  static constexpr double s6 = 2.449489742783178098;
  static constexpr double c_[3] = {(4 - s6) / 10, (4 + s6) / 10, 1};
  /// 1 / eigenvalues of the matrix of coefficients: one real, two conjugate (eq. 91).
  static constexpr double mu_real = 3.637834252744496;
  static constexpr double mu_re = 2.6810828736277523, mu_im = -3.050430199247411;

  static Eigen::Matrix3d T() {
    Eigen::Matrix3d m;
    m << 0.09443876248897524, -0.14125529502095421, 0.03002919410514742, 0.25021312296533332,
        0.20412935229379994, -0.38294211275726192, 1, 1, 0;
    return m;
  }
  static Eigen::Matrix3d inverse_T() {
    Eigen::Matrix3d m;
    m << 4.17871859155190428, 0.32768282076106237, 0.52337644549944951, -4.17871859155190428,
        -0.32768282076106237, 0.47662355450055044, 0.50287263494578682, -2.57192694985560522,
        0.59603920482822492;
    return m;
  }
  /// Coefficients of the polynomial through the stages, in powers of the share of the step.
  static Eigen::Matrix3d P() {
    Eigen::Matrix3d m;
    m << 13.0 / 3 + 7 * s6 / 3, -23.0 / 3 - 22 * s6 / 3, 10.0 / 3 + 5 * s6, 13.0 / 3 - 7 * s6 / 3,
        -23.0 / 3 + 22 * s6 / 3, 10.0 / 3 - 5 * s6, 1.0 / 3, -8.0 / 3, 10.0 / 3;
    return m;
  }

  void evaluate(double t, const Eigen::VectorXd& y, Eigen::Ref<Eigen::VectorXd> dy) {
    ++statistics.evaluations;
    system_.rates(t, y.data(), dy.data());
  }

  /// At (t_, y_) with the rates f_.
  void refresh_jacobian() {
    statistics.evaluations += jacobian_(t_, y_.data(), f_.data(), J_);
    fresh_jacobian_ = has_jacobian_ = true;
    has_factors_ = false;
  }

  /// The systems of Newton's method in the eigenvectors of the coefficients (eq. 91).
  void factor(double h) {
    if (!has_jacobian_) refresh_jacobian();
    real_ = -J_;
    real_.diagonal().array() += mu_real / h;
    real_factor_.compute(real_);
    pair_.resize(2 * n_, 2 * n_);
    pair_.topLeftCorner(n_, n_) = -J_;
    pair_.topLeftCorner(n_, n_).diagonal().array() += mu_re / h;
    pair_.bottomRightCorner(n_, n_) = pair_.topLeftCorner(n_, n_);
    pair_.topRightCorner(n_, n_).setZero();
    pair_.topRightCorner(n_, n_).diagonal().array() = -mu_im / h;
    pair_.bottomLeftCorner(n_, n_) = -pair_.topRightCorner(n_, n_);
    pair_factor_.compute(pair_);
    factored_h_ = h;
    ++factorizations;
    has_factors_ = true;
  }

  double norm(const Eigen::Ref<const Eigen::VectorXd>& x) const {
    return n_ > 0 ? std::sqrt(x.cwiseQuotient(scale_).squaredNorm() / n_) : 0;
  }
  void set_scale(const Eigen::VectorXd& other) {
    scale_ =
        tolerances_.absolute + tolerances_.relative * old_.array().abs().max(other.array().abs());
  }

  /// Newton's method for the stages Z (eq. 90, 91). False where it does not converge.
  bool solve_stages(double h) {
    set_scale(old_);
    const double tolerance =
        std::max(10 * std::numeric_limits<double>::epsilon() / tolerances_.relative,
                 std::min(0.03, std::sqrt(tolerances_.relative)));
    Z_.setZero();
    if (has_polynomial_)
      for (int i = 0; i < 3; ++i) Z_.col(i) = polynomial_at(old_t_ + c_[i] * h) - old_;
    W_.noalias() = Z_ * inverse_T().transpose();
    double before = 0;
    rate_ = 0;
    bool rated = false;
    for (rounds_ = 1; rounds_ <= most_rounds; ++rounds_) {
      if (!stage_rates(h)) return false;
      const double size = newton_step(h);
      if (!std::isfinite(size)) return false;
      if (rounds_ > 1) {
        rate_ = size / before;
        rated = true;
        if (rate_ >= 1 ||
            std::pow(rate_, most_rounds - rounds_ + 1) / (1 - rate_) * size > tolerance)
          return false;
      }
      W_ += F_;
      Z_.noalias() = W_ * T().transpose();
      if (size == 0 || (rated && rate_ / (1 - rate_) * size < tolerance)) return true;
      before = std::max(size, 1e-300);
    }
    return false;
  }

  /// A stage that leaves what the equations can answer fails; what it said is thrown when no
  /// smaller step is left.
  bool stage_rates(double h) {
    try {
      for (int i = 0; i < 3; ++i) {
        trial_ = old_ + Z_.col(i);
        evaluate(old_t_ + c_[i] * h, trial_, F_.col(i));
      }
    } catch (const ComputationError&) {
      failure_ = std::current_exception();
      return false;
    }
    return F_.allFinite();
  }

  /// Leaves the change of W in F and returns its size.
  double newton_step(double h) {
    const Eigen::Matrix3d inverse = inverse_T();
    F_ = (F_ * inverse.transpose()).eval();
    F_.col(0) -= mu_real / h * W_.col(0);
    F_.col(1) -= (mu_re * W_.col(1) - mu_im * W_.col(2)) / h;
    F_.col(2) -= (mu_re * W_.col(2) + mu_im * W_.col(1)) / h;
    real_factor_.solve_in_place(F_.col(0));
    Eigen::VectorXd both(2 * n_);
    both << F_.col(1), F_.col(2);
    pair_factor_.solve_in_place(both);
    F_.col(1) = both.head(n_);
    F_.col(2) = both.tail(n_);
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += F_.col(i).cwiseQuotient(scale_).squaredNorm();
    return std::sqrt(sum / std::max(3 * n_, 1));
  }

  /// Eq. 92; in a step that was refused before it is looked at more closely.
  double error_of(double h, bool rejected) {
    const Eigen::Vector3d e(-(13 + 7 * s6) / 3, -(13 - 7 * s6) / 3, -1.0 / 3);
    const Eigen::VectorXd share = Z_ * e / h;
    set_scale(y_);
    Eigen::VectorXd error = f_ + share;
    real_factor_.solve_in_place(error);
    double size = norm(error);
    if (!(size > 1) || !rejected) return size;
    trial_ = old_ + error;
    try {
      evaluate(old_t_, trial_, error);
    } catch (const ComputationError&) {
      return size;
    }
    error += share;
    real_factor_.solve_in_place(error);
    return norm(error);
  }

  /// Gustafsson's prediction (eq. 93).
  double factor_from(double h, double error) const {
    if (!(error > 0)) return 10;
    double multiplier = 1;
    if (old_h_ > 0) multiplier = h / old_h_ * std::pow(old_error_ / error, 0.25);
    return std::min(1.0, multiplier) * std::pow(error, -0.25);
  }

  /// Moves y_ back onto its manifold; false when that changes it by more than the step's error can
  /// explain.
  bool project() {
    constexpr double explained = 1000;  // in units of the tolerance
    trial_ = y_;
    Eigen::VectorXd unused = Eigen::VectorXd::Zero(n_);
    moved_ = system_.project(t_, y_.data(), unused.data());
    if (!moved_) return true;
    return norm(y_ - trial_) <= explained;
  }

  void finish(bool slow) {
    make_polynomial();
    evaluate(t_, y_, f_);
    fresh_jacobian_ = false;
    if (slow) {
      refresh_jacobian();
    } else if (h_ != factored_h_) {
      has_factors_ = false;
    }
  }

  /// Of the step that was just taken, from old_t_ to t_.
  void make_polynomial() {
    Q_.noalias() = Z_ * P();
    polynomial_t_ = old_t_;
    polynomial_h_ = t_ - old_t_;
    base_ = old_;
    has_polynomial_ = true;
  }
  Eigen::VectorXd polynomial_at(double t) const {
    const double x = (t - polynomial_t_) / polynomial_h_;
    return base_ + x * (Q_.col(0) + x * (Q_.col(1) + x * Q_.col(2)));
  }

  void shrink(double h, double from) {
    h_ = h;
    has_factors_ = false;
    if (h_ > 16 * std::numeric_limits<double>::epsilon() * std::abs(from) && h_ > 1e-300) return;
    if (failure_) std::rethrow_exception(failure_);
    refuse_step(from, h_);
  }

  double first_step() {
    set_scale(y_);
    const double d0 = norm(y_), d1 = norm(f_);
    const double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    return std::min({std::max(h, 1e-9), largest_step_, 1.0});
  }

  System& system_;
  Jacobian jacobian_;
  int n_;
  Tolerances tolerances_;
  double largest_step_;
  double t_ = 0, old_t_ = 0, h_ = 0, old_h_ = 0, old_error_ = 1e-4, factored_h_ = 0;
  double rate_ = 0, polynomial_t_ = 0, polynomial_h_ = 1;
  int rounds_ = 0;
  bool fresh_jacobian_ = false, has_jacobian_ = false, has_factors_ = false;
  bool has_polynomial_ = false, moved_ = false;
  Eigen::VectorXd y_, old_, f_, trial_, scale_, base_;
  Eigen::MatrixXd Z_, W_, F_, Q_, J_, real_, pair_;
  dense::Lu real_factor_, pair_factor_;
  std::exception_ptr failure_;
};

}  // namespace ulna
