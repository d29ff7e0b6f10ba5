#pragma once
// One item of `constraints` in a robot file: a rod between two points, or a coupling of joints.

#include <vector>

#include "ulna/model/robot.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// `joints`: those of the file, for the units of a coupling's offset.
ConstraintData read_constraint(YamlContext& context, const YamlNode& node,
                               const std::vector<JointData>& joints);

}  // namespace ulna
