#pragma once
// A solver of SUNDIALS behind the interface of RungeKutta: the run sees the state of the mechanical
// system only, and statistics that go on over restarts.

#include <Eigen/Core>
#include <memory>

#include "ulna/simulation/parts/integrator.hpp"

namespace ulna {

class MechanicalSystem;
class SundialsSolver;

class SundialsStepper {
 public:
  /// The next step depends on earlier ones, not on the state and StepMemory alone.
  static constexpr bool keeps_history = true;
  SundialsStepper(MechanicalSystem& system, IntegratorMethod method,
                  const IntegratorOptions& options);
  ~SundialsStepper();

  void start(double t, const double* y, double step = 0);
  void step(double stop);
  /// From the solver's dense output.
  void end_last_step_at(double t);
  void restart();
  void interpolate(double, double*) {}  // `check` has refused dense output

  double t() const { return t_; }
  double previous_t() const { return old_t_; }
  double* y() { return y_.data(); }
  StepMemory memory() const { return {step_, 0}; }
  void set_memory(const StepMemory& memory) {
    step_ = memory.step;
    restart();
  }
  IntegratorStatistics statistics;

 private:
  void arrive(double t);
  double advance(double stop);

  std::unique_ptr<SundialsSolver> solver_;
  double t_ = 0, old_t_ = 0, step_ = 0;
  Eigen::VectorXd y_;
  bool fresh_ = true;            ///< no step was taken since the last start
  IntegratorStatistics before_;  ///< of the last start: a solver counts from there
};

}  // namespace ulna
