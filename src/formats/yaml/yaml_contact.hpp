#pragma once
// `contacts` and `nonholonomic` of an experiment file.

#include "ulna/simulation/experiment.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// Adds those of `map`, the whole file, to the experiment, whose robot is known already.
void read_contacts(YamlContext& context, const YamlMap& map, Experiment& experiment);

}  // namespace ulna
