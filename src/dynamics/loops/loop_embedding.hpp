#pragma once
// The independent speeds of a mechanism with loops and how the others follow, v = G v_i and a = G
// a_i + gamma (docs/theory/closed-loops.md, eq. 10, 11), from one pivoted QR of the scaled A, in
// storage that is taken once. The same factors give the minimum-norm multipliers (eq. 19).

#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/numerics/internal/pivoted_qr.hpp"

namespace ulna {

class LoopEmbedding {
 public:
  explicit LoopEmbedding(const LoopClosure& closure);

  /// At the closure's last update_rates.
  void update();

  int rank() const { return qr_.rank(); }
  int dof() const { return n_ - rank(); }
  const std::vector<int>& independent() const { return independent_; }  ///< ascending
  auto G() const { return G_.leftCols(dof()); }  ///< columns in the order of `independent`
  const Eigen::VectorXd& gamma() const { return gamma_; }

  /// y = G' x
  void to_independent(const Eigen::VectorXd& x, Eigen::Ref<Eigen::VectorXd> y) const {
    y = G().transpose().lazyProduct(x);
  }
  /// minimum-norm lambda (in pure numbers) with A' lambda = rest, which does no work along G.
  void multipliers(const Eigen::VectorXd& rest, Eigen::VectorXd& lambda);

 private:
  const LoopClosure& closure_;
  int n_;
  PivotedQr qr_;
  Eigen::MatrixXd scaled_, dependence_, G_;
  Eigen::VectorXd gamma_, right_, rest_;
  std::vector<int> independent_;
};

}  // namespace ulna
