#pragma once
// One search from one start, by each method.

#include "ulna/kinematics/assembly.hpp"

namespace ulna {

struct SearchOutcome {
  Eigen::VectorXd q;
  int iterations = 0, evaluations = 0;
};

/// From `start`; coordinates that are not `free` (by speed) keep their value.
SearchOutcome search_closure(LoopClosure& closure, Workspace& work, const AssemblyOptions& options,
                             const std::vector<int>& free, const Eigen::VectorXd& start);

}  // namespace ulna
