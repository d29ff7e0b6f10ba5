#pragma once
// Independent speeds of a mechanism with loops that contain given ones.

#include "ulna/kinematics/independent_speeds.hpp"

namespace ulna {

/// With these speeds independent and, where the robot has more degrees of freedom, others by
/// pivoting, modal speeds first. ComputationError when the loops bind the chosen ones to each
/// other.
ULNA_API SpeedSplit split_speeds_around(const LoopClosure& closure, const std::vector<int>& chosen);

}  // namespace ulna
