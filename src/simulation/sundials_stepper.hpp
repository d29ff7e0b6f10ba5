#pragma once
// ARKODE's explicit Runge-Kutta and CVODE's BDF behind the interface of RungeKutta.

#include <memory>

#include "outer_stepper.hpp"
#include "ulna/simulation/mechanical_system.hpp"

namespace ulna {

class SundialsStepper : public OuterStepper {
 public:
  SundialsStepper(MechanicalSystem& system, IntegratorMethod method,
                  const IntegratorOptions& options);
  ~SundialsStepper();

  void start(double t, const double* y, double step = 0);
  void step(double stop);
  /// From the solver's dense output.
  void end_last_step_at(double t);
  void restart();

  struct Solver;

 private:
  void count_steps();
  void take_state();
  std::unique_ptr<Solver> solver_;
  Eigen::VectorXd unused_rates_;
};

}  // namespace ulna
