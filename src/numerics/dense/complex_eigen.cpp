#include <Eigen/Eigenvalues>

#include "ulna/numerics/dense.hpp"

namespace ulna::dense {

Eigen::VectorXcd eigenvalues_complex(const Eigen::Ref<const Eigen::MatrixXcd>& A) {
  if (A.size() == 0) return Eigen::VectorXcd(0);
  const Eigen::ComplexSchur<Eigen::MatrixXcd> schur(A, false);
  return schur.matrixT().diagonal();
}

Schur complex_schur(const MatrixIn& A) {
  if (A.size() == 0) return {Eigen::MatrixXcd(0, 0), Eigen::MatrixXcd(0, 0)};
  const Eigen::ComplexSchur<Eigen::MatrixXcd> schur(A.cast<std::complex<double>>());
  return {schur.matrixU(), schur.matrixT()};
}

}  // namespace ulna::dense
