#pragma once
// A URDF is a tree: every link hangs on one joint, save one, the root.

#include <string>
#include <vector>

#include "problems.hpp"
#include "ulna/model/robot.hpp"

namespace ulna {

/// The root link's name. Adds problems for unknown links, several parents, cycles, no root or
/// several; then the name may be empty. `robot.bodies` still holds a link called "world".
std::string check_urdf_tree(const Robot& robot, Problems& problems);

}  // namespace ulna
