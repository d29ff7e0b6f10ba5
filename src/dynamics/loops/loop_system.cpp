#include "loops/loop_system.hpp"

#include <algorithm>
#include <cmath>

#include "common.hpp"
#include "ulna/kinematics/kernels/loop_rows.hpp"

namespace ulna {
namespace {

/// The shift of M over its diagonal: like mu, small enough to converge in a few iterations, large
/// enough for rounding to stay below what they remove.
constexpr double relative_shift = 1e-13;
constexpr int most_iterations = 60;

void turn(double* x, double* y, Eigen::Index count, double cosine, double sine) {
  for (Eigen::Index r = 0; r < count; ++r) {
    const double a = x[r], b = y[r];
    x[r] = cosine * a - sine * b;
    y[r] = sine * a + cosine * b;
  }
}

/// Turns the columns of B against each other until they are orthogonal (one-sided Jacobi, after
/// Hestenes); V, if any, takes the same turns. The lengths of the columns are then the singular
/// values.
void make_columns_orthogonal(Eigen::MatrixXd& B, Eigen::MatrixXd* V) {
  constexpr int most_sweeps = 30;
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const Eigen::Index rows = B.rows();
  if (V) V->setIdentity();
  // Columns that short are rounding of the others: nothing depends on their directions, and they
  // would be turned for ever.
  const double nothing = 1e-24 * B.squaredNorm();
  bool turned = true;
  for (int sweep = 0; turned && sweep < most_sweeps; ++sweep) {
    turned = false;
    for (Eigen::Index i = 0; i < B.cols(); ++i)
      for (Eigen::Index j = i + 1; j < B.cols(); ++j) {
        double *x = B.data() + i * rows, *y = B.data() + j * rows;
        double a = 0, b = 0, c = 0;
        for (Eigen::Index r = 0; r < rows; ++r)
          a += x[r] * x[r], b += y[r] * y[r], c += x[r] * y[r];
        if (!(c * c > rounding * rounding * a * b) || !(a > nothing && b > nothing)) continue;
        turned = true;
        const double zeta = (b - a) / (2 * c);
        // |zeta| may be so large that its square is not a number.
        const double root = std::abs(zeta) < 1e150 ? std::sqrt(1 + zeta * zeta) : std::abs(zeta);
        const double t = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + root);
        const double cosine = 1 / std::sqrt(1 + t * t), sine = cosine * t;
        turn(x, y, rows, cosine, sine);
        if (V) turn(V->col(i).data(), V->col(j).data(), V->rows(), cosine, sine);
      }
  }
}

}  // namespace

LoopSystem::LoopSystem(const LoopClosure& closure)
    : closure_(closure),
      n_(closure.model().speeds()),
      held_(static_cast<std::size_t>(n_), 0),
      slides_(held_),
      massless_(held_) {
  for (int v = 0; v < n_; ++v)
    slides_[v] = closure.model().speed_dimensions()[v] == Dimension::length;
  for (const LoopClosure::Block& block : closure.blocks()) {
    const auto columns = static_cast<Eigen::Index>(block.columns.size());
    Part part;
    part.first = rows_;
    part.rows = static_cast<int>(std::min<Eigen::Index>(block.rows, columns));
    rows_ += part.rows;
    part.wide = columns >= block.rows;
    part.scaled.setZero(std::max<Eigen::Index>(columns, block.rows), part.rows);
    part.turn.setZero(block.rows, part.rows);
    part.U.setZero(block.rows, part.rows);
    part.A.setZero(part.rows, columns);
    parts_.push_back(std::move(part));
  }
  make_pattern();
  mass_values_.resize(mass_entries_.size());
  mu_.setOnes(rows_);
  mass_shift_.setZero(n_);
  terms_.setZero(n_);
  mass_diagonal_.setZero(n_);
  right_.setZero(n_ + rows_);
  packed_.setZero(rows_);
  g_packed_.setZero(rows_);
}

