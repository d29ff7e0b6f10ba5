#pragma once
// Which speeds of a mechanism with loops can be chosen, and how the others follow:
// docs/theory/closed-loops.md, eq. 10-14. Ranks are decided on rows and columns of pure numbers
// (lengths over the robot's own), by QR with pivoting.

#include <algorithm>

#include "ulna/kinematics/coordinate_map.hpp"
#include "ulna/kinematics/loop_closure.hpp"

namespace ulna {

/// A singular value counts as zero below this share of the largest. Loops are closed to about
/// 1e-12, and where they are singular that leaves coordinates, hence A, accurate to its root.
inline constexpr double loop_rank_tolerance = 1e-7;
/// The same for a robot whose loops may stay open a little: its axes are askew by as much.
inline double loop_rank_tolerance_of(const Model& model) {
  return std::max(loop_rank_tolerance, 10 * model.robot().loop_tolerance);
}

struct SpeedSplit {
  std::vector<int> independent, dependent;  ///< speeds, ascending
  int rank = 0;                             ///< of A
  /// Smallest over largest singular value of the dependent columns of A: how far this choice is
  /// from failing.
  double quality = 1;
};

/// `quality` of a choice at the closure's last update, which may be another posture.
ULNA_API double quality_of(const LoopClosure& closure, const SpeedSplit& split);

/// `rank` columns of A that are independent: as many as possible of the preferred ones, then of the
/// others.
ULNA_API std::vector<int> leading_columns(const Eigen::MatrixXd& A,
                                          const std::vector<int>& preferred, int rank,
                                          double tolerance = loop_rank_tolerance);

/// By pivoting, at the closure's last update: the dependent columns are the most independent ones
/// of A.
ULNA_API SpeedSplit split_speeds(const LoopClosure& closure);
/// With these speeds independent. InputError saying how many are needed, ComputationError when they
/// do not determine the others here.
ULNA_API SpeedSplit split_speeds(const LoopClosure& closure, const std::vector<int>& independent);

/// v = G v_independent, a = G a_independent + gamma; after update_rates (or update: gamma zero).
ULNA_API CoordinateMap independent_map(const LoopClosure& closure, const SpeedSplit& split);

/// The speeds nearest to v (each measured by the robot's length) that keep the loops closed.
ULNA_API Eigen::VectorXd compatible_speeds(const LoopClosure& closure, const VectorRef& v);
/// The accelerations nearest to a with A a = b.
ULNA_API Eigen::VectorXd compatible_accelerations(const LoopClosure& closure, const VectorRef& a);

/// Speeds by the names of Model::speed_names(); InputError naming the nearest known one.
ULNA_API std::vector<int> speeds_by_name(const Model& model, const std::vector<std::string>& names);

}  // namespace ulna
