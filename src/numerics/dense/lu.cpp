#include <Eigen/LU>

#include "solver.hpp"

namespace ulna::dense {

struct LuFactor {
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
  Eigen::VectorXi exchanged;  ///< P as exchanges in turn: row k with row exchanged(k) >= k
  int sign = 1;               ///< of P

  void compute(const MatrixIn& A) {
    lu.compute(A);
    const auto& to = lu.permutationP().indices();
    exchanged.resize(to.size());
    for (int k = 0; k < to.size(); ++k) exchanged(to(k)) = k;
    sign = 1;
    for (int k = 0; k < to.size(); ++k) {
      int& from = exchanged(k);
      while (from < k) from = exchanged(from);  // an earlier exchange has moved it
      if (from != k) sign = -sign;
    }
  }
  template <class B, class X>
  void solve(const B& b, X& x) const {
    x = lu.solve(b);
  }
};

struct FullLuFactor {
  Eigen::FullPivLU<Eigen::MatrixXd> lu;
  void compute(const MatrixIn& A) { lu.compute(A); }
  template <class B, class X>
  void solve(const B& b, X& x) const {
    x = lu.solve(b);
  }
};

template class Solver<LuFactor>;
template class Solver<FullLuFactor>;

void Lu::solve_in_place(MatrixOut b) const {
  if (unknowns_ == 0) return;
  const auto& LU = factor_->lu.matrixLU();
  // Exchanges one by one: applying Eigen's permutation in place allocates.
  for (int k = 0; k < b.rows(); ++k)
    if (const int from = factor_->exchanged(k); from != k) b.row(k).swap(b.row(from));
  const auto substitute = [&LU](auto& x) {
    LU.triangularView<Eigen::UnitLower>().solveInPlace(x);
    LU.triangularView<Eigen::Upper>().solveInPlace(x);
  };
  if (b.cols() == 1) {
    auto column = b.col(0);
    substitute(column);
  } else {
    substitute(b);
  }
}

Eigen::MatrixXd Lu::solve_transposed(const MatrixIn& b) const {
  if (unknowns_ == 0) return b;
  return factor_->lu.transpose().solve(b);
}

Eigen::MatrixXd Lu::inverse() const {
  return unknowns_ == 0 ? Eigen::MatrixXd(0, 0) : Eigen::MatrixXd(factor_->lu.inverse());
}
double Lu::determinant() const { return unknowns_ == 0 ? 1 : factor_->lu.determinant(); }
double Lu::rcond() const { return unknowns_ == 0 ? 1 : factor_->lu.rcond(); }
int Lu::permutation_sign() const { return unknowns_ == 0 ? 1 : factor_->sign; }
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
