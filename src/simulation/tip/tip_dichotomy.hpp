#pragma once
// Which solutions of the internal dynamics grow and which decay about a state of rest, on the grid
// of the inversion. docs/theory/tip-tracking.md, eq. 11-13.

#include "tip/tip_equations.hpp"

namespace ulna {

/// Differences of fourth order over five nodes (eq. 10).
inline constexpr double rate_weights[] = {1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12};
inline constexpr double acceleration_weights[] = {-1.0 / 12, 16.0 / 12, -30.0 / 12, 16.0 / 12,
                                                  -1.0 / 12};

class TipDichotomy {
 public:
  /// About x at rest on the target, with nodes at the distance h. ComputationError where the
  /// accelerations of the modes do not follow from the equations.
  TipDichotomy(TipEquations& equations, const TipTarget& target, const Eigen::VectorXd& x,
               double h);

  /// Solutions that grow; those that neither grow nor decay are not counted.
  int growing() const { return growing_; }
  /// The most solutions, `count` or fewer, that grow faster than all others: no vibration is split.
  int whole_pairs(int count) const;
  /// Rows r with r y = 0 for the modal coordinates y of four successive nodes, less their values at
  /// rest: that none but the `count` fastest growing solutions take part, and that these do not.
  Eigen::MatrixXd only_growing(int count) const { return rows(count, static_cast<int>(size_)); }
  Eigen::MatrixXd none_growing(int count) const { return rows(0, count); }

 private:
  Eigen::MatrixXd rows(int first, int last) const;

  long size_;              ///< four times the modes
  Eigen::VectorXd sizes_;  ///< of the factors by which solutions grow from node to node, falling
  Eigen::MatrixXcd left_;  ///< left eigenvectors in the same order, as columns
  int growing_ = 0;
};

}  // namespace ulna
