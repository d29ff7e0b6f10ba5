#pragma once
// `sensors` of an experiment file.

#include "ulna/simulation/experiment.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// One item of the list; one encoder of several joints adds a sensor for each.
void read_sensor(YamlContext& context, const YamlNode& node, Experiment& experiment);

}  // namespace ulna
