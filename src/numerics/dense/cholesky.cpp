#include <Eigen/Cholesky>

#include "solver.hpp"

namespace ulna::dense {

struct CholeskyFactor {
  Eigen::LLT<Eigen::MatrixXd> llt;
  void compute(const MatrixIn& A) { llt.compute(A); }
  template <class B, class X>
  void solve(const B& b, X& x) const {
    x = b;
    llt.solveInPlace(x);
  }
};

struct LdltFactor {
  Eigen::LDLT<Eigen::MatrixXd> ldlt;
  void compute(const MatrixIn& A) { ldlt.compute(A); }
  template <class B, class X>
  void solve(const B& b, X& x) const {
    x = ldlt.solve(b);
  }
};

template class Solver<CholeskyFactor>;
template class Solver<LdltFactor>;

bool Cholesky::ok() const { return unknowns_ == 0 || factor_->llt.info() == Eigen::Success; }
void Cholesky::solve_in_place(MatrixOut b) const {
  if (unknowns_ > 0) factor_->llt.solveInPlace(b);
}
Eigen::MatrixXd Cholesky::L() const {
  return unknowns_ == 0 ? Eigen::MatrixXd(0, 0) : Eigen::MatrixXd(factor_->llt.matrixL());
}
Eigen::VectorXd Cholesky::pivots() const {
  if (unknowns_ == 0) return {};
  return factor_->llt.matrixLLT().diagonal().cwiseAbs2();
}
void Cholesky::solve_L(MatrixOut b) const {
  if (unknowns_ > 0) factor_->llt.matrixL().solveInPlace(b);
}
void Cholesky::solve_L_transposed(MatrixOut b) const {
  if (unknowns_ > 0) factor_->llt.matrixU().solveInPlace(b);
}

bool Ldlt::ok() const { return unknowns_ == 0 || factor_->ldlt.info() == Eigen::Success; }
bool Ldlt::positive() const { return unknowns_ == 0 || factor_->ldlt.isPositive(); }
Eigen::VectorXd Ldlt::pivots() const {
  return unknowns_ == 0 ? Eigen::VectorXd() : Eigen::VectorXd(factor_->ldlt.vectorD());
}
Eigen::VectorXd Ldlt::in_pivot_order(const Eigen::VectorXd& v) const {
  return unknowns_ == 0 ? v : Eigen::VectorXd(factor_->ldlt.transpositionsP() * v);
}
double Ldlt::rcond() const { return unknowns_ == 0 ? 1 : factor_->ldlt.rcond(); }
void Ldlt::solve_in_place(MatrixOut b) const {
  if (unknowns_ > 0) factor_->ldlt.solveInPlace(b);
}

}  // namespace ulna::dense
