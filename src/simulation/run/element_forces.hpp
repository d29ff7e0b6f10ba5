#pragma once
// The inputs of an experiment (ElementInput) at work.

#include "ulna/simulation/experiment.hpp"
#include "ulna/simulation/internal/element_input.hpp"

namespace ulna {

/// The experiment with a copy of the robot of its own, and with inputs and controllers that set the
/// forces of the actuators of that copy; as it is where it has no inputs.
Experiment with_element_inputs(const Experiment& experiment);

/// Those among the controllers.
std::vector<const ElementInput*> inputs_of(const Experiment& experiment);

/// Times at which an input of a run may jump; none for other controllers.
std::vector<double> input_breakpoints(const Controller& controller);

/// Everything wrong with the inputs of an experiment.
void check_inputs(const Experiment& experiment, std::vector<Problem>& problems);

}  // namespace ulna
