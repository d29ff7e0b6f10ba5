#pragma once
// Efforts along the joints of the tree and along those that close loops.

#include "ulna/kinematics/state.hpp"

namespace ulna {

/// One per speed, zero where none is given; where joints that close loops are named, one for each
/// of closing_degrees() behind them.
ULNA_API Eigen::VectorXd named_efforts(const Model& model, const StatePart& tau);

/// InputError unless there is one effort per speed, or one per speed and closing degree.
ULNA_API void check_efforts(const Model& model, const VectorRef& efforts);

/// What such efforts are along the speeds of the tree, at the posture where `closure` stands.
ULNA_API Eigen::VectorXd efforts_on_tree(const LoopClosure& closure, const Workspace& work,
                                         const VectorRef& efforts);

}  // namespace ulna
