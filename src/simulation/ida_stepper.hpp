#pragma once
// IDA (variable-order backward differentiation for implicit systems) on the stabilised index-2 form
// of a robot with loops, after Gear, Gupta and Leimkuhler 1985 (docs/theory/simulation.md, eq. 43):
// positions and speeds are held on the loops by the equations themselves, not by projection, which
// makes it an independent check of that. Rows that depend on others are left out; which, is decided
// at every start and again when the choice comes near to failing.

#include <memory>

#include "ulna/simulation/mechanical_system.hpp"

namespace ulna {

class IdaStepper {
 public:
  IdaStepper(MechanicalSystem& system, const IntegratorOptions& options);
  ~IdaStepper();

  void start(double t, const double* y, double step = 0);
  void step(double stop);
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
  std::unique_ptr<Solver> solver_;
  double t_ = 0, old_t_ = 0, step_ = 0;
  Eigen::VectorXd y_;
  IntegratorStatistics before_;  ///< of earlier starts: SUNDIALS counts from each start
};

}  // namespace ulna
