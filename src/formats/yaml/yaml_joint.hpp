#pragma once
// One item of `joints` in a robot file.

#include <map>
#include <string>

#include "ulna/model/robot.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// Poses of bodies in the world at q = 0 (key `at_zero`), for joints given by `screw_axis`.
using ZeroPoses = std::map<std::string, Pose<double>>;

/// Whether the first degree of freedom of such a joint is a length.
bool first_slides(JointType type);

JointData read_joint(YamlContext& context, const YamlNode& node, const ZeroPoses& zero_poses);

}  // namespace ulna
