#pragma once
// `actuators` of an experiment file.

#include "ulna/simulation/experiment.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// The actuator of one speed; `element` names it.
void read_actuator(YamlContext& context, const YamlNode& node, int joint, Experiment& experiment);

}  // namespace ulna
