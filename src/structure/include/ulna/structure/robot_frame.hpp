#pragma once
// The earlier name of robot_structure.hpp: a frame is a pose on a body, and this is a structure.

#include "ulna/structure/robot_structure.hpp"

namespace ulna {

using RobotFrame = RobotStructure;

}  // namespace ulna
