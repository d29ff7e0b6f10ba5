#pragma once
// LDL' of a sparse symmetric matrix whose pattern stays and whose values change: the order of
// elimination (AMD), the elimination tree and the pattern of L are found once; after that neither
// `factor` nor `solve` allocates. (Eigen's SimplicialLDLT copies the matrix at every
// factorisation.) The rows of L are computed one after the other, each from the rows its pattern
// names: T. A. Davis, Direct Methods for Sparse Linear Systems, 2006, section 4.8. No pivoting: for
// definite and quasi-definite matrices.

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

class ULNA_API SparseLdlt {
 public:
  /// Entries (row, column) of the lower triangle, each once; the diagonal must be whole.
  void analyse(int size, const std::vector<std::pair<int, int>>& entries);

  /// The values, in the order of the entries; fill before `factor`.
  std::vector<double>& values() { return values_; }
  /// False where a pivot is zero or not finite.
  bool factor();
  /// x becomes K^-1 x.
  void solve(Eigen::VectorXd& x);

  /// The least part of a positive diagonal entry that the last `factor` left as pivot: where it is
  /// near rounding, the matrix may be singular.
  double least_share() const { return least_share_; }

  int size() const { return size_; }
  long fill() const { return static_cast<long>(row_of_.size()); }  ///< entries of L

 private:
  int size_ = 0;
  double least_share_ = 1;
  std::vector<double> values_;
  std::vector<int> old_of_new_;
  // Columns of the upper triangle in the new order: places in `values_`.
  std::vector<int> upper_first_, upper_row_, upper_place_, diagonal_place_;
  // Rows of L by column numbers, and where each of these entries is kept in its column.
  std::vector<int> pattern_first_, pattern_column_, pattern_place_;
  std::vector<int> column_first_, row_of_;  ///< L by columns
  std::vector<double> L_, D_, scratch_;
};

}  // namespace ulna
