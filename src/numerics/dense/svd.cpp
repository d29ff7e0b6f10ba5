#include "svd_parts.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna::dense {

namespace {

/// Divide and conquer; Jacobi rotations for small matrices, where they are as fast. (Eigen's own
/// switch looks at the columns alone.)
template <class Use>
auto decomposed(const MatrixIn& A, unsigned options, const Use& use) {
  constexpr int small = 16;
  if (std::min(A.rows(), A.cols()) < small)
    return use(Eigen::JacobiSVD<Eigen::MatrixXd>(A, options));
  return use(Eigen::BDCSVD<Eigen::MatrixXd>(A, options));
}

}  // namespace

Eigen::VectorXd singular_values(const MatrixIn& A) {
  if (A.size() == 0) return {};
  return decomposed(A, 0, [](const auto& found) { return found.singularValues(); });
}

double reciprocal_condition(const MatrixIn& A) {
  if (A.size() == 0) return 1;
  const Eigen::VectorXd values = singular_values(A);
  return values(0) > 0 ? values(values.size() - 1) / values(0) : 0;
}

Svd svd(const MatrixIn& A, SvdParts parts) {
  if (A.size() == 0) {
    const Eigen::Index u = parts == SvdParts::full ? A.rows() : 0,
                       v = parts == SvdParts::thin ? 0 : A.cols();
    return {{}, Eigen::MatrixXd::Identity(A.rows(), u), Eigen::MatrixXd::Identity(A.cols(), v)};
  }
  const unsigned options = parts == SvdParts::thin   ? Eigen::ComputeThinU | Eigen::ComputeThinV
                           : parts == SvdParts::full ? Eigen::ComputeFullU | Eigen::ComputeFullV
                                                     : Eigen::ComputeFullV;
  return decomposed(A, options, [parts](const auto& found) -> Svd {
    return {found.singularValues(),
            parts == SvdParts::right ? Eigen::MatrixXd() : Eigen::MatrixXd(found.matrixU()),
            found.matrixV()};
  });
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
