#pragma once
// An explicit method that gives way to Radau 5 where the equations are stiff, and comes back where
// they are not. docs/theory/simulation.md, section "Stiffness".
//
// Stiffness is looked for after every explicit step (RungeKutta::stiffness): fifteen steps at the
// border of stability, without six others in a row. The implicit method then takes over on trial:
// it stays if it gets further for the same cost, and until an explicit method could take its steps.
//
// Where the implicit method cannot be solved but with tiny steps, as next to a singular posture of
// loops, whose rates differences cannot differentiate, the explicit one takes a few steps for it.

#include <algorithm>

#include "run/rates_jacobian.hpp"
#include "ulna/simulation/kernels/radau5.hpp"
#include "ulna/simulation/kernels/runge_kutta.hpp"

namespace ulna {

template <class Tableau>
class AutomaticStepper {
 public:
  /// `stiff`: the implicit method from the start, and for good.
  AutomaticStepper(MechanicalSystem& system, const IntegratorOptions& options, bool stiff = false)
      : system_(system),
        always_stiff_(stiff),
        stiff_(stiff),
        explicit_(system, system.size(), options.tolerances, options.largest_step),
        implicit_(system, RatesJacobian(system), system.size(), options.tolerances,
                  options.largest_step) {}

  bool keeps_history() const { return stiff_; }

  void start(double t, const double* y, double step = 0) {
    hops_ = 0;
    stiff_ ? implicit_.start(t, y, step) : explicit_.start(t, y, step);
    changes_ = false;
    add_up();
  }

  void step(double stop) {
    if (changes_) change();
    if (stiff_) {
      implicit_step(stop);
    } else {
      explicit_.step(stop);
      changes_ = meets_stiffness();
    }
    add_up();
  }
  void end_last_step_at(double t) {
    by_implicit() ? implicit_.end_last_step_at(t) : explicit_.end_last_step_at(t);
    changes_ = false;
    add_up();
  }
  void restart() {
    if (hops_ > 0) return_from_hop();
    stiff_ ? implicit_.restart() : explicit_.restart();
    add_up();
  }
  void restart_with_other_equations() {
    if (stiff_) return restart();
    explicit_.restart_with_other_equations();
    add_up();
  }
  void interpolate(double t, double* y) {
    by_implicit() ? implicit_.interpolate(t, y) : explicit_.interpolate(t, y);
    add_up();
  }

  double t() const { return by_implicit() ? implicit_.t() : explicit_.t(); }
  double previous_t() const {
    return by_implicit() ? implicit_.previous_t() : explicit_.previous_t();
  }
  double* y() { return by_implicit() ? implicit_.y() : explicit_.y(); }
  const double* y() const { return by_implicit() ? implicit_.y() : explicit_.y(); }
  const double* previous_y() const {
    return by_implicit() ? implicit_.previous_y() : explicit_.previous_y();
  }

  StepMemory memory() const {
    StepMemory m = by_implicit() ? implicit_.memory() : explicit_.memory();
    m.stiffness = {double(stiff_),      double(changes_), double(border_),   double(quiet_),
                   double(wait_),       double(taken_),   double(failures_), mark_t_,
                   cost() - mark_cost_, explicit_pace_,   stiff_from,        usual_};
    return m;
  }
  void set_memory(const StepMemory& m) {
    const double at = t();
    const Eigen::VectorXd now = Eigen::Map<const Eigen::VectorXd>(y(), explicit_.size());
    stiff_ = always_stiff_ || m.stiffness[0] != 0;
    changes_ = m.stiffness[1] != 0;
    border_ = static_cast<int>(m.stiffness[2]);
    quiet_ = static_cast<int>(m.stiffness[3]);
    wait_ = static_cast<long>(m.stiffness[4]);
    taken_ = static_cast<long>(m.stiffness[5]);
    failures_ = static_cast<int>(m.stiffness[6]);
    mark_t_ = m.stiffness[7];
    explicit_pace_ = m.stiffness[9];
    stiff_from = m.stiffness[10];
    usual_ = m.stiffness[11];
    if (stiff_ && !always_stiff_) implicit_.start(at, now.data(), m.step);
    stiff_ ? implicit_.set_memory(m) : explicit_.set_memory(m);
    mark_cost_ = cost() - m.stiffness[8];
    add_up();
  }

  IntegratorStatistics statistics;
  double stiff_from = -1;  ///< when the implicit method first took over; below zero: never

