#pragma once
// P A P' = L D L' of a sparse symmetric matrix, fill reduced by an approximate minimum degree
// order. There is no pivoting for size: A is definite, or its pivots tell that it is not.

#include <memory>

#include "ulna/elastic/parts/system_matrices.hpp"

namespace ulna::elastic {

class ULNA_API SparseFactor {
 public:
  SparseFactor();  ///< of no rows
  /// Reads the lower triangle.
  explicit SparseFactor(const SparseMatrix& A);
  SparseFactor(SparseFactor&&) noexcept;
  SparseFactor& operator=(SparseFactor&&) noexcept;
  ~SparseFactor();

  int size() const { return size_; }
  /// False: a pivot is zero.
  bool ok() const;
  /// D, each pivot in the place of its row of A. By Sylvester's law of inertia as many are negative
  /// as A has negative eigenvalues; one that is tiny beside its diagonal entry lost all digits.
  Eigen::VectorXd pivots() const;

  /// x with A x = b, a vector or several as columns.
  template <class Derived>
  Eigen::Matrix<double, Eigen::Dynamic, Derived::ColsAtCompileTime> solve(
      const Eigen::MatrixBase<Derived>& b) const {
    Eigen::Matrix<double, Eigen::Dynamic, Derived::ColsAtCompileTime> x(size_, b.cols());
    solve_into(b.derived(), x);
    return x;
  }
  void solve_into(const Eigen::Ref<const Eigen::MatrixXd>& b, Eigen::Ref<Eigen::MatrixXd> x) const;

 private:
  struct Factor;
  std::unique_ptr<Factor> factor_;
  int size_ = 0;
};

}  // namespace ulna::elastic
