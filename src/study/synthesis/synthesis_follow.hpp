#pragma once
// What a design that was found is worth: moved through its targets on one branch.

#include "synthesis/synthesis_equations.hpp"

namespace ulna {

/// docs/theory/synthesis.md, eq. 4, 5.
Design followed_design(const SynthesisEquations& equations, const SynthesisTask& task,
                       const Eigen::VectorXd& x);

}  // namespace ulna
