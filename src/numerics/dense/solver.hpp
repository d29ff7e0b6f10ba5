#pragma once
// The members that all solvers of dense.hpp share. A factor is one of Eigen's decompositions in a
// struct of its own: `void compute(A)` and, for matrices and vectors, `void solve(b, x) const`. One
// with `by_columns` solves for one column at a time, which spares the compiler the other half.
// Each file of this folder instantiates the solvers whose factors it defines.

#include "ulna/numerics/dense.hpp"

namespace ulna::dense {

template <class Factor>
Solver<Factor>::Solver() : factor_(std::make_unique<Factor>()) {}

template <class Factor>
Solver<Factor>::Solver(const MatrixIn& A) : Solver() {
  compute(A);
}

template <class Factor>
Solver<Factor>::Solver(Solver&&) noexcept = default;
template <class Factor>
Solver<Factor>& Solver<Factor>::operator=(Solver&&) noexcept = default;
template <class Factor>
Solver<Factor>::~Solver() = default;

template <class Factor>
Solver<Factor>& Solver<Factor>::compute(const MatrixIn& A) {
  equations_ = A.rows();
  unknowns_ = A.cols();
  if (A.size() > 0) factor_->compute(A);  // Eigen's decompositions do not take empty matrices
  return *this;
}

template <class Factor>
void Solver<Factor>::solve_into(const MatrixIn& b, MatrixOut x) const {
  if (equations_ == 0 || unknowns_ == 0) {
    x.setZero();
    return;
  }
  // Eigen's products with vectors are faster for small sizes.
  constexpr bool by_columns = requires { Factor::by_columns; };
  if (by_columns || b.cols() == 1) {
    for (Eigen::Index k = 0; k < b.cols(); ++k) {
      auto column = x.col(k);
      factor_->solve(b.col(k), column);
    }
  } else {
    if constexpr (!by_columns) factor_->solve(b, x);
  }
}

}  // namespace ulna::dense
