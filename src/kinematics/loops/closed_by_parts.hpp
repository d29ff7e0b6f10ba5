#pragma once
// Closes mechanisms of many speeds by Newton's method on each group of coupled loops by itself: the
// dense least squares of a whole robot grow with the third power of its speeds.

#include <optional>

#include "ulna/kinematics/loop_closure.hpp"

namespace ulna {

/// A closed posture near q, within the limits of the joints; none where the iteration does not find
/// one. All coordinates may move.
std::optional<Eigen::VectorXd> closed_by_parts(LoopClosure& closure, Workspace& work,
                                               Eigen::VectorXd q, double tolerance);

}  // namespace ulna
