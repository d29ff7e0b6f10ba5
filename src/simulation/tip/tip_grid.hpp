#pragma once
// The boundary-value problem of the stable inversion: the equations of all nodes at once, with the
// dichotomy of the internal dynamics at both ends. docs/theory/tip-tracking.md, eq. 9-13.

#include <vector>

#include "tip/tip_dichotomy.hpp"

namespace ulna {

/// Nodes of equal steps h; the frame begins to move at `preview` after the third node and the last
/// two nodes lie beyond the grid, like the first two.
class TipGrid {
 public:
  TipGrid(TipEquations& equations, double end, double h, double preview);

  long nodes() const { return nodes_; }
  double h() const { return h_; }
  double preview() const { return preview_; }
  /// Of the motion: negative before it begins.
  double time(long k) const { return static_cast<double>(k - 2) * h_ - preview_; }
  const TipTarget& target(long k) const { return targets_[static_cast<std::size_t>(k)]; }

  /// The deflection without vibration at every node (eq. 15), and the dichotomy at both ends.
  void start_quasi_static(const Eigen::VectorXd& rest);
  /// From the solution of another grid of this motion, and its states of rest.
  void start_from(const TipGrid& other);
  /// The largest difference from it at its nodes.
  double change_from(const TipGrid& other) const;
  /// The motion of another amplitude on the same nodes.
  void aim(double amplitude);
  /// Newton's iteration with shortened steps; false where it does not converge.
  bool solve();
  int iterations() const { return iterations_; }

  Eigen::VectorXd at(long k) const { return x_.row(k).transpose(); }
  /// For nodes 2 to nodes - 3.
  void differentiate(long k, Eigen::VectorXd& v, Eigen::VectorXd& a) const;
  const Eigen::MatrixXd& x() const { return x_; }
  void restore(const Eigen::MatrixXd& x) { x_ = x; }

 private:
  void find_ends();
  Eigen::VectorXd between(double t) const;
  long first_row(long k) const { return k * N_ + shift_; }
  Eigen::VectorXd residual();
  Eigen::VectorXd newton_step(Eigen::VectorXd& residual);
  void fill_ends(class BandLu* system, Eigen::VectorXd& residual);

  TipEquations& equations_;
  double end_, h_, preview_;
  long n_, N_, nodes_;
  int iterations_ = 0;
  std::vector<TipTarget> targets_;
  Eigen::VectorXd start_, stop_;    ///< states of rest
  Eigen::MatrixXd before_, after_;  ///< rows of the dichotomy at the ends
  long shift_ = 0;                  ///< rows before those of the third node, less 2 N
  Eigen::MatrixXd x_;               ///< one row for each node
};

}  // namespace ulna
