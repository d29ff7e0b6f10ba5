#pragma once
// The key `drive` of a joint: a gear or belt that gives (model/elastic_drive.hpp).

#include "ulna/model/robot.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// Splits the last joint of the robot, read from `node`, if that has a drive.
void read_elastic_drive(YamlContext& context, const YamlNode& node, Robot& robot);

}  // namespace ulna