/// The order of entries: the mass matrix, the rows of the loops, their diagonal.
void LoopSystem::make_pattern() {
  if (!closure_.model().topology().shared_speeds) {
    mass_entries_ = branch_mass_entries(closure_.model().topology().nodes);
  } else {  // mimic joints share a speed between branches
    for (int r = 0; r < n_; ++r)
      for (int c = 0; c <= r; ++c) mass_entries_.push_back({r, c});
  }
  diagonal_.resize(static_cast<std::size_t>(n_));
  for (std::size_t e = 0; e < mass_entries_.size(); ++e)
    if (mass_entries_[e].first == mass_entries_[e].second) diagonal_[mass_entries_[e].first] = e;

  std::vector<std::pair<int, int>> entries = mass_entries_;
  for (std::size_t k = 0; k < parts_.size(); ++k)
    for (int r = 0; r < parts_[k].rows; ++r)
      for (int column : closure_.blocks()[k].columns)
        entries.push_back({n_ + parts_[k].first + r, column});
  for (int r = 0; r < rows_; ++r) entries.push_back({n_ + r, n_ + r});
  ldlt_.analyse(n_ + rows_, entries);
}

/// A length of the loop itself, so that its singular values do not depend on how large the robot is
/// beside it: the largest arm with which a turning joint moves it.
double LoopSystem::length_of(std::size_t k) const {
  const Loop& loop = closure_.model().loops()[k];
  const LoopClosure::Block& block = closure_.blocks()[k];
  if (loop.kind == LoopKind::coupling) return closure_.length_scale();
  const int turns = turn_rows(loop);
  double length = 0;
  for (std::size_t c = 0; c < block.columns.size(); ++c)
    if (!slides_[block.columns[c]])
      for (int r = turns; r < block.rows; ++r)
        length = std::max(length, std::abs(block.A(r, static_cast<Eigen::Index>(c))));
  return length > 0 ? length : closure_.length_scale();
}

void LoopSystem::compress(std::size_t k) {
  const LoopClosure::Block& block = closure_.blocks()[k];
  Part& part = parts_[k];
  if (part.rows == 0) return;
  // Ranks are decided on pure numbers, the rows themselves keep their units.
  // Lengths count by the loop's own.
  const bool coupling = closure_.model().loops()[k].kind == LoopKind::coupling;
  const int turns = coupling ? block.rows : turn_rows(closure_.model().loops()[k]);
  const double length = length_of(k);
  const auto scale_of_row = [&](int r) {
    return coupling ? closure_.row_scale()(block.first_row) : r < turns ? 1 : 1 / length;
  };
  for (std::size_t c = 0; c < block.columns.size(); ++c) {
    const auto place = static_cast<Eigen::Index>(c);
    const int column = block.columns[c];
    const double scale = held_[column] ? 0 : slides_[column] ? length : 1;
    for (int r = 0; r < block.rows; ++r)
      (part.wide ? part.scaled(place, r) : part.scaled(r, place)) =
          scale_of_row(r) * block.A(r, place) * scale;
  }
  // Of A' = V S U' the turns are U; of A = U S V' what is left of the columns is U S.
  make_columns_orthogonal(part.scaled, part.wide ? &part.turn : nullptr);
  // The largest first.
  double largest = 0;
  for (int r = 0; r < part.rows; ++r) {
    Eigen::Index at = 0;
    double size = part.scaled.col(0).squaredNorm();
    for (Eigen::Index c = 1; c < part.scaled.cols(); ++c)
      if (const double other = part.scaled.col(c).squaredNorm(); other > size) {
        size = other;
        at = c;
      }
    size = std::sqrt(size);
    if (r == 0) largest = size;
    if (size > loop_rank_tolerance_of(closure_.model()) * largest) {
      for (int row = 0; row < block.rows; ++row)
        part.U(row, r) =
            scale_of_row(row) * (part.wide ? part.turn(row, at) : part.scaled(row, at) / size);
      margin_ = std::min(margin_, size / largest);
    } else {
      part.U.col(r).setZero();
    }
    part.scaled.col(at).setZero();
  }
  part.A = part.U.transpose().lazyProduct(block.A);
}

void LoopSystem::update_mass(Workspace& work, const double* q) {
  const Model& model = closure_.model();
  if (model.topology().shared_speeds || model.flexible()) {
    compute_mass_matrix(model, work, q);
    return set_mass(work.mass_matrix);
  }
  unsymmetric_.resize(0, 0);
  dynamics_kernels().branch_mass_matrix(view<double>(model.topology(), model.parameters()),
                                        work.view(), q, mass_values_.data());
  for (int k = 0; k < n_; ++k) mass_diagonal_(k) = mass_values_[diagonal_[k]];
}

