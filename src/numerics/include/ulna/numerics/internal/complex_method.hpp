#pragma once
// Box's complex method: a cloud of feasible points, of which the worst is reflected through the
// centre of the others. Needs no derivative, takes bounds and any constraint, and finds minima
// among several. docs/theory/closed-loops.md, section 6.
//
// Source: Box, A new method of constrained optimization and a comparison with other methods, 1965.

#include <random>

#include "ulna/numerics/internal/minimize.hpp"

namespace ulna {

struct ComplexMethodOptions {
  int vertices = 0;  ///< 0: twice the variables, at least 6
  double reflection = 1.3;
  double spread = 1e-14;    ///< converged when vertices differ in value by less than this share
  double size = 1e-13;      ///< or in place by less than this
  double value = 0;         ///< converged when the best is at most this
  int evaluations = 50000;  ///< at most
  unsigned seed = 1;
  /// Whether a point within the bounds is allowed; one that is not moves half way to the centre.
  std::function<bool(const Eigen::VectorXd& x)> feasible;
};

/// The bounds must be finite: the first vertices are drawn between them, besides the start.
ULNA_API MinimizeResult complex_method(const MinimizeProblem& problem, const Eigen::VectorXd& start,
                                       const ComplexMethodOptions& options = {});

}  // namespace ulna
