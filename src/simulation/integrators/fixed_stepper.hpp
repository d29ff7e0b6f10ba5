#pragma once
// Fixed steps: the classical Runge-Kutta method of order 4 and semi-implicit Euler, with the same
// interface as RungeKutta. Steps are divided evenly between instants at which they must end.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/mechanical_system.hpp"

namespace ulna {

class FixedStepper {
 public:
  static constexpr bool keeps_history = false;
  FixedStepper(MechanicalSystem& system, IntegratorMethod method, double step)
      : system_(system), method_(method), h_(step), y_(system.size()), old_(system.size()) {
    for (Eigen::VectorXd& k : k_) k.resize(system.size());
    trial_.resize(system.size());
  }

  void start(double t, const double* y, double = 0) {
    t_ = old_t_ = t;
    y_ = Eigen::Map<const Eigen::VectorXd>(y, y_.size());
  }
  void step(double stop) {
    const double left = stop - t_;
    const double count = std::ceil(left / h_ * (1 - 1e-9));
    old_ = y_;
    old_t_ = t_;
    t_ = count <= 1 ? stop : t_ + left / count;
    advance();
    ++statistics.steps;
  }
  void end_last_step_at(double t) {
    t_ = t;
    y_ = old_;
    advance();
  }
  void restart() {}
  void interpolate(double, double*) {}

  double t() const { return t_; }
  double previous_t() const { return old_t_; }
  const double* y() const { return y_.data(); }
  double* y() { return y_.data(); }
  StepMemory memory() const { return {h_, 0}; }
  void set_memory(const StepMemory&) {}
  IntegratorStatistics statistics;

 private:
  void advance() {
    const double h = t_ - old_t_;
    if (method_ == IntegratorMethod::semi_implicit) {
      system_.semi_implicit_step(old_t_, h, y_.data());
      ++statistics.evaluations;
      require_finite(y_);
      if (system_.projects()) project();
      return;
    }
    const auto rates = [&](double t, const Eigen::VectorXd& y, Eigen::VectorXd& k) {
      require_finite(y);
      system_.rates(t, y.data(), k.data());
      ++statistics.evaluations;
    };
    rates(old_t_, old_, k_[0]);
    trial_ = old_ + h / 2 * k_[0];
    rates(old_t_ + h / 2, trial_, k_[1]);
    trial_ = old_ + h / 2 * k_[1];
    rates(old_t_ + h / 2, trial_, k_[2]);
    trial_ = old_ + h * k_[2];
    rates(t_, trial_, k_[3]);
    y_ = old_ + h / 6 * (k_[0] + 2 * (k_[1] + k_[2]) + k_[3]);
    require_finite(y_);
    project();
  }

  void require_finite(const Eigen::VectorXd& y) const {
    if (y.allFinite()) return;
    throw ComputationError(
        fmt::format("the step of {:.3g} s from t = {:.9g} s leads to a state that is not finite; "
                    "expected shorter steps, or a method that controls their error",
                    t_ - old_t_, old_t_));
  }

  /// There is no smaller step to try.
  void project() {
    system_.project(t_, y_.data(), k_[3].data());
    if (!system_.trouble.empty())
      throw ComputationError(fmt::format("the step from t = {:.9g} s fails", old_t_));
  }

  MechanicalSystem& system_;
  IntegratorMethod method_;
  double h_, t_ = 0, old_t_ = 0;
  Eigen::VectorXd y_, old_, trial_, k_[4];
};

}  // namespace ulna