void LoopSystem::set_mass(const Eigen::MatrixXd& M) {
  double largest = 0, apart = 0;
  for (int c = 0; c < n_; ++c)
    for (int r = c; r < n_; ++r) {
      largest = std::max(largest, std::abs(M(r, c)));
      apart = std::max(apart, std::abs(M(r, c) - M(c, r)));
    }
  if (apart > 1e-12 * largest)
    unsymmetric_ = M;
  else
    unsymmetric_.resize(0, 0);
  for (std::size_t e = 0; e < mass_entries_.size(); ++e)
    mass_values_[e] = M(mass_entries_[e].first, mass_entries_[e].second);
  for (int k = 0; k < n_; ++k) mass_diagonal_(k) = mass_values_[diagonal_[k]];
}

void LoopSystem::factor(double damping) {
  margin_ = joint_margin_ = 1;
  for (std::size_t k = 0; k < parts_.size(); ++k) compress(k);
  const double largest = n_ > 0 ? mass_diagonal_.cwiseAbs().maxCoeff() : 0;
  some_massless_ = false;
  for (int k = 0; k < n_; ++k) {
    massless_[k] = mass_diagonal_(k) <= std::max(1e-14 * largest, mass_rounding(k));
    some_massless_ = some_massless_ || (massless_[k] && !held_[k]);
    mass_shift_(k) = relative_shift * std::max(mass_diagonal_(k), 1e-3 * largest);
  }
  if (some_massless_) shift_massless(largest);
  put_values(damping);
  factored_ = ldlt_.factor();
  loose_ = some_massless_ && !(factored_ && massless_follow());
  // A pivot near rounding, or none: these speeds move mass, and yet some of them together may not.
  constexpr double doubtful_share = 1e-10;
  doubtful_ = !factored_ || ldlt_.least_share() < doubtful_share;
}

/// Whether masses and loops determine the massless speeds: pushed by efforts of the size of their
/// shift, they give way by the shift's share of the mass behind them, or else, loose, by about one.
bool LoopSystem::massless_follow() {
  right_.setZero();
  for (int k = 0; k < n_; ++k)
    if (massless_[k] && !held_[k]) right_(k) = (1 + 0.3 * (k % 5)) * mass_shift_(k);
  ldlt_.solve(right_);
  return right_.head(n_).cwiseAbs().maxCoeff() < 1e-2;
}

/// What of a mass may be rounding: masses that stand still are moved to and fro by the robot's
/// size.
double LoopSystem::mass_rounding(int speed) const {
  const double length = closure_.length_scale() / closure_.column_scale()(speed);
  return 1e-15 * closure_.model().mass() * length * length;
}

/// What a speed without mass of its own feels of the masses beyond the loops: the smallest that a
/// row of a loop transmits to it. A small part of that keeps its pivot from swamping the others;
/// the iterations take it out again.
void LoopSystem::shift_massless(double largest) {
  constexpr double share = 1e-6;
  for (int k = 0; k < n_; ++k)
    if (massless_[k]) mass_shift_(k) = INFINITY;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    const std::vector<int>& columns = closure_.blocks()[p].columns;
    for (int r = 0; r < part.rows; ++r) {
      double size = 0;
      for (std::size_t c = 0; c < columns.size(); ++c)
        if (const double entry = part.A(r, static_cast<Eigen::Index>(c));
            !held_[columns[c]] && !massless_[columns[c]])
          size += entry * entry / mass_diagonal_(columns[c]);
      for (std::size_t c = 0; size > 0 && c < columns.size(); ++c)
        if (const double entry = part.A(r, static_cast<Eigen::Index>(c));
            massless_[columns[c]] && entry * entry > 1e-20 * size * largest)
          mass_shift_(columns[c]) = std::min(mass_shift_(columns[c]), share * entry * entry / size);
    }
  }
  for (int k = 0; k < n_; ++k)
    if (!(mass_shift_(k) < INFINITY)) mass_shift_(k) = 1e-3 * share * largest;
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
      // Massless speeds do not count where others do: they would make mu large beside these.
      double size = 0, massless = 0;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const int column = columns[c];
        const double entry = held_[column] ? 0 : part.A(r, static_cast<Eigen::Index>(c));
        values[place++] = entry;
        (massless_[column] ? massless : size) +=
            entry * entry / (mass_diagonal_(column) + mass_shift_(column));
      }
      if (!(size > 0)) size = massless;
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
  if (unsymmetric_.size() > 0) {
    y.noalias() = unsymmetric_ * x;
    return;
  }
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

