#include "loop_system.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace ulna {
namespace {

/// The shift of M over its diagonal: like mu, small enough to converge in a few iterations, large
/// enough for rounding to stay below what they remove.
constexpr double relative_shift = 1e-13;
constexpr int most_iterations = 60;

/// Turns the columns of B against each other until they are orthogonal (one-sided Jacobi, after
/// Hestenes); V takes the same turns. The lengths of the columns are then the singular values.
void make_columns_orthogonal(Eigen::MatrixXd& B, Eigen::MatrixXd& V) {
  constexpr int most_sweeps = 30;
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  V.setIdentity();
  bool turned = true;
  for (int sweep = 0; turned && sweep < most_sweeps; ++sweep) {
    turned = false;
    for (Eigen::Index i = 0; i < B.cols(); ++i)
      for (Eigen::Index j = i + 1; j < B.cols(); ++j) {
        const double a = B.col(i).squaredNorm(), b = B.col(j).squaredNorm(),
                     c = B.col(i).dot(B.col(j));
        if (!(std::abs(c) > rounding * std::sqrt(a * b))) continue;
        turned = true;
        const double zeta = (b - a) / (2 * c);
        const double t = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + std::hypot(1, zeta));
        const double cosine = 1 / std::hypot(1, t), sine = cosine * t;
        for (Eigen::MatrixXd* m : {&B, &V})
          for (Eigen::Index r = 0; r < m->rows(); ++r) {
            const double x = (*m)(r, i), y = (*m)(r, j);
            (*m)(r, i) = cosine * x - sine * y;
            (*m)(r, j) = sine * x + cosine * y;
          }
      }
  }
}

}  // namespace

LoopSystem::LoopSystem(const LoopClosure& closure)
    : closure_(closure), n_(closure.model().speeds()), held_(static_cast<std::size_t>(n_), 0) {
  for (const LoopClosure::Block& block : closure.blocks()) {
    const auto columns = static_cast<Eigen::Index>(block.columns.size());
    Part part;
    part.first = rows_;
    part.rows = static_cast<int>(std::min<Eigen::Index>(block.rows, columns));
    rows_ += part.rows;
    part.scaled.setZero(columns, block.rows);
    part.turn.setZero(block.rows, block.rows);
    part.U.setZero(block.rows, part.rows);
    part.A.setZero(part.rows, columns);
    parts_.push_back(std::move(part));
  }
  make_pattern();
  mass_values_.resize(mass_entries_.size());
  mu_.setOnes(rows_);
  mass_shift_.setZero(n_);
  mass_diagonal_.setZero(n_);
  right_.setZero(n_ + rows_);
  packed_.setZero(rows_);
  g_packed_.setZero(rows_);
}

/// The order of entries: the mass matrix, the rows of the loops, their diagonal.
void LoopSystem::make_pattern() {
  // Speeds couple in M where one's node carries the other's.
  const std::vector<TreeNode>& nodes = closure_.model().topology().nodes;
  std::set<std::pair<int, int>> pairs;
  for (int i = 1; i < static_cast<int>(nodes.size()); ++i)
    for (int j = i; j > 0; j = nodes[j].parent)
      for (int a = 0; a < speeds_of(nodes[i]); ++a)
        for (int b = 0; b < speeds_of(nodes[j]); ++b) {
          const int r = nodes[i].v + a, c = nodes[j].v + b;
          pairs.insert({std::max(r, c), std::min(r, c)});
        }
  for (int k = 0; k < n_; ++k) pairs.insert({k, k});
  // Mimic joints share a speed between branches: all pairs of what one speed carries.
  if (closure_.model().topology().shared_speeds)
    for (int r = 0; r < n_; ++r)
      for (int c = 0; c <= r; ++c) pairs.insert({r, c});
  mass_entries_.assign(pairs.begin(), pairs.end());

  std::vector<std::pair<int, int>> entries = mass_entries_;
  for (std::size_t k = 0; k < parts_.size(); ++k)
    for (int r = 0; r < parts_[k].rows; ++r)
      for (int column : closure_.blocks()[k].columns)
        entries.push_back({n_ + parts_[k].first + r, column});
  for (int r = 0; r < rows_; ++r) entries.push_back({n_ + r, n_ + r});
  ldlt_.analyse(n_ + rows_, entries);
}

void LoopSystem::compress(std::size_t k) {
  const LoopClosure::Block& block = closure_.blocks()[k];
  Part& part = parts_[k];
  if (part.rows == 0) return;
  // Ranks are decided on pure numbers, the rows themselves keep their units.
  const auto row_scale = closure_.row_scale().segment(block.first_row, block.rows);
  for (std::size_t c = 0; c < block.columns.size(); ++c) {
    const auto place = static_cast<Eigen::Index>(c);
    const double scale = held_[block.columns[c]] ? 0 : closure_.column_scale()(block.columns[c]);
    for (int r = 0; r < block.rows; ++r)
      part.scaled(place, r) = row_scale(r) * block.A(r, place) * scale;
  }
  make_columns_orthogonal(part.scaled, part.turn);
  // The largest first.
  double largest = 0;
  for (int r = 0; r < part.rows; ++r) {
    Eigen::Index at = 0;
    const double size = std::sqrt(part.scaled.colwise().squaredNorm().maxCoeff(&at));
    if (r == 0) largest = size;
    if (size > loop_rank_tolerance * largest) {
      part.U.col(r) = row_scale.cwiseProduct(part.turn.col(at));
      margin_ = std::min(margin_, size / largest);
    } else {
      part.U.col(r).setZero();
    }
    part.scaled.col(at).setZero();
  }
  part.A = part.U.transpose().lazyProduct(block.A);
}

