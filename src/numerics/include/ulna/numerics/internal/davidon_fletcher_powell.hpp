#pragma once
// The variable metric method of Davidon, Fletcher and Powell: descent along -H g, where H grows
// into the inverse of the second derivatives. docs/theory/closed-loops.md, section 6.
//
// Source: Fletcher, Powell, A rapidly convergent descent method for minimization, 1963. Steps obey
// Wolfe's conditions, without which H would not stay positive.

#include "ulna/numerics/internal/minimize.hpp"

namespace ulna {

struct DavidonFletcherPowellOptions {
  int iterations = 2000;
  double gradient = 1e-14;  ///< converged when |g| is at most this
  double value = 0;         ///< or the function is at most this
};

/// Bounds are not taken. `problem.gradient` is needed.
ULNA_API MinimizeResult davidon_fletcher_powell(const MinimizeProblem& problem,
                                                const Eigen::VectorXd& start,
                                                const DavidonFletcherPowellOptions& options = {});

}  // namespace ulna