bool LoopSystem::is_solved(const Eigen::VectorXd& f, const Eigen::VectorXd& x) {
  terms_ = f.cwiseAbs();
  for (std::size_t e = 0; e < mass_entries_.size(); ++e) {
    const auto [r, c] = mass_entries_[e];
    terms_(r) += std::abs(mass_values_[e] * x(c));
    if (r != c) terms_(c) += std::abs(mass_values_[e] * x(r));
  }
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const std::vector<int>& columns = closure_.blocks()[k].columns;
    for (std::size_t c = 0; c < columns.size(); ++c)
      for (int r = 0; r < parts_[k].rows; ++r)
        terms_(columns[c]) +=
            std::abs(parts_[k].A(r, static_cast<Eigen::Index>(c)) * packed_(parts_[k].first + r));
  }
  residual(f, x);
  for (int k = 0; k < n_; ++k)
    if (!held_[k] && !(std::abs(right_(k)) <= 1e-11 * terms_(k))) return false;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const std::vector<int>& columns = closure_.blocks()[k].columns;
    for (int r = 0; r < parts_[k].rows; ++r) {
      double terms = std::abs(g_packed_(parts_[k].first + r));
      for (std::size_t c = 0; c < columns.size(); ++c)
        terms += std::abs(parts_[k].A(r, static_cast<Eigen::Index>(c)) * x(columns[c]));
      if (!(std::abs(right_(n_ + parts_[k].first + r)) <= 1e-11 * terms)) return false;
    }
  }
  return true;
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

void LoopSystem::unpack(Eigen::VectorXd& lambda) const {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const LoopClosure::Block& block = closure_.blocks()[k];
    const Part& part = parts_[k];
    lambda.segment(block.first_row, block.rows).setZero();
    for (int r = 0; r < part.rows; ++r)
      lambda.segment(block.first_row, block.rows) += packed_(part.first + r) * part.U.col(r);
  }
}

bool LoopSystem::solve(const Eigen::VectorXd& f, const Eigen::VectorXd& g, Eigen::VectorXd& x,
                       Eigen::VectorXd& lambda, double scale) {
  undetermined_.clear();
  pack(g, g_packed_);
  if (unsymmetric_.size() > 0 || doubtful_) {
    const bool found =
        unsymmetric_.size() > 0 ? solve_unsymmetric(f, x) : solve_by_null_space(f, x);
    unpack(lambda);
    return found;
  }
  packed_.setZero();
  for (int k = 0; k < n_; ++k)
    if (!held_[k]) x(k) = 0;
  double previous = INFINITY;
  bool converged = false;
  for (iterations_ = 0; !loose_ && iterations_ < most_iterations; ++iterations_) {
    residual(f, x);
    ldlt_.solve(right_);
    if (!right_.allFinite()) break;
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
  if (converged && some_massless_) converged = is_solved(f, x);
  // So large, x is what the shift of M made of a direction without mass.
  const auto wild = [&] {
    const double size = x.norm();
    return scale > 0 && !(size <= 1e9 * (scale + g.norm()) &&
                          size <= 1e11 * (f.norm() / mass_diagonal_.maxCoeff() + g.norm()));
  };
  const bool at_rest = x.norm() == 0, too_large = wild();
  if (too_large) converged = false;
  if (!converged && (some_massless_ || !at_rest))
    converged = (!some_massless_ && !too_large && solve_by_values(f, x) && !wild()) ||
                solve_by_null_space(f, x);
  unpack(lambda);
  return converged || (!some_massless_ && at_rest);
}

}  // namespace ulna