void LoopSystem::factor(const Eigen::MatrixXd& M, double damping) {
  margin_ = 1;
  for (std::size_t k = 0; k < parts_.size(); ++k) compress(k);
  mass_diagonal_ = M.diagonal();
  const double largest = mass_diagonal_.cwiseAbs().maxCoeff();
  for (int k = 0; k < n_; ++k)
    mass_shift_(k) = relative_shift * std::max(mass_diagonal_(k), 1e-3 * largest);
  for (std::size_t e = 0; e < mass_entries_.size(); ++e)
    mass_values_[e] = M(mass_entries_[e].first, mass_entries_[e].second);
  put_values(damping);
  factored_ = ldlt_.factor();
}

void LoopSystem::put_values(double damping) {
  std::vector<double>& values = ldlt_.values();
  std::size_t place = 0;
  for (std::size_t e = 0; e < mass_entries_.size(); ++e) {
    const auto [r, c] = mass_entries_[e];
    const bool held = held_[r] || held_[c];
    values[place++] = r == c ? mass_values_[e] + mass_shift_(r) : held ? 0 : mass_values_[e];
  }
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    const std::vector<int>& columns = closure_.blocks()[k].columns;
    for (int r = 0; r < part.rows; ++r) {
      double size = 0;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const int column = columns[c];
        const double entry = held_[column] ? 0 : part.A(r, static_cast<Eigen::Index>(c));
        values[place++] = entry;
        size += entry * entry / (mass_diagonal_(column) + mass_shift_(column));
      }
      mu_(part.first + r) = size > 0 ? damping * size : 1;
    }
  }
  for (int r = 0; r < rows_; ++r) values[place++] = -mu_(r);
}

void LoopSystem::pack(const Eigen::VectorXd& g, Eigen::VectorXd& packed) const {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const LoopClosure::Block& block = closure_.blocks()[k];
    const Part& part = parts_[k];
    for (int r = 0; r < part.rows; ++r)
      packed(part.first + r) = part.U.col(r).dot(g.segment(block.first_row, block.rows));
  }
}

void LoopSystem::mass_times(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
  y.setZero();
  for (std::size_t e = 0; e < mass_entries_.size(); ++e) {
    const auto [r, c] = mass_entries_[e];
    y(r) += mass_values_[e] * x(c);
    if (r != c) y(c) += mass_values_[e] * x(r);
  }
}

double LoopSystem::free_size(const Eigen::VectorXd& f) const {
  double sum = 0;
  for (int k = 0; k < n_; ++k) {
    const double x = held_[k] ? 0 : f(k) / (mass_diagonal_(k) + mass_shift_(k));
    sum += x * x;
  }
  return std::sqrt(sum);
}

void LoopSystem::residual(const Eigen::VectorXd& f, const Eigen::VectorXd& x) {
  right_.head(n_) = f;
  right_.tail(rows_) = g_packed_;
  for (std::size_t e = 0; e < mass_entries_.size(); ++e) {
    const auto [r, c] = mass_entries_[e];
    right_(r) -= mass_values_[e] * x(c);
    if (r != c) right_(c) -= mass_values_[e] * x(r);
  }
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const std::vector<int>& columns = closure_.blocks()[k].columns;
    const Part& part = parts_[k];
    for (std::size_t c = 0; c < columns.size(); ++c)
      for (int r = 0; r < part.rows; ++r) {
        const double entry = part.A(r, static_cast<Eigen::Index>(c));
        right_(columns[c]) += entry * packed_(part.first + r);
        right_(n_ + part.first + r) -= entry * x(columns[c]);
      }
  }
  for (int k = 0; k < n_; ++k)
    if (held_[k]) right_(k) = 0;
}

bool LoopSystem::damped_step(const Eigen::VectorXd& g, Eigen::VectorXd& x) {
  if (!factored_) return false;
  right_.head(n_).setZero();
  pack(g, g_packed_);
  right_.tail(rows_) = g_packed_;
  ldlt_.solve(right_);
  x = right_.head(n_);
  return x.allFinite();
}

bool LoopSystem::solve(const Eigen::VectorXd& f, const Eigen::VectorXd& g, Eigen::VectorXd& x,
                       Eigen::VectorXd& lambda, double scale) {
  if (!factored_) return false;
  pack(g, g_packed_);
  packed_.setZero();
  for (int k = 0; k < n_; ++k)
    if (!held_[k]) x(k) = 0;
  double previous = INFINITY;
  bool converged = false;
  for (iterations_ = 0; iterations_ < most_iterations; ++iterations_) {
    residual(f, x);
    ldlt_.solve(right_);
    if (!right_.allFinite()) return false;
    x += right_.head(n_);
    packed_ -= right_.tail(rows_);
    const double change = right_.head(n_).norm(), size = x.norm() + scale;
    if (change <= 1e-15 * size ||
        (iterations_ > 1 && change >= 0.5 * previous && change <= 1e-10 * (size + 1e-300))) {
      converged = true;
      break;
    }
    previous = change;
  }
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const LoopClosure::Block& block = closure_.blocks()[k];
    const Part& part = parts_[k];
    lambda.segment(block.first_row, block.rows).setZero();
    for (int r = 0; r < part.rows; ++r)
      lambda.segment(block.first_row, block.rows) += packed_(part.first + r) * part.U.col(r);
  }
  return converged || x.norm() == 0;
}

}  // namespace ulna
