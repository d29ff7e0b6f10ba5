#include <Eigen/Eigenvalues>
#include <limits>

#include "ulna/numerics/dense.hpp"

namespace ulna::dense {

namespace {

template <class EigenSolver>
SymmetricEigen result_of(const EigenSolver& solver) {
  if (solver.info() != Eigen::Success) {
    const Eigen::Index n = solver.eigenvalues().size();
    const double none = std::numeric_limits<double>::quiet_NaN();
    return {Eigen::VectorXd::Constant(n, none), Eigen::MatrixXd::Constant(n, n, none), false};
  }
  return {solver.eigenvalues(), solver.eigenvectors(), true};
}

}  // namespace

SymmetricEigen eigen_symmetric(const MatrixIn& A) {
  if (A.size() == 0) return {{}, Eigen::MatrixXd(0, 0), true};
  return result_of(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A));
}

SymmetricEigen eigen_symmetric(const MatrixIn& A, const MatrixIn& B) {
  if (A.size() == 0) return {{}, Eigen::MatrixXd(0, 0), true};
  return result_of(Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(A, B));
}

Eigen::VectorXd eigenvalues_symmetric(const MatrixIn& A) {
  if (A.size() == 0) return {};
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

Eigen::VectorXd eigenvalues_symmetric(const MatrixIn& A, const MatrixIn& B) {
  if (A.size() == 0) return {};
  return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(
             A, B, Eigen::EigenvaluesOnly | Eigen::Ax_lBx)
      .eigenvalues();
}

}  // namespace ulna::dense
