#pragma once
// Drives of a robot with loops where nobody names them: those of the parallel robot, rather than
// the passive joints that pivoting may find.

#include <vector>

#include "ulna/kinematics/loop_closure.hpp"

namespace ulna {

/// The drives of a robot of several degrees of freedom as a parallel robot, if they are as many as
/// `found` by pivoting; else `found`. Places in all_speed_names().
ULNA_API std::vector<int> drives_rather_than_passive(const Model& model, std::vector<int> found);

/// Speeds to use as inputs at the closure's last update: all of a tree; the drives of a platform,
/// of redundant ones as many as are independent, completed by pivoting where rods spin idly.
ULNA_API std::vector<int> usual_inputs(const LoopClosure& closure);

}  // namespace ulna
