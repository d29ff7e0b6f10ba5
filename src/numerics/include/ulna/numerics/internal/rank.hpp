#pragma once
// The rank of a matrix that is known to rounding, and a basis of its null space.
//
// A singular value counts as zero when it is at most `tolerance` times the largest one. The default
// tolerance, max(rows, columns) epsilon, suits entries that are accurate to rounding; entries with
// an error of their own (a closure solved to 1e-10) need a tolerance above that error. `margin`
// shows how clear the decision was.

#include <Eigen/Core>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

struct RankDecision {
  int rank = 0;
  double threshold = 0;        ///< values up to this one were taken as zero
  Eigen::VectorXd values;      ///< descending: singular values, or the diagonal of R by rank_by_qr
  Eigen::MatrixXd null_space;  ///< orthonormal columns N with A N = 0; columns(A) - rank of them
  /// rank_by_qr only: `rank` rows that span all rows, most independent first.
  std::vector<int> independent_rows;

  /// The smallest value kept over the largest value dropped; infinite when nothing was dropped but
  /// exact zeros. Below about 100 the rank is a matter of opinion.
  ULNA_API double margin() const;
};

/// From the singular values: the reliable choice, O(n^3) with a large factor. `tolerance` is
/// relative to the largest singular value; negative stands for the default max(rows, columns)
/// epsilon. Throws ComputationError when an entry is not finite.
ULNA_API RankDecision rank_by_svd(const Eigen::MatrixXd& A, double tolerance = -1);

/// From the QR decomposition of A' with pivoting: many times cheaper, and names independent rows.
/// Its values follow the singular values within small factors, except for matrices made to fool it.
ULNA_API RankDecision rank_by_qr(const Eigen::MatrixXd& A, double tolerance = -1);

}  // namespace ulna
