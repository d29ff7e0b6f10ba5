#include "tip/band_lu.hpp"

#include <algorithm>
#include <cmath>

namespace ulna {

BandLu::BandLu(long size, long below, long above)
    : size_(size),
      below_(below),
      above_(above),
      width_(2 * below + above + 1),
      rows_(static_cast<std::size_t>(size * width_), 0.0) {}

void BandLu::set_zero() { std::ranges::fill(rows_, 0.0); }

double& BandLu::operator()(long row, long column) {
  return rows_[static_cast<std::size_t>(row * width_ + column - row + below_)];
}

bool BandLu::solve(Eigen::VectorXd& b) {
  using Part = Eigen::Map<Eigen::VectorXd>;
  for (long k = 0; k < size_; ++k) {
    const long last = std::min(size_ - 1, k + below_);
    // Columns that row k and those it is exchanged with may reach.
    const long length = std::min(size_ - 1, k + below_ + above_) - k + 1;
    long pivot = k;
    for (long i = k + 1; i <= last; ++i)
      if (std::abs((*this)(i, k)) > std::abs((*this)(pivot, k))) pivot = i;
    const double size = std::abs((*this)(pivot, k));
    if (!(size > 0) || !std::isfinite(size)) return false;
    Part chosen(&(*this)(k, k), length);
    if (pivot != k) {
      chosen.swap(Part(&(*this)(pivot, k), length));
      std::swap(b(k), b(pivot));
    }
    for (long i = k + 1; i <= last; ++i) {
      const double factor = (*this)(i, k) / chosen(0);
      if (factor == 0) continue;
      Part(&(*this)(i, k), length) -= factor * chosen;
      b(i) -= factor * b(k);
    }
  }
  for (long k = size_ - 1; k >= 0; --k) {
    const long length = std::min(size_ - 1, k + below_ + above_) - k;
    if (length > 0) b(k) -= Part(&(*this)(k, k) + 1, length).dot(b.segment(k + 1, length));
    b(k) /= (*this)(k, k);
  }
  return b.allFinite();
}

}  // namespace ulna
