#pragma once
// IDA (variable-order backward differentiation for implicit systems) on the stabilised index-2 form
// of a robot with loops, after Gear, Gupta and Leimkuhler 1985 (docs/theory/simulation.md, eq. 43):
// positions and speeds are held on the loops by the equations themselves, not by projection, which
// makes it an independent check of that. Rows that depend on others are left out; which, is decided
// at every start and again when the choice comes near to failing.

#include <memory>

#include "outer_stepper.hpp"
#include "ulna/simulation/mechanical_system.hpp"

namespace ulna {

class IdaStepper : public OuterStepper {
 public:
  IdaStepper(MechanicalSystem& system, const IntegratorOptions& options);
  ~IdaStepper();

  void start(double t, const double* y, double step = 0);
  void step(double stop);
  void end_last_step_at(double t);
  void restart();

  struct Solver;

 private:
  void count_steps();
  std::unique_ptr<Solver> solver_;
};

}  // namespace ulna
