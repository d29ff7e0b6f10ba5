#pragma once
// A P = Q [ R11 R12 ; 0 0 ]: QR with column pivoting (Businger and Golub 1965) in storage that is
// taken once, so that neither `factor` nor what follows allocates. (Eigen's decompositions make
// temporaries when they solve.) One factorisation answers all that loops ask of a matrix of rank
// r: which columns are the most independent (the first r pivots), how these follow from the others
// (R11^-1 R12), least squares on them, and solutions of A' y = x of least norm.

#include <Eigen/Core>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

class ULNA_API PivotedQr {
 public:
  PivotedQr() = default;
  /// Storage for matrices of up to this size.
  PivotedQr(Eigen::Index rows, Eigen::Index columns);

  /// The rank counts pivots above `tolerance` times the first.
  void factor(const Eigen::Ref<const Eigen::MatrixXd>& A, double tolerance);

  int rank() const { return rank_; }
  const std::vector<int>& pivots() const { return pivots_; }  ///< columns of A, best first
  /// The last pivot kept over the first: how far the rank is from falling.
  double quality() const;

  /// b (rows) becomes R11^-1 (Q' b) in its first r entries: the dependent unknowns of A x = b with
  /// the others zero.
  void solve_dependent(Eigen::Ref<Eigen::VectorXd> b) const;
  /// Entry (i, k) of R11^-1 R12: how the column of pivot r + k is made of those of the first r.
  /// X: rank x (columns - rank).
  void dependence(Eigen::Ref<Eigen::MatrixXd> X) const;
  /// The y of least norm with A' y = x, x being in the row space; y: rows.
  void solve_transposed(const Eigen::Ref<const Eigen::VectorXd>& x,
                        Eigen::Ref<Eigen::VectorXd> y) const;

 private:
  Eigen::Index rows_ = 0, columns_ = 0;
  int rank_ = 0;
  Eigen::MatrixXd QR_;
  Eigen::VectorXd factors_, lengths_;
  mutable Eigen::VectorXd scratch_;
  std::vector<int> pivots_;
};

}  // namespace ulna
