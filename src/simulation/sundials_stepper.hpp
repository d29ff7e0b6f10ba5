#pragma once
// ARKODE's explicit Runge-Kutta and CVODE's BDF behind the interface of RungeKutta. SUNDIALS calls
// back through C: what the system throws is kept, a failure returned, and the exception thrown
// again here. SUNDIALS' own messages are not printed.

#include <memory>

#include "ulna/simulation/mechanical_system.hpp"

namespace ulna {

class SundialsStepper {
 public:
  SundialsStepper(MechanicalSystem& system, IntegratorMethod method,
                  const IntegratorOptions& options);
  ~SundialsStepper();

  void start(double t, const double* y, double step = 0);
  void step(double stop);
  /// From the solver's dense output.
  void end_last_step_at(double t);
  void restart();
  void interpolate(double, double*) {}

  double t() const { return t_; }
  double previous_t() const { return old_t_; }
  double* y() { return y_.data(); }
  StepMemory memory() const { return {step_, 0}; }
  void set_memory(const StepMemory& memory) { step_ = memory.step; }
  IntegratorStatistics statistics;

  struct Solver;

 private:
  void count();
  void take_state();
  std::unique_ptr<Solver> solver_;
  double t_ = 0, old_t_ = 0, step_ = 0;
  Eigen::VectorXd y_, unused_rates_;
  IntegratorStatistics before_;  ///< of earlier starts: SUNDIALS counts from each start
};

}  // namespace ulna
