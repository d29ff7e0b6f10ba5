#include "ulna/elastic/internal/sparse_factor.hpp"

#include <Eigen/SparseCholesky>

namespace ulna::elastic {

struct SparseFactor::Factor {
  Eigen::SimplicialLDLT<SparseMatrix, Eigen::Lower, Eigen::AMDOrdering<int>> ldlt;
};

SparseFactor::SparseFactor(const SparseMatrix& A)
    : factor_(std::make_unique<Factor>()), size_(static_cast<int>(A.rows())) {
  if (size_ > 0) factor_->ldlt.compute(A);
}
SparseFactor::SparseFactor() = default;
SparseFactor::SparseFactor(SparseFactor&&) noexcept = default;
SparseFactor& SparseFactor::operator=(SparseFactor&&) noexcept = default;
SparseFactor::~SparseFactor() = default;

bool SparseFactor::ok() const { return size_ == 0 || factor_->ldlt.info() == Eigen::Success; }

Eigen::VectorXd SparseFactor::pivots() const {
  if (size_ == 0) return {};
  return factor_->ldlt.permutationPinv() * Eigen::VectorXd(factor_->ldlt.vectorD());
}

void SparseFactor::solve_into(const Eigen::Ref<const Eigen::MatrixXd>& b,
                              Eigen::Ref<Eigen::MatrixXd> x) const {
  if (size_ > 0) x = factor_->ldlt.solve(b);
}

}  // namespace ulna::elastic
