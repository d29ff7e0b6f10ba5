#pragma once
// Pattern search of Hooke and Jeeves: explore along each variable, then go on in the direction that
// helped. Needs no derivative. docs/theory/closed-loops.md, section 6.
//
// Source: Hooke, Jeeves, "Direct search" solution of numerical and statistical problems, 1961.

#include "ulna/numerics/internal/minimize.hpp"

namespace ulna {

struct HookeJeevesOptions {
  double step = 0.1;          ///< first step along every variable
  double shrink = 0.5;        ///< of the steps where nothing helps
  double least_step = 1e-12;  ///< converged when the steps get shorter than this
  double value = 0;           ///< converged when the function is at most this
  int evaluations = 200000;   ///< at most
};

ULNA_API MinimizeResult hooke_jeeves(const MinimizeProblem& problem, const Eigen::VectorXd& start,
                                     const HookeJeevesOptions& options = {});

}  // namespace ulna
