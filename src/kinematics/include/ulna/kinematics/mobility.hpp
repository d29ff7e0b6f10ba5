#pragma once
// How a mechanism with loops can move: from the rank of its closure equations at a posture, by
// moving along what that rank leaves free, and at singular postures by the closure equations to
// second order. docs/theory/closed-loops.md, section 5. Counting joints (Gruebler) is reported
// beside it and is often wrong.

#include <string>
#include <vector>

#include "ulna/kinematics/loop_closure.hpp"

namespace ulna {

struct LoopMobility {
  std::string name;  ///< of the closing joint or constraint
  int rows = 0;      ///< directions that it holds
  int rank = 0;      ///< of its own rows
  /// Of the whole-loop matrix, with a column for each degree of freedom of all joints of the loop
  /// the closing one included (6 x n): rank and what the closing joint itself has.
  int loop_rank = 0;
  int adds = 0;    ///< what it adds to the rank of the loops before it
  int speeds = 0;  ///< of the tree that it couples
  bool dependent() const { return adds < rank; }  ///< its closure follows partly from others
};

/// A motion of finite length that begins at a singular posture.
struct MotionBranch {
  Eigen::VectorXd direction;  ///< speeds; the reverse is a motion, too, where `both` says so
  int dof = 0;                ///< freedom along it
  bool both = false;
};

struct Mobility {
  int speeds = 0;     ///< of the open tree
  int rows = 0;       ///< of all loops
  int rank = 0;       ///< of all loops together, here
  int dof = 0;        ///< speeds - rank: freedom at this posture
  int gruebler = 0;   ///< speeds - rows: what counting says
  double margin = 0;  ///< smallest singular value kept over the largest dropped
  /// Freedom of motions of finite length through this posture: less than `dof` where it is
  /// singular.
  int full_cycle_dof = 0;
  /// False where second order does not decide: full_cycle_dof is then 0 and means nothing.
  bool determined = true;
  /// At a singular posture, the branches that were found; more than one cross at a bifurcation.
  std::vector<MotionBranch> branches;
  std::vector<LoopMobility> loops;
  /// Directions of motion at this posture, one column each: speeds x dof. The first ones can be
  /// continued, the last dof - full_cycle_dof are singular.
  Eigen::MatrixXd directions;
  std::vector<int> independent;  ///< speeds found by pivoting

  bool singular() const { return full_cycle_dof < dof; }
};

/// At a closed posture.
ULNA_API Mobility mobility(const Model& model, const VectorRef& q);

/// "robot 'truss' is a rigid structure: ...", for a robot whose loops leave no freedom.
ULNA_API std::string rigid_structure_text(const Model& model);

/// What is worth a sentence: a rigid structure, closures that depend on others, a singular posture.
ULNA_API std::vector<std::string> mobility_notes(const Model& model, const Mobility& mobility);

}  // namespace ulna
