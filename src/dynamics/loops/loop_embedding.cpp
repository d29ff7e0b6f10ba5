#include "loops/loop_embedding.hpp"

#include <algorithm>

namespace ulna {

LoopEmbedding::LoopEmbedding(const LoopClosure& closure)
    : closure_(closure),
      n_(closure.model().speeds()),
      qr_(closure.rows(), n_),
      scaled_(closure.rows(), n_),
      dependence_(n_, n_),
      G_(n_, n_),
      gamma_(n_),
      right_(closure.rows()),
      rest_(n_) {
  independent_.reserve(static_cast<std::size_t>(n_));
}

void LoopEmbedding::update() {
  const Eigen::VectorXd &row = closure_.row_scale(), &column = closure_.column_scale();
  scaled_.setZero();
  for (const LoopClosure::Block& block : closure_.blocks())
    for (std::size_t c = 0; c < block.columns.size(); ++c)
      for (int r = 0; r < block.rows; ++r)
        scaled_(block.first_row + r, block.columns[c]) = row(block.first_row + r) *
                                                         block.A(r, static_cast<Eigen::Index>(c)) *
                                                         column(block.columns[c]);
  qr_.factor(scaled_, loop_rank_tolerance_of(closure_.model()));
  const std::vector<int>& pivots = qr_.pivots();
  independent_.assign(pivots.begin() + rank(), pivots.end());
  std::sort(independent_.begin(), independent_.end());

  G_.leftCols(dof()).setZero();
  gamma_.setZero();
  for (int k = 0; k < dof(); ++k) G_(independent_[k], k) = 1;
  if (rank() == 0) return;
  auto X = dependence_.topLeftCorner(rank(), dof());
  qr_.dependence(X);
  right_ = row.cwiseProduct(closure_.bias());
  qr_.solve_dependent(right_);
  for (int i = 0; i < rank(); ++i) {
    const int speed = pivots[i];
    gamma_(speed) = column(speed) * right_(i);
    for (int c = 0; c < dof(); ++c) {
      const int free = pivots[rank() + c];
      const auto place = std::lower_bound(independent_.begin(), independent_.end(), free);
      G_(speed, place - independent_.begin()) = -column(speed) * X(i, c) / column(free);
    }
  }
}

void LoopEmbedding::multipliers(const Eigen::VectorXd& rest, Eigen::VectorXd& lambda) {
  rest_ = closure_.column_scale().cwiseProduct(rest);
  lambda.resize(closure_.rows());
  qr_.solve_transposed(rest_, lambda);
  lambda.array() *= closure_.row_scale().array();
}

}  // namespace ulna
