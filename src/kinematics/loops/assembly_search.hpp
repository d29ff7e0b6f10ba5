#pragma once
// One search from one start, by each method.

#include "loops/assembly_equations.hpp"
#include "loops/posture_methods.hpp"

namespace ulna {

/// From `start`; coordinates that are not `free` (by speed) keep their value.
SearchOutcome search_closure(AssemblyEquations& equations, const AssemblyOptions& options,
                             const std::vector<int>& free, const Eigen::VectorXd& start);

}  // namespace ulna
