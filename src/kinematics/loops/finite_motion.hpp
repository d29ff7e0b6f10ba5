#pragma once
// Finite motions of a mechanism with loops through a posture, one part (loops that share speeds) at
// a time: how much of the freedom that the rank of the closure leaves can be continued, and along
// which branches where the posture is singular. docs/theory/closed-loops.md.

#include "loops/loop_components.hpp"
#include "ulna/kinematics/internal/loop_elimination.hpp"
#include "ulna/kinematics/mobility.hpp"

namespace ulna {

using LoopParts = std::vector<LoopComponent>;

/// Singular values and least norms grow with the third power of a part's speeds; larger parts are
/// eliminated loop by loop, at a cost that grows as they do.
bool is_large(const LoopComponent& part);
bool any_large(const LoopParts& parts);
int rank_of(const LoopComponent& part, const LoopElimination& all);

/// Finite motions of one part through a posture.
struct PartMotion {
  Eigen::MatrixXd null_space;  ///< columns of the part x dof
  int full_cycle_dof = 0;
  bool determined = true;
  std::vector<MotionBranch> branches;  ///< at a singular posture; directions of the part

  int dof() const { return static_cast<int>(null_space.cols()); }

  /// An orthonormal basis, what can be continued first.
  Eigen::MatrixXd directions() const;
};

/// Completes the motions, whose null spaces are given, by what can be continued from q, where
/// `closure` stands.
void find_finite_motions(const VectorRef& q, const LoopParts& parts, LoopClosure& closure,
                         Workspace& work, std::vector<PartMotion>& motions);

}  // namespace ulna
