#include "ulna/numerics/rank.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <limits>

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
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullV);
  decision.values = svd.singularValues();
  decide(decision, A, tolerance);
  decision.null_space = svd.matrixV().rightCols(A.cols() - decision.rank);
  return decision;
}

RankDecision rank_by_qr(const Eigen::MatrixXd& A, double tolerance) {
  require_finite(A);
  RankDecision decision;
  decision.null_space = Eigen::MatrixXd::Identity(A.cols(), A.cols());
  if (A.size() == 0) return decision;
  // A' P = Q R: the columns of Q past the rank are orthogonal to every row of A.
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A.transpose());
  decision.values = qr.matrixQR().diagonal().cwiseAbs();
  decide(decision, A, tolerance);
  const Eigen::MatrixXd Q = qr.householderQ();
  decision.null_space = Q.rightCols(A.cols() - decision.rank);
  const auto& order = qr.colsPermutation().indices();
  decision.independent_rows.assign(order.data(), order.data() + decision.rank);
  return decision;
}

}  // namespace ulna
