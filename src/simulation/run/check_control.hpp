#pragma once
// The checks of sensors, actuators, controllers' own models and events of an experiment.

#include <vector>

#include "ulna/simulation/experiment.hpp"

namespace ulna {

void check_control(const Experiment& experiment, std::vector<Problem>& problems);

}  // namespace ulna