 private:
  static constexpr long trial = 20;  ///< implicit steps after which it is judged

  /// The cost of an explicit step by that of an evaluation is its evaluations; an implicit one has
  /// its linear algebra besides, about five evaluations a factorization.
  double cost() const {
    return stiff_ ? static_cast<double>(implicit_.statistics.evaluations) * 1.5 +
                        5.0 * static_cast<double>(implicit_.factorizations)
                  : static_cast<double>(explicit_.statistics.evaluations);
  }
  void mark() {
    mark_t_ = t();
    mark_cost_ = cost();
  }
  double pace() const { return (t() - mark_t_) / std::max(cost() - mark_cost_, 1.0); }

  /// The last step was one of the implicit method.
  bool by_implicit() const { return stiff_ && hops_ == 0; }

  void implicit_step(double stop) {
    constexpr int few = 5;
    if (hops_ == few) return_from_hop();
    const bool singular = system_.constraints().closing().margin() < 0.05;
    if (hops_ == 0 && implicit_.advance(stop, (singular ? 0.5 : 1e-2) * usual_)) {
      usual_ = std::max(implicit_.t() - implicit_.previous_t(), 0.9 * usual_);
      if (always_stiff_) return;
      if (++taken_ == trial / 2) mark();
      changes_ = taken_ == trial ? fails_trial() : taken_ % 100 == 0 && is_easy();
      return;
    }
    if (hops_ == 0) explicit_.start(implicit_.t(), implicit_.y(), usual_);
    ++hops_;
    explicit_.step(stop);
  }
  void return_from_hop() {
    hops_ = 0;
    implicit_.start(explicit_.t(), explicit_.y(), explicit_.memory().step);
  }

  bool meets_stiffness() {
    if (wait_ > 0) {
      --wait_;
      return false;
    }
    if (!(explicit_.stiffness() > Tableau::suspect)) {
      if (++quiet_ == 6) border_ = 0;
      return false;
    }
    quiet_ = 0;
    if (++border_ == 1) mark();
    if (border_ < 15) return false;
    explicit_pace_ = pace();
    return true;
  }

  /// It began with the short steps of the explicit method: the second half counts.
  bool fails_trial() {
    if (pace() > 1.5 * explicit_pace_) {
      failures_ = 0;
      return false;
    }
    wait_ = 1000L << std::min(failures_++, 10);
    return true;
  }

  /// An explicit method would be stable with such steps.
  bool is_easy() {
    return implicit_.fastest_rate() * (implicit_.t() - implicit_.previous_t()) < Tableau::suspect;
  }

  void change() {
    const double at = t(), h = stiff_ ? implicit_.memory().step : explicit_.memory().step;
    const Eigen::VectorXd y_now = Eigen::Map<const Eigen::VectorXd>(y(), explicit_.size());
    stiff_ = !stiff_;
    changes_ = false;
    border_ = quiet_ = 0;
    taken_ = 0;
    if (stiff_) {
      implicit_.start(at, y_now.data(), h);
      if (stiff_from < 0) stiff_from = at;
    } else {
      explicit_.start(at, y_now.data());
    }
    mark();
  }

  /// What both have done since the last time; a run that was resumed goes on counting.
  void add_up() {
    const IntegratorStatistics &a = explicit_.statistics, &b = implicit_.statistics;
    const IntegratorStatistics now{a.steps + b.steps, a.rejected + b.rejected,
                                   a.evaluations + b.evaluations};
    statistics.steps += now.steps - counted_.steps;
    statistics.rejected += now.rejected - counted_.rejected;
    statistics.evaluations += now.evaluations - counted_.evaluations;
    counted_ = now;
  }

  MechanicalSystem& system_;
  bool always_stiff_, stiff_;
  RungeKutta<Tableau, MechanicalSystem> explicit_;
  Radau5<MechanicalSystem, RatesJacobian> implicit_;
  IntegratorStatistics counted_;
  bool changes_ = false;
  int hops_ = 0;      ///< steps that the explicit method has taken for the implicit one
  double usual_ = 0;  ///< about the largest of the last implicit steps
  int border_ = 0, quiet_ = 0, failures_ = 0;
  long wait_ = 0, taken_ = 0;
  double mark_t_ = 0, mark_cost_ = 0, explicit_pace_ = 0;
};

}  // namespace ulna
