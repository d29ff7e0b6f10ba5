#pragma once
// The checks of sensors, actuators, controllers' own models and events of an experiment.

#include <vector>

#include "ulna/simulation/experiment.hpp"

namespace ulna {

void check_control(const Experiment& experiment, std::vector<Problem>& problems);

/// The same for an action that a function asks for when its event happens.
void check_action(const Experiment& experiment, const Event& event, const EventAction& action,
                  std::vector<Problem>& problems);

}  // namespace ulna
