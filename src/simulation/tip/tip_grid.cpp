#include "tip/tip_grid.hpp"

#include <algorithm>
#include <cmath>

#include "tip/band_lu.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {

TipGrid::TipGrid(TipEquations& equations, double end, double h, double preview)
    : equations_(equations), end_(end), n_(equations.joints()), N_(equations.size()) {
  const long before = static_cast<long>(std::ceil(preview / h));
  const long during = std::max(10L, static_cast<long>(std::ceil(end / h)));
  h_ = end / static_cast<double>(during);
  preview_ = static_cast<double>(before) * h_;
  nodes_ = during + 1 + 2 * before + 4;
  x_.setZero(nodes_, N_);
  aim(1);
}

void TipGrid::aim(double amplitude) {
  equations_.set_amplitude(amplitude);
  targets_.clear();
  for (long k = 0; k < nodes_; ++k) targets_.push_back(equations_.target(time(k)));
  if (start_.size() == 0) return;
  stop_ = equations_.quasi_static(targets_.back(), at(nodes_ - 1));
  find_ends();
}

void TipGrid::start_quasi_static(const Eigen::VectorXd& rest) {
  start_ = rest;
  Eigen::VectorXd x = rest;
  for (long k = 0; k < nodes_; ++k) {
    x = equations_.quasi_static(target(k), x);
    x_.row(k) = x.transpose();
  }
  stop_ = x;
  find_ends();
}

void TipGrid::start_from(const TipGrid& other) {
  start_ = other.start_, stop_ = other.stop_;
  for (long k = 0; k < nodes_; ++k) x_.row(k) = other.between(time(k)).transpose();
  find_ends();
}

Eigen::VectorXd TipGrid::between(double t) const {
  const double place = (t + preview_) / h_ + 2;
  if (place < -1e-9) return start_;
  if (place > static_cast<double>(nodes_ - 1) + 1e-9) return stop_;
  // Lagrange's polynomial over four nodes.
  const long first = std::clamp(static_cast<long>(std::floor(place)) - 1, 0L, nodes_ - 4);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(N_);
  for (long i = 0; i < 4; ++i) {
    double weight = 1;
    for (long j = 0; j < 4; ++j)
      if (j != i) weight *= (place - static_cast<double>(first + j)) / static_cast<double>(i - j);
    x += weight * at(first + i);
  }
  return x;
}

double TipGrid::change_from(const TipGrid& other) const {
  double change = 0;
  for (long k = 2; k < other.nodes_ - 2; ++k)
    change = std::max(change, (between(other.time(k)) - other.at(k)).cwiseAbs().maxCoeff());
  return change;
}

void TipGrid::find_ends() {
  const TipDichotomy first(equations_, targets_.front(), start_, h_),
      last(equations_, targets_.back(), stop_, h_);
  // One number for both ends: a solution that grows at one of them only, slowly, is left to itself.
  int growing = std::min(first.growing(), last.growing());
  for (int before = -1; before != growing;)
    before = growing, growing = first.whole_pairs(last.whole_pairs(growing));
  before_ = first.only_growing(growing);
  after_ = last.none_growing(growing);
  shift_ = before_.rows() - 2 * (N_ - n_);
}

void TipGrid::differentiate(long k, Eigen::VectorXd& v, Eigen::VectorXd& a) const {
  v.setZero(N_), a.setZero(N_);
  for (int i = 0; i < 5; ++i) {
    v += rate_weights[i] / h_ * x_.row(k + i - 2).transpose();
    a += acceleration_weights[i] / (h_ * h_) * x_.row(k + i - 2).transpose();
  }
}

/// The frame of the nodes beyond the grid stays at its place; what grows or decays there (eq. 13).
void TipGrid::fill_ends(BandLu* system, Eigen::VectorXd& residual) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(N_);
  const long m = N_ - n_, rows = nodes_ * N_;
  const auto frame = [&](long k, long row) {
    equations_.evaluate(target(k), at(k), zero, zero, system != nullptr);
    residual.segment(row, n_) = equations_.residual.head(n_);
    if (!system) return;
    for (long i = 0; i < n_; ++i)
      for (long j = 0; j < N_; ++j) (*system)(row + i, k * N_ + j) = equations_.dx(i, j);
  };
  const auto end = [&](const Eigen::MatrixXd& W, const Eigen::VectorXd& rest, long k, long row) {
    for (long i = 0; i < W.rows(); ++i) {
      double sum = 0;
      for (long node = 0; node < 4; ++node)
        for (long j = 0; j < m; ++j) {
          sum += W(i, node * m + j) * (x_(k + node, n_ + j) - rest(n_ + j));
          if (system) (*system)(row + i, (k + node) * N_ + n_ + j) = W(i, node * m + j);
        }
      residual(row + i) = sum;
    }
  };
  frame(0, 0), frame(1, n_);
  end(before_, start_, 0, 2 * n_);
  end(after_, stop_, nodes_ - 4, rows - 2 * n_ - after_.rows());
  frame(nodes_ - 2, rows - 2 * n_), frame(nodes_ - 1, rows - n_);
}

Eigen::VectorXd TipGrid::residual() {
  Eigen::VectorXd out(nodes_ * N_), v, a;
  for (long k = 2; k < nodes_ - 2; ++k) {
    differentiate(k, v, a);
    equations_.evaluate(target(k), at(k), v, a, false);
    out.segment(first_row(k), N_) = equations_.residual;
  }
  fill_ends(nullptr, out);
  return out;
}

/// One step of Newton's iteration on all nodes at once (eq. 12); empty where it has none.
Eigen::VectorXd TipGrid::newton_step(Eigen::VectorXd& residual) {
  const long far = 4 * N_ + std::abs(shift_);
  BandLu system(nodes_ * N_, std::min(far, 3 * N_ + std::abs(shift_) + 2 * (N_ - n_)), far);
  residual.resize(nodes_ * N_);
  Eigen::VectorXd v, a;
  Eigen::MatrixXd block;
  for (long k = 2; k < nodes_ - 2; ++k) {
    differentiate(k, v, a);
    equations_.evaluate(target(k), at(k), v, a, true);
    residual.segment(first_row(k), N_) = equations_.residual;
    for (int i = 0; i < 5; ++i) {
      block = rate_weights[i] / h_ * equations_.dv +
              acceleration_weights[i] / (h_ * h_) * equations_.da;
      if (i == 2) block += equations_.dx;
      for (long r = 0; r < N_; ++r)
        for (long c = 0; c < N_; ++c) system(first_row(k) + r, (k + i - 2) * N_ + c) = block(r, c);
    }
  }
  fill_ends(&system, residual);
  Eigen::VectorXd step = residual;
  if (!system.solve(step)) step.resize(0);
  return step;
}

bool TipGrid::solve() {
  constexpr int most = 40;
  Eigen::VectorXd off;
  for (iterations_ = 1; iterations_ <= most; ++iterations_) {
    const Eigen::VectorXd step = newton_step(off);
    if (step.size() == 0) return false;
    const auto by_node = step.reshaped<Eigen::RowMajor>(nodes_, N_);
    const double size = step.cwiseAbs().maxCoeff(), before = off.norm();
    const Eigen::MatrixXd x = x_;
    // Links that would bend by more than this in one step are beyond the linearisation.
    double share = std::min(1.0, 0.5 / size);
    for (;; share /= 2) {
      x_ = x - share * by_node;
      if (size < 1e-6) break;
      if (const double now = residual().norm(); now < (1 - share / 4) * before) break;
      if (share < 1e-3) return false;
    }
    if (size < 1e-10) return true;
  }
  return false;
}

}  // namespace ulna
