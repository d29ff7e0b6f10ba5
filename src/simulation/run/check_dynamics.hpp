#pragma once
// Whether the formulation, the closing of loops and the level of elasticity that an experiment asks
// for go with its robot and its drives.

#include <vector>

#include "ulna/simulation/experiment.hpp"

namespace ulna {

void check_dynamics(const Experiment& experiment, std::vector<Problem>& problems);

}  // namespace ulna
