#pragma once
// The key `transmission` of a joint (`drive` in earlier files): an elastic gear or belt
// (model/elastic_drive.hpp).

#include "ulna/model/robot.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// Splits the last joint of the robot, read from `node`, if that has an elastic transmission.
void read_elastic_drive(YamlContext& context, const YamlNode& node, Robot& robot);

}  // namespace ulna
