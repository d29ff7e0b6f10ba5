#pragma once

#include "ulna/model/robot.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// One of `postures`: its name and coordinates by joint, with units by the type of each joint.
PostureData read_posture(YamlContext& context, const YamlNode& node,
                         const std::vector<JointData>& joints);

}  // namespace ulna
