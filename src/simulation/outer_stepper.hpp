#pragma once
// What steppers around a solver with a state of its own share: the interface of RungeKutta, with
// the state as the run sees it.

#include <Eigen/Core>

#include "ulna/simulation/integrator.hpp"

namespace ulna {

class OuterStepper {
 public:
  void interpolate(double, double*) {}  // `check` has refused dense output

  double t() const { return t_; }
  double previous_t() const { return old_t_; }
  double* y() { return y_.data(); }
  StepMemory memory() const { return {step_, 0}; }
  void set_memory(const StepMemory& memory) { step_ = memory.step; }
  IntegratorStatistics statistics;

 protected:
  explicit OuterStepper(int size) : y_(size) {}

  void begin(double t, const double* from, double step) {
    t_ = old_t_ = t;
    step_ = step;
    y_ = Eigen::Map<const Eigen::VectorXd>(from, y_.size());
  }
  void take(const double* from) { y_ = Eigen::Map<const Eigen::VectorXd>(from, y_.size()); }
  /// A solver counts from each of its starts.
  void count_from_here() { before_ = statistics; }
  void count(long steps, long rejected, long evaluations) {
    statistics = {before_.steps + steps, before_.rejected + rejected,
                  before_.evaluations + evaluations};
  }

  double t_ = 0, old_t_ = 0, step_ = 0;
  Eigen::VectorXd y_;

 private:
  IntegratorStatistics before_;
};

}  // namespace ulna
