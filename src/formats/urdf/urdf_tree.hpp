#pragma once
// A URDF is a tree: every link hangs on one joint, save one, the root. Where a link is the child of
// several joints, as people write loops by hand, it hangs on one of them and the others close
// loops.

#include <string>
#include <vector>

#include "ulna/model/robot.hpp"
#include "xml/xml_element.hpp"

namespace ulna {

/// The root link's name. Adds problems for unknown links, cycles, no root or several; then the name
/// may be empty. Joints that close loops are marked `cut` and reported. `robot.bodies` still holds
/// a link called "world".
std::string hang_urdf_tree(Robot& robot, XmlContext& context);

}  // namespace ulna
