#pragma once
// Right angles that a file gives with a few digits, made exact: 1.5708 costs a turn by two numbers
// where pi/2 costs nothing. Changes the robot, so it says what it did.

#include <string>
#include <vector>

#include "ulna/model/robot.hpp"

namespace ulna {

/// Entries of axes and of the turns of joint placements that are within `tolerance` of -1, 0 or 1
/// become so, where what results is still a rotation (to 1e-12); others stay as they are. One line
/// per change, naming joint and angle in radians. InputError for a tolerance outside (0, 0.1].
ULNA_API std::vector<std::string> snap_right_angles(Robot& robot, double tolerance);

}  // namespace ulna
