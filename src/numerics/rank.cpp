#include "ulna/numerics/internal/rank.hpp"

#include <algorithm>
#include <limits>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {

namespace {

/// Rank and threshold from descending values.
void decide(RankDecision& decision, const Eigen::MatrixXd& A, double tolerance) {
  if (tolerance < 0)
    tolerance =
        static_cast<double>(std::max(A.rows(), A.cols())) * std::numeric_limits<double>::epsilon();
  const auto& values = decision.values;
  decision.threshold = values.size() == 0 ? 0 : tolerance * values(0);
  decision.rank = static_cast<int>((values.array() > decision.threshold).count());
}

void require_finite(const Eigen::MatrixXd& A) {
  if (!A.allFinite()) throw ComputationError("no rank: an entry of the matrix is not finite");
}

}  // namespace

double RankDecision::margin() const {
  const double infinity = std::numeric_limits<double>::infinity();
  if (rank == 0 || rank == values.size() || values(rank) == 0) return infinity;
  return values(rank - 1) / values(rank);
}

RankDecision rank_by_svd(const Eigen::MatrixXd& A, double tolerance) {
  require_finite(A);
  RankDecision decision;
  decision.null_space = Eigen::MatrixXd::Identity(A.cols(), A.cols());
  if (A.size() == 0) return decision;
  const dense::Svd svd = dense::svd(A, dense::SvdParts::right);
  decision.values = svd.values;
  decide(decision, A, tolerance);
  decision.null_space = svd.V.rightCols(A.cols() - decision.rank);
  return decision;
}

RankDecision rank_by_qr(const Eigen::MatrixXd& A, double tolerance) {
  require_finite(A);
  RankDecision decision;
  decision.null_space = Eigen::MatrixXd::Identity(A.cols(), A.cols());
  if (A.size() == 0) return decision;
  // A' P = Q R: the columns of Q past the rank are orthogonal to every row of A.
  const dense::PivotedQr qr(A.transpose());
  decision.values = qr.pivots();
  decide(decision, A, tolerance);
  decision.null_space = qr.full_Q().rightCols(A.cols() - decision.rank);
  decision.independent_rows = qr.column_order();
  decision.independent_rows.resize(static_cast<std::size_t>(decision.rank));
  return decision;
}

}  // namespace ulna
