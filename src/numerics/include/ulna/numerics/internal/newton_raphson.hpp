#pragma once
// The modified Newton-Raphson method: r(x) = 0 with as many or other equations than unknowns, by
// the least-squares step of least norm, dx = -J+ r. Steps are taken whole, but no longer than a
// limit: fast near a solution, no promise far from it. docs/theory/closed-loops.md, section 6.
//
// J+ by a complete orthogonal decomposition: J'J, as the method was first written, is singular for
// redundant rows or columns.

#include "ulna/numerics/internal/least_squares.hpp"

namespace ulna {

struct NewtonRaphsonOptions {
  int iterations = 50;
  double tolerance = 1e-13;       ///< converged when |r| is at most this
  double largest_step = 1;        ///< of |dx|; longer ones are shortened
  double rank_tolerance = 1e-10;  ///< of J, relative to its largest pivot
};

/// Bounds, if any, clip every step. `held` of the result stays empty.
ULNA_API LeastSquaresResult newton_raphson(const LeastSquaresProblem& problem,
                                           const Eigen::VectorXd& start,
                                           const NewtonRaphsonOptions& options = {});

}  // namespace ulna
