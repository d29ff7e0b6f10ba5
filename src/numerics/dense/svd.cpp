#include "svd_parts.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna::dense {

// Divide and conquer; below 16 columns Eigen takes Jacobi rotations, which are as fast there.
Eigen::VectorXd singular_values(const MatrixIn& A) {
  if (A.size() == 0) return {};
  return Eigen::BDCSVD<Eigen::MatrixXd>(A).singularValues();
}

Svd svd(const MatrixIn& A, SvdParts parts) {
  if (A.size() == 0) {
    const bool full = parts == SvdParts::full;
    const Eigen::Index u = full ? A.rows() : 0, v = full ? A.cols() : 0;
    return {{}, Eigen::MatrixXd::Identity(A.rows(), u), Eigen::MatrixXd::Identity(A.cols(), v)};
  }
  const unsigned options = parts == SvdParts::full ? Eigen::ComputeFullU | Eigen::ComputeFullV
                                                   : Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Eigen::BDCSVD<Eigen::MatrixXd> found(A, options);
  return {found.singularValues(), found.matrixU(), found.matrixV()};
}

int Svd::rank(double threshold) const {
  return values.size() == 0 ? 0
                            : static_cast<int>((values.array() > threshold * values(0)).count());
}

Eigen::VectorXd Svd::solve(const Eigen::VectorXd& b, double threshold) const {
  const int r = rank(threshold);
  const Eigen::VectorXd along = (U.leftCols(r).transpose() * b).cwiseQuotient(values.head(r));
  return V.leftCols(r) * along;
}

}  // namespace ulna::dense
