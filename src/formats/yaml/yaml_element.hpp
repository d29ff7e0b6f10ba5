#pragma once
// One item of `elements` in a robot file: a spring-damper, actuator, bushing or torsion spring.

#include <string>

#include "ulna/model/robot.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

ElementData read_element(YamlContext& context, const YamlNode& node);

/// Its lines in a robot file after the one with its name. `pose` writes a pose as `at` has it.
std::string write_element(const ElementData& element, std::string (*pose)(const Pose<double>&));

}  // namespace ulna
