#include "tip/block_band.hpp"

#include <cmath>

namespace ulna {

BlockBand::BlockBand(long nodes, long size) : pairs_(nodes / 2), size_(size) {
  const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(2 * size, 2 * size);
  for (std::vector<Eigen::MatrixXd>* all : {&left_, &middle_, &right_})
    all->assign(static_cast<std::size_t>(pairs_), zero);
}

void BlockBand::set_zero() {
  for (std::vector<Eigen::MatrixXd>* all : {&left_, &middle_, &right_})
    for (Eigen::MatrixXd& one : *all) one.setZero();
}

Eigen::Block<Eigen::MatrixXd> BlockBand::block(long k, long j) {
  const long row = k / 2, column = j / 2;
  std::vector<Eigen::MatrixXd>& all = column < row ? left_ : column > row ? right_ : middle_;
  return all[static_cast<std::size_t>(row)].block((k % 2) * size_, (j % 2) * size_, size_, size_);
}

bool BlockBand::solve(const Eigen::MatrixXd& b, Eigen::MatrixXd& x) {
  const long n = 2 * size_;
  x.resize(b.rows(), b.cols());
  Eigen::VectorXd right(n);
  std::vector<Eigen::VectorXd> y(static_cast<std::size_t>(pairs_));
  for (long s = 0; s < pairs_; ++s) {
    const auto i = static_cast<std::size_t>(s);
    right.head(size_) = b.row(2 * s).transpose();
    right.tail(size_) = b.row(2 * s + 1).transpose();
    if (s > 0) {
      middle_[i].noalias() -= left_[i] * right_[i - 1];
      right.noalias() -= left_[i] * y[i - 1];
    }
    const dense::Lu factor(middle_[i]);
    const double smallest = factor.pivots().cwiseAbs().minCoeff();
    if (!(smallest > 0) || !std::isfinite(smallest)) return false;
    y[i] = factor.solve(right);
    if (s + 1 < pairs_) right_[i] = Eigen::MatrixXd(factor.solve(right_[i]));
  }
  for (long s = pairs_ - 1; s >= 0; --s) {
    const auto i = static_cast<std::size_t>(s);
    if (s + 1 < pairs_) y[i].noalias() -= right_[i] * y[i + 1];
    x.row(2 * s) = y[i].head(size_).transpose();
    x.row(2 * s + 1) = y[i].tail(size_).transpose();
  }
  return x.allFinite();
}

}  // namespace ulna
