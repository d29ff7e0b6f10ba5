#pragma once
// Independent speeds of mechanisms with many loops: sparse elimination, loop after loop, instead of
// the dense QR of independent_speeds.hpp. Each loop's rows are freed of the speeds that earlier
// loops have made dependent, and the largest entries left in them make its own. The cost grows with
// the entries that this leaves: linearly for loops that are coupled in a row.
// docs/theory/closed-loops.md, eq. 10.

#include "ulna/kinematics/independent_speeds.hpp"

namespace ulna {

/// At the closure's last update. `quality` is the smallest pivot over the largest entry of its
/// loop, an estimate from above of what split_speeds gives.
ULNA_API SpeedSplit split_speeds_by_loops(const LoopClosure& closure);

/// All that the elimination knows, in scaled speeds, at the closure's last update.
struct LoopElimination {
  SpeedSplit split;
  std::vector<int> adds;       ///< independent rows that each loop adds to those before it
  double dropped = 0;          ///< largest pivot left out, over the largest entry of its loop
  Eigen::VectorXd correction;  ///< x with A x = -r to first order, in the dependent speeds alone
  /// Directions of motion, one for each independent speed: speeds x independent. Empty unless asked
  /// for.
  Eigen::MatrixXd null_space;
};
ULNA_API LoopElimination eliminate_loops(const LoopClosure& closure, double tolerance,
                                         bool with_null_space);

}  // namespace ulna
