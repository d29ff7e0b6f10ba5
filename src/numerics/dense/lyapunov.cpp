#include "ulna/numerics/dense.hpp"

namespace ulna::dense {

// In the basis of the complex Schur form of F: T^H Y + Y T = C with T upper triangular, solved
// column by column, each by forward substitution.
Eigen::MatrixXd lyapunov(const MatrixIn& F, const MatrixIn& S) {
  const auto [U, T] = complex_schur(F);
  const Eigen::MatrixXcd SU = S.cast<std::complex<double>>() * U;
  const Eigen::MatrixXcd C = -(U.adjoint() * SU);
  const Eigen::Index n = F.rows();
  Eigen::MatrixXcd Y = Eigen::MatrixXcd::Zero(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const Eigen::VectorXcd right = C.col(j) - Y.leftCols(j) * T.col(j).head(j);
    for (Eigen::Index i = 0; i < n; ++i) {
      std::complex<double> sum = right(i);
      for (Eigen::Index k = 0; k < i; ++k) sum -= std::conj(T(k, i)) * Y(k, j);
      Y(i, j) = sum / (std::conj(T(i, i)) + T(j, j));
    }
  }
  const Eigen::MatrixXcd UY = U * Y;
  return (UY * U.adjoint()).real();
}

}  // namespace ulna::dense
