#pragma once
// Drives of a robot with loops where nobody names them: those of the parallel robot, rather than
// the passive joints that pivoting may find.

#include <vector>

#include "ulna/kinematics/loop_closure.hpp"

namespace ulna {

/// The drives of a robot of several degrees of freedom as a parallel robot in the place of as many
/// that pivoting `found`; where it has more degrees of freedom than its platform (a tool that
/// turns, rods that spin) with others besides, hinges and slides on the base first. Else `found`.
/// Places in all_speed_names(); q closes the loops.
ULNA_API std::vector<int> drives_rather_than_passive(const Model& model, const VectorRef& q,
                                                     const std::vector<int>& found);

/// Speeds to use as inputs at the closure's last update: all of a tree; the drives of a platform,
/// of redundant ones as many as are independent, completed by pivoting where rods spin idly.
ULNA_API std::vector<int> usual_inputs(const LoopClosure& closure);

}  // namespace ulna
