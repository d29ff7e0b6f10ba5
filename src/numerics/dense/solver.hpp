#pragma once
// The members that all solvers of dense.hpp share. A factor is one of Eigen's decompositions in a
// struct of its own: `void compute(A)` and, for matrices and vectors, `void solve(b, x) const`.
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
  } else if (b.cols() == 1) {  // Eigen's products with vectors are faster for small sizes
    auto column = x.col(0);
    factor_->solve(b.col(0), column);
  } else {
    factor_->solve(b, x);
  }
}

}  // namespace ulna::dense
