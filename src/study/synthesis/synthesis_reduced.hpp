#pragma once
// Synthesis for methods that minimise one number: the variables (and the phase) are all they see.
// The postures at the targets follow by least squares for each design, so that the number is
//
//   f(variables) = min over the postures of |r|^2               docs/theory/synthesis.md, eq. 1-3
//
// and its gradient is 2 J' r in the variables alone, r being least in the postures. With the
// postures among the unknowns, as Gauss-Newton has them, direct search would creep along the bottom
// of the closure conditions.

#include "synthesis/synthesis_equations.hpp"
#include "ulna/numerics/internal/minimize.hpp"

namespace ulna {

class ReducedSynthesis {
 public:
  /// From a start with postures, x of SynthesisEquations.
  ReducedSynthesis(const SynthesisEquations& equations, const LeastSquaresProblem& least,
                   const Eigen::VectorXd& start);

  MinimizeProblem problem();
  Eigen::VectorXd start() const { return x_.head(size_); }
  /// With the postures that belong to these variables.
  Eigen::VectorXd whole(const Eigen::VectorXd& y);

 private:
  double value(const Eigen::VectorXd& y);
  /// x_ with y and the postures that suit it; false where y cannot be built.
  bool fit(const Eigen::VectorXd& y, Eigen::VectorXd& x, double& sum) const;

  const SynthesisEquations& equations_;
  const LeastSquaresProblem& least_;
  int size_;
  Eigen::VectorXd x_;  ///< the best so far: its postures are where the next ones begin
  double best_ = std::numeric_limits<double>::infinity();
};

}  // namespace ulna
