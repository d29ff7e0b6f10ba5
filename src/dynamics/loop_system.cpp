#include "loop_system.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <set>

namespace ulna {
namespace {

/// The shift of M over its diagonal: like mu, small enough to converge in a few iterations, large
/// enough for rounding to stay below what they remove.
constexpr double relative_shift = 1e-13;
constexpr int most_iterations = 60;

}  // namespace

LoopSystem::LoopSystem(const LoopClosure& closure)
    : closure_(closure), n_(closure.model().speeds()) {
  // Speeds couple in M where one's node carries the other's.
  const std::vector<TreeNode>& nodes = closure.model().topology().nodes;
  std::set<std::pair<int, int>> pairs;
  for (int i = 1; i < static_cast<int>(nodes.size()); ++i)
    for (int j = i; j > 0; j = nodes[j].parent)
      for (int a = 0; a < speeds_of(nodes[i].kind); ++a)
        for (int b = 0; b < speeds_of(nodes[j].kind); ++b) {
          const int r = nodes[i].v + a, c = nodes[j].v + b;
          pairs.insert({std::max(r, c), std::min(r, c)});
        }
  for (int k = 0; k < n_; ++k) pairs.insert({k, k});
  // Mimic joints share a speed between branches: all pairs of what one speed carries.
  if (closure.model().topology().shared_speeds)
    for (int r = 0; r < n_; ++r)
      for (int c = 0; c <= r; ++c) pairs.insert({r, c});
  mass_entries_.assign(pairs.begin(), pairs.end());

  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& [r, c] : mass_entries_) entries.emplace_back(r, c, 1.0);
  for (const LoopClosure::Block& block : closure.blocks()) {
    Part part;
    part.first = rows_;
    part.rows = std::min<int>(block.rows, static_cast<int>(block.columns.size()));
    rows_ += part.rows;
    for (int r = 0; r < part.rows; ++r)
      for (int column : block.columns) entries.emplace_back(n_ + part.first + r, column, 1.0);
    parts_.push_back(part);
  }
  for (int r = 0; r < rows_; ++r) entries.emplace_back(n_ + r, n_ + r, 1.0);
  K_.resize(n_ + rows_, n_ + rows_);
  K_.setFromTriplets(entries.begin(), entries.end());
  K_.makeCompressed();
  ldlt_.analyzePattern(K_);
  for (const auto& [r, c] : mass_entries_) mass_values_.push_back(&K_.coeffRef(r, c));
  for (std::size_t k = 0; k < parts_.size(); ++k)
    for (int r = 0; r < parts_[k].rows; ++r)
      for (int column : closure.blocks()[k].columns)
        row_values_.push_back(&K_.coeffRef(n_ + parts_[k].first + r, column));
  for (int r = 0; r < rows_; ++r) diagonal_values_.push_back(&K_.coeffRef(n_ + r, n_ + r));
  mu_.resize(rows_);
  mass_shift_.resize(n_);
}

void LoopSystem::compress() {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const LoopClosure::Block& block = closure_.blocks()[k];
    Part& part = parts_[k];
    if (part.rows == 0) continue;
    // Ranks are decided on pure numbers, the rows themselves keep their units.
    const auto rows = closure_.row_scale().segment(block.first_row, block.rows);
    const Eigen::VectorXd columns = closure_.column_scale()(block.columns);
    const Eigen::MatrixXd scaled = rows.asDiagonal() * block.A * columns.asDiagonal();
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(scaled, Eigen::ComputeThinU);
    const double least = loop_rank_tolerance * svd.singularValues()(0);
    part.U = rows.asDiagonal() * svd.matrixU().leftCols(part.rows);
    for (int r = 0; r < part.rows; ++r)
      if (!(svd.singularValues()(r) > least)) part.U.col(r).setZero();
    part.A.noalias() = part.U.transpose() * block.A;
  }
}

void LoopSystem::factor(const Eigen::MatrixXd& M, double damping) {
  compress();
  M_ = M;
  const double largest = M.diagonal().cwiseAbs().maxCoeff();
  for (int k = 0; k < n_; ++k) mass_shift_(k) = relative_shift * std::max(M(k, k), 1e-3 * largest);
  for (std::size_t k = 0; k < mass_entries_.size(); ++k) {
    const auto [r, c] = mass_entries_[k];
    *mass_values_[k] = M(r, c) + (r == c ? mass_shift_(r) : 0);
  }
  std::size_t place = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    const std::vector<int>& columns = closure_.blocks()[k].columns;
    for (int r = 0; r < part.rows; ++r) {
      double size = 0;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const double entry = part.A(r, static_cast<Eigen::Index>(c));
        *row_values_[place++] = entry;
        size += entry * entry / (M(columns[c], columns[c]) + mass_shift_(columns[c]));
      }
      mu_(part.first + r) = size > 0 ? damping * size : 1;
      *diagonal_values_[part.first + r] = -mu_(part.first + r);
    }
  }
  ldlt_.factorize(K_);
}

Eigen::VectorXd LoopSystem::compressed(const Eigen::VectorXd& g) const {
  Eigen::VectorXd packed(rows_);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const LoopClosure::Block& block = closure_.blocks()[k];
    const Part& part = parts_[k];
    if (part.rows > 0)
      packed.segment(part.first, part.rows) =
          part.U.transpose() * g.segment(block.first_row, block.rows);
  }
  return packed;
}

Eigen::VectorXd LoopSystem::damped_step(const Eigen::VectorXd& g) const {
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n_ + rows_);
  right.tail(rows_) = compressed(g);
  return ldlt_.solve(right).head(n_);
}

bool LoopSystem::solve(const Eigen::VectorXd& f, const Eigen::VectorXd& g, Eigen::VectorXd& x,
                       Eigen::VectorXd& lambda) {
  Eigen::VectorXd right(n_ + rows_), packed = Eigen::VectorXd::Zero(rows_);
  const Eigen::VectorXd g_packed = compressed(g);
  x.setZero(n_);
  double previous = INFINITY;
  bool converged = false;
  for (iterations_ = 0; iterations_ < most_iterations; ++iterations_) {
    // What is still missing from the true equations, without mu.
    right.head(n_) = f - M_ * x;
    right.tail(rows_) = g_packed;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const std::vector<int>& columns = closure_.blocks()[k].columns;
      const Part& part = parts_[k];
      for (std::size_t c = 0; c < columns.size() && part.rows > 0; ++c) {
        const auto column = part.A.col(static_cast<Eigen::Index>(c));
        right(columns[c]) += column.dot(packed.segment(part.first, part.rows));
        right.segment(n_ + part.first, part.rows) -= column * x(columns[c]);
      }
    }
    const Eigen::VectorXd step = ldlt_.solve(right);
    if (!step.allFinite()) return false;
    x += step.head(n_);
    packed -= step.tail(rows_);
    const double change = step.head(n_).norm();
    const double size = x.norm();
    if (change <= 1e-15 * size ||
        (iterations_ > 1 && change >= 0.5 * previous && change <= 1e-10 * (size + 1e-300))) {
      converged = true;
      break;
    }
    previous = change;
  }
  lambda.setZero(closure_.rows());
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const LoopClosure::Block& block = closure_.blocks()[k];
    const Part& part = parts_[k];
    if (part.rows > 0)
      lambda.segment(block.first_row, block.rows) = part.U * packed.segment(part.first, part.rows);
  }
  return converged || x.norm() == 0;
}

}  // namespace ulna
