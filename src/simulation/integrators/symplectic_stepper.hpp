#pragma once
// A symplectic method of order 2 with fixed steps for trees, ball and free joints included: the
// variational midpoint rule on the group of the coordinates. It keeps the energy within a band over
// any time and the momenta of symmetries to rounding. docs/theory/simulation.md, eq. 95-97. Source:
// Marsden and West, Discrete mechanics and variational integrators, Acta Numerica 2001; with the
// exponential map on groups, Bou-Rabee and Marsden 2009.
//
// The interface is that of RungeKutta. Efforts and wrenches act at the middle of the step.

#include "run/mechanical_system.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

class SymplecticStepper {
 public:
  static constexpr bool keeps_history = false;
  SymplecticStepper(MechanicalSystem& system, double step);

  void start(double t, const double* y, double = 0);
  void step(double stop);
  void end_last_step_at(double t);
  void restart() {}
  void interpolate(double, double*) {}  // `check` has refused dense output

  double t() const { return t_; }
  double previous_t() const { return old_t_; }
  const double* y() const { return y_.data(); }
  double* y() { return y_.data(); }
  StepMemory memory() const { return {h_, 0}; }
  void set_memory(const StepMemory&) {}
  IntegratorStatistics statistics;

 private:
  void advance();
  void evaluate_middle(double h);
  Eigen::VectorXd momentum(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  double correct(double h, const Eigen::VectorXd& begin);
  void put_end(double h);

  MechanicalSystem& system_;
  double h_, t_ = 0, old_t_ = 0;
  Eigen::VectorXd y_, old_, middle_, rates_;
  Eigen::VectorXd twist_;    ///< constant over the step
  Eigen::VectorXd force_;    ///< dL/dq and the efforts at the middle
  Eigen::VectorXd impulse_;  ///< of the middle: M twist and half of the force
  DerivativeWorkspace derivatives_;
  dense::Cholesky mass_;
};

}  // namespace ulna
