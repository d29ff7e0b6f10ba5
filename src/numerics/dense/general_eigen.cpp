#include "schur_parts.hpp"
#include "ulna/numerics/dense.hpp"

template class Eigen::HessenbergDecomposition<Eigen::MatrixXd>;

namespace ulna::dense {

GeneralEigen eigen(const MatrixIn& A) {
  if (A.size() == 0) return {{}, Eigen::MatrixXcd(0, 0), true};
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(Eigen::MatrixXd{A});
  if (solver.info() != Eigen::Success) return {};
  return {solver.eigenvalues(), solver.eigenvectors(), true};
}

Eigen::VectorXcd eigenvalues(const MatrixIn& A) {
  if (A.size() == 0) return {};
  return Eigen::EigenSolver<Eigen::MatrixXd>(Eigen::MatrixXd(A), false).eigenvalues();
}

}  // namespace ulna::dense
