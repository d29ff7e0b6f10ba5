#pragma once
// Loops that share no speed do not know of each other: ranks, motions and choices of independent
// speeds are found for each group of coupled loops by itself. Dense linear algebra then grows with
// the largest group, not with the robot.

#include "ulna/kinematics/loop_closure.hpp"

namespace ulna {

struct LoopComponent {
  std::vector<int> loops;    ///< indices into Model::loops(), ascending
  std::vector<int> rows;     ///< of the closure equations, ascending
  std::vector<int> columns;  ///< speeds, ascending
};

/// Groups of loops that share speeds, in the order of their first loops. Speeds that no loop
/// touches are in none.
std::vector<LoopComponent> loop_components(const LoopClosure& closure);

/// The rows and columns of LoopClosure::scaled_jacobian of one group, at the last update.
Eigen::MatrixXd scaled_jacobian(const LoopClosure& closure, const LoopComponent& part);

}  // namespace ulna
