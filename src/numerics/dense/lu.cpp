#include <Eigen/LU>

#include "solver.hpp"

namespace ulna::dense {

struct LuFactor {
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
  void compute(const MatrixIn& A) { lu.compute(A); }
  void solve(const MatrixIn& b, MatrixOut x) const { x = lu.solve(b); }
};

struct FullLuFactor {
  Eigen::FullPivLU<Eigen::MatrixXd> lu;
  void compute(const MatrixIn& A) { lu.compute(A); }
  void solve(const MatrixIn& b, MatrixOut x) const { x = lu.solve(b); }
};

template class Solver<LuFactor>;
template class Solver<FullLuFactor>;

void Lu::solve_in_place(MatrixOut b) const {
  if (unknowns_ == 0) return;
  const auto& LU = factor_->lu.matrixLU();
  // The row exchanges one by one: applying Eigen's permutation in place allocates.
  const auto& row = factor_->lu.permutationP().indices();
  if (b.cols() == 1 && b.rows() <= 64) {
    double rows[64];
    for (Eigen::Index i = 0; i < b.rows(); ++i) rows[row(i)] = b(i, 0);
    for (Eigen::Index i = 0; i < b.rows(); ++i) b(i, 0) = rows[i];
  } else {
    b = (factor_->lu.permutationP() * b).eval();
  }
  LU.triangularView<Eigen::UnitLower>().solveInPlace(b);
  LU.triangularView<Eigen::Upper>().solveInPlace(b);
}

Eigen::MatrixXd Lu::inverse() const {
  return unknowns_ == 0 ? Eigen::MatrixXd(0, 0) : Eigen::MatrixXd(factor_->lu.inverse());
}
double Lu::determinant() const { return unknowns_ == 0 ? 1 : factor_->lu.determinant(); }
double Lu::rcond() const { return unknowns_ == 0 ? 1 : factor_->lu.rcond(); }
int Lu::permutation_sign() const {
  return unknowns_ == 0 ? 1 : static_cast<int>(factor_->lu.permutationP().determinant());
}
Eigen::VectorXd Lu::pivots() const {
  return unknowns_ == 0 ? Eigen::VectorXd() : Eigen::VectorXd(factor_->lu.matrixLU().diagonal());
}
const Eigen::MatrixXd& Lu::LU() const { return factor_->lu.matrixLU(); }

Eigen::MatrixXd FullLu::inverse() const {
  return unknowns_ == 0 ? Eigen::MatrixXd(0, 0) : Eigen::MatrixXd(factor_->lu.inverse());
}
double FullLu::rcond() const { return unknowns_ == 0 ? 1 : factor_->lu.rcond(); }
int FullLu::rank() const { return unknowns_ == 0 ? 0 : static_cast<int>(factor_->lu.rank()); }
int FullLu::rank(double threshold) const {
  if (unknowns_ == 0) return 0;
  const auto& lu = factor_->lu;
  const auto pivots = lu.matrixLU().diagonal().head(lu.nonzeroPivots()).array().abs();
  return static_cast<int>((pivots > threshold * lu.maxPivot()).count());
}
bool FullLu::invertible() const { return unknowns_ == 0 || factor_->lu.isInvertible(); }

double determinant(const MatrixIn& A) { return A.size() == 0 ? 1 : A.determinant(); }

}  // namespace ulna::dense
