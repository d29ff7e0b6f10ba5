#pragma once
// d rates / dy of a run, for implicit methods. docs/theory/simulation.md, eq. 94. From the
// derivatives of inverse dynamics in closed form for rigid trees on which nothing touches and whose
// efforts are functions of time; else by differences, a column an evaluation. Nothing depends on
// the works at the end of y.

#include <memory>

#include "run/mechanical_system.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

class RatesJacobian {
 public:
  explicit RatesJacobian(MechanicalSystem& system);

  /// Fills J at (t, y), where the rates are dy; returns how many evaluations of rates that took.
  long operator()(double t, const double* y, const double* dy, Eigen::MatrixXd& J);

 private:
  bool in_closed_form() const;
  long by_differences(double t, const double* y, const double* dy, Eigen::MatrixXd& J);
  void from_derivatives(double t, const double* y, Eigen::MatrixXd& J);

  MechanicalSystem& system_;
  std::shared_ptr<DerivativeWorkspace> derivatives_;
  Eigen::VectorXd trial_, moved_;
};

}  // namespace ulna
