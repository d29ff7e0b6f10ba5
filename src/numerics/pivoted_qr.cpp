#include "ulna/numerics/internal/pivoted_qr.hpp"

#include <Eigen/Householder>
#include <cmath>
#include <numeric>

namespace ulna {

PivotedQr::PivotedQr(Eigen::Index rows, Eigen::Index columns)
    : QR_(rows, columns), factors_(columns), lengths_(columns), scratch_(std::max(rows, columns)) {
  pivots_.reserve(static_cast<std::size_t>(columns));
}

void PivotedQr::factor(const Eigen::Ref<const Eigen::MatrixXd>& A, double tolerance) {
  rows_ = A.rows();
  columns_ = A.cols();
  auto QR = QR_.topLeftCorner(rows_, columns_);
  QR = A;
  pivots_.resize(static_cast<std::size_t>(columns_));
  std::iota(pivots_.begin(), pivots_.end(), 0);
  for (Eigen::Index c = 0; c < columns_; ++c) lengths_(c) = QR.col(c).squaredNorm();
  rank_ = 0;
  for (Eigen::Index k = 0; k < std::min(rows_, columns_); ++k) {
    Eigen::Index best = k;
    for (Eigen::Index c = k + 1; c < columns_; ++c)
      if (lengths_(c) > lengths_(best)) best = c;
    if (best != k) {
      QR.col(k).swap(QR.col(best));
      std::swap(pivots_[k], pivots_[best]);
      std::swap(lengths_(k), lengths_(best));
    }
    double beta = 0;
    QR.col(k).tail(rows_ - k).makeHouseholderInPlace(factors_(k), beta);
    if (!(std::abs(beta) > tolerance * std::abs(k == 0 ? beta : QR(0, 0)))) return;
    QR(k, k) = beta;
    rank_ = static_cast<int>(k) + 1;
    if (k + 1 == columns_) return;
    QR.bottomRightCorner(rows_ - k, columns_ - k - 1)
        .applyHouseholderOnTheLeft(QR.col(k).tail(rows_ - k - 1), factors_(k), scratch_.data());
    // Summed again rather than reduced: what is left of a dependent column would be rounding.
    for (Eigen::Index c = k + 1; c < columns_; ++c)
      lengths_(c) = QR.col(c).tail(rows_ - k - 1).squaredNorm();
  }
}

double PivotedQr::quality() const {
  return rank_ > 0 ? std::abs(QR_(rank_ - 1, rank_ - 1) / QR_(0, 0)) : 1;
}

void PivotedQr::solve_dependent(Eigen::Ref<Eigen::VectorXd> b) const {
  for (Eigen::Index k = 0; k < rank_; ++k)
    b.segment(k, rows_ - k)
        .applyHouseholderOnTheLeft(QR_.col(k).segment(k + 1, rows_ - k - 1), factors_(k),
                                   scratch_.data());
  for (Eigen::Index i = rank_ - 1; i >= 0; --i) {
    for (Eigen::Index k = i + 1; k < rank_; ++k) b(i) -= QR_(i, k) * b(k);
    b(i) /= QR_(i, i);
  }
}

void PivotedQr::dependence(Eigen::Ref<Eigen::MatrixXd> X) const {
  for (Eigen::Index c = 0; c < columns_ - rank_; ++c)
    for (Eigen::Index i = rank_ - 1; i >= 0; --i) {
      double sum = QR_(i, rank_ + c);
      for (Eigen::Index k = i + 1; k < rank_; ++k) sum -= QR_(i, k) * X(k, c);
      X(i, c) = sum / QR_(i, i);
    }
}

void PivotedQr::solve_transposed(const Eigen::Ref<const Eigen::VectorXd>& x,
                                 Eigen::Ref<Eigen::VectorXd> y) const {
  y.setZero();
  for (Eigen::Index i = 0; i < rank_; ++i) {
    double sum = x(pivots_[i]);
    for (Eigen::Index k = 0; k < i; ++k) sum -= QR_(k, i) * y(k);
    y(i) = sum / QR_(i, i);
  }
  for (Eigen::Index k = rank_ - 1; k >= 0; --k)
    y.segment(k, rows_ - k)
        .applyHouseholderOnTheLeft(QR_.col(k).segment(k + 1, rows_ - k - 1), factors_(k),
                                   scratch_.data());
}

}  // namespace ulna
