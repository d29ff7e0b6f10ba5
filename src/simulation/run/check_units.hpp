#pragma once
// Whether the units in the formulas of an experiment are those of what they drive: an angle or a
// length for motions, a torque or a force for efforts.

#include <vector>

#include "ulna/simulation/experiment.hpp"

namespace ulna {

void check_units(const Experiment& experiment, std::vector<Problem>& problems);

}  // namespace ulna
