#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "ulna/numerics/dense.hpp"

namespace ulna::dense {

Eigen::VectorXcd solve_complex(const Eigen::Ref<const Eigen::MatrixXcd>& A,
                               const Eigen::Ref<const Eigen::VectorXcd>& b) {
  if (A.size() == 0) return Eigen::VectorXcd(0);
  return A.partialPivLu().solve(b);
}

Eigen::VectorXcd eigenvalues_complex(const Eigen::Ref<const Eigen::MatrixXcd>& A) {
  if (A.size() == 0) return Eigen::VectorXcd(0);
  return Eigen::ComplexEigenSolver<Eigen::MatrixXcd>(A, false).eigenvalues();
}

Schur complex_schur(const MatrixIn& A) {
  if (A.size() == 0) return {Eigen::MatrixXcd(0, 0), Eigen::MatrixXcd(0, 0)};
  const Eigen::ComplexSchur<Eigen::MatrixXd> schur(A);
  return {schur.matrixU(), schur.matrixT()};
}

}  // namespace ulna::dense
