#pragma once
// One item of `controllers` of an experiment file.

#include "ulna/simulation/experiment.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// Null, with the problem noted, when it cannot be read.
std::shared_ptr<const Controller> read_controller(YamlContext& context, const YamlNode& node,
                                                  const Experiment& experiment);

}  // namespace ulna
