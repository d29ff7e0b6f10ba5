#pragma once
// Which joints of a mechanism with loops have coordinates: those of the tree. Whoever wants to
// drive a joint that closes a loop has another joint of that loop cut instead.

#include <string>
#include <vector>

#include "ulna/model/robot.hpp"

namespace ulna {

/// The robot with other joints cut, so that all of these have coordinates. As it is where that is
/// the case already, or where it cannot be (every other joint of a loop is named, too).
ULNA_API Robot with_joints_in_tree(Robot robot, const std::vector<std::string>& joints);

}  // namespace ulna
