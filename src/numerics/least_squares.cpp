#include "ulna/numerics/internal/least_squares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The bounds, seen from the columns of J.
class Box {
 public:
  Box(const LeastSquaresProblem& problem, Eigen::Index size)
      : lower_(problem.lower), upper_(problem.upper), entry_(problem.euclidean) {
    const bool bounded = lower_.size() + upper_.size() > 0;
    if (lower_.size() == 0) lower_ = VectorXd::Constant(size, -infinity);
    if (upper_.size() == 0) upper_ = VectorXd::Constant(size, infinity);
    if (lower_.size() != size || upper_.size() != size)
      throw InputError(fmt::format("{} lower and {} upper bounds", lower_.size(), upper_.size()),
                       fmt::format("{} of each, one per variable, or none", size));
    for (Eigen::Index i = 0; i < size; ++i) {
      if (!(lower_(i) <= upper_(i)))
        throw InputError(fmt::format("bounds {} and {} of variable {}", lower_(i), upper_(i), i),
                         "lower <= upper");
    }
    if (!problem.retract) {
      entry_.clear();
      for (int i = 0; i < static_cast<int>(size); ++i) entry_.push_back(i);
    } else if (bounded && entry_.empty()) {
      throw InputError("bounds with a retraction", "`euclidean`, the entries they act on");
    }
    for (const int i : entry_) {
      if (i < -1 || i >= size)
        throw InputError(fmt::format("entry {} in `euclidean`", i),
                         fmt::format("-1 to {}", size - 1));
    }
    any_columns_ = problem.retract && entry_.empty();
  }

  /// Columns that J must have.
  void check_columns(Eigen::Index columns) {
    if (any_columns_) {
      entry_.assign(static_cast<std::size_t>(columns), -1);
      any_columns_ = false;
    }
    if (columns != std::ssize(entry_))
      throw InputError(fmt::format("the Jacobian has {} columns", columns),
                       fmt::format("{}", entry_.size()));
  }

  /// How far column j may move x down (not positive) and up (not negative).
  double room_below(const VectorXd& x, int j) const {
    const int i = entry(j);
    return i < 0 ? -infinity : lower_(i) - x(i);
  }
  double room_above(const VectorXd& x, int j) const {
    const int i = entry(j);
    return i < 0 ? infinity : upper_(i) - x(i);
  }

  /// After the step dx from `before`: what stopped on a bound is on it exactly.
  void settle(VectorXd& x, const VectorXd& before, const VectorXd& dx) const {
    for (int j = 0; j < std::ssize(entry_); ++j) {
      if (entry(j) < 0) continue;  // its room is infinite, as a step can be that overflows
      if (dx(j) == room_below(before, j)) x(entry(j)) = lower_(entry(j));
      if (dx(j) == room_above(before, j)) x(entry(j)) = upper_(entry(j));
    }
    clamp(x);
  }

  void clamp(VectorXd& x) const {
    for (const int i : entry_) {
      if (i >= 0) x(i) = std::clamp(x(i), lower_(i), upper_(i));
    }
  }

 private:
  int entry(int j) const { return entry_[static_cast<std::size_t>(j)]; }

  VectorXd lower_, upper_;
  std::vector<int> entry_;  // of x, for each column; -1 if none
  bool any_columns_ = false;
};

class Solver {
 public:
  Solver(const LeastSquaresProblem& problem, const VectorXd& start,
         const LeastSquaresOptions& options)
      : problem_(problem), options_(options), box_(problem, start.size()) {
    result_.x = start;
    box_.clamp(result_.x);
    damping_ = std::max(options.initial_damping, options.minimum_damping);
  }

  LeastSquaresResult solve() {
    do {
      linearise();
    } while (!at_minimum() && take_step());
    return std::move(result_);
  }

 private:
  void linearise();
  void find_free_columns();
  bool at_minimum();
  bool take_step();
  VectorXd damped_step(const VectorXd& r) const;
  void bend(const VectorXd& dx, const VectorXd& change, VectorXd& x, VectorXd& r_new,
            double& actual);
  VectorXd damped_minimum(const std::vector<int>& columns, const VectorXd& r) const;
  std::vector<int>::const_iterator most_wanting(const std::vector<int>& fixed, const VectorXd& dx,
                                                const VectorXd& given) const;
  VectorXd moved(const VectorXd& dx) const;
  void stop_without_progress();
  bool stop(LeastSquaresStatus status, std::string reason);

  const LeastSquaresProblem& problem_;
  const LeastSquaresOptions& options_;
  Box box_;
  LeastSquaresResult result_;
  MatrixXd J_;
  VectorXd scale_;         // D: the largest norm each column has had
  std::vector<int> free_;  // columns not held at a bound
  double damping_;         // lambda
  double growth_ = 2;      // Nielsen's nu: damping grows faster with each failure in a row
};

/// Residual and Jacobian at x, and what follows from them.
void Solver::linearise() {
  VectorXd& r = result_.residual;
  problem_.evaluate(result_.x, r, &J_);
  ++result_.evaluations;
  ++result_.jacobians;
  if (J_.rows() != r.size())
    throw InputError(fmt::format("a Jacobian of {} rows", J_.rows()),
                     fmt::format("{}, as many as residuals", r.size()));
  box_.check_columns(J_.cols());
  if (!r.allFinite() || !J_.allFinite())
    throw ComputationError("least squares: residual or Jacobian is not a finite number");
  result_.residual_norm = r.stableNorm();

  VectorXd norms = J_.colwise().norm();
  // A column that is rounding of the others moves nothing. Scaled by its own length it would be
  // hardly damped, and the variable would be thrown far away.
  const double rounding = norms.size() > 0 ? 64 * epsilon * norms.maxCoeff() : 0;
  for (Eigen::Index k = 0; k < norms.size(); ++k)
    if (norms(k) <= rounding) {
      J_.col(k).setZero();
      norms(k) = 0;
    }
  if (scale_.size() == 0) scale_ = VectorXd::Zero(norms.size());
  scale_ = scale_.cwiseMax(norms);
  find_free_columns();
}

/// A column at a bound (but for a way too short to change r) with the gradient pointing outwards is
/// held.
void Solver::find_free_columns() {
  const VectorXd gradient = J_.transpose() * result_.residual;
  result_.held.clear();
  result_.gradient_cosine = 0;
  free_.clear();
  for (int j = 0; j < gradient.size(); ++j) {
    const double g = gradient(j);
    const double slack = scale_(j) > 0 ? epsilon * result_.residual_norm / scale_(j) : 0;
    const double below = box_.room_below(result_.x, j) + slack;
    const double above = box_.room_above(result_.x, j) - slack;
    if ((below >= 0 && (g > 0 || above <= 0)) || (above <= 0 && g < 0)) {
      result_.held.push_back(j);
      continue;
    }
    free_.push_back(j);
    const double size = J_.col(j).norm() * result_.residual_norm;
    if (size > 0) result_.gradient_cosine = std::max(result_.gradient_cosine, std::abs(g) / size);
  }
}

bool Solver::at_minimum() {
  if (result_.residual_norm <= options_.residual_tolerance)
    return stop(LeastSquaresStatus::converged,
                fmt::format("residual {:.3g} is within the tolerance {:.3g}", result_.residual_norm,
                            options_.residual_tolerance));
  if (free_.empty())
    return stop(
        LeastSquaresStatus::stationary,
        fmt::format("residual {:.3g} with every variable held at a bound", result_.residual_norm));
  if (result_.gradient_cosine <= options_.gradient_tolerance)
    return stop(
        LeastSquaresStatus::stationary,
        fmt::format("residual {:.3g} is a minimum: gradient cosine {:.3g}, {} held at bounds",
                    result_.residual_norm, result_.gradient_cosine, result_.held.size()));
  return false;
}

/// Tries steps with more and more damping until one reduces |r|. False when there is none.
bool Solver::take_step() {
  const VectorXd& r = result_.residual;
  const double squared = result_.residual_norm * result_.residual_norm;
  while (result_.iterations < options_.max_iterations) {
    interruption_point();
    ++result_.iterations;
    const VectorXd dx = damped_step(r);
    const VectorXd change = J_ * dx;
    const double predicted = -change.dot(2 * r + change);  // |r|^2 - |r + J dx|^2
    VectorXd x = moved(dx);
    if ((predicted <= 8 * epsilon * squared && damping_ <= 1) ||
        scale_.cwiseProduct(dx).norm() <= options_.step_tolerance * result_.residual_norm ||
        x == result_.x) {
      stop_without_progress();
      return false;
    }

    VectorXd r_new;
    problem_.evaluate(x, r_new, nullptr);
    ++result_.evaluations;
    if (r_new.size() != r.size())
      throw InputError(fmt::format("{} residuals after {}", r_new.size(), r.size()),
                       "the same number at every x");
    double actual = (r - r_new).dot(r + r_new);
    if (!(actual > 0.75 * predicted)) bend(dx, change, x, r_new, actual);
    if (actual > 0 && predicted > 0) {
      const double gain = 2 * actual / predicted - 1;
      damping_ *= std::max(1.0 / 3, 1 - gain * gain * gain);
      damping_ = std::max(damping_, options_.minimum_damping);
      growth_ = 2;
      result_.x = std::move(x);
      return true;
    }
    damping_ *= growth_;
    growth_ *= 2;
  }
  stop(LeastSquaresStatus::iteration_limit,
       fmt::format("residual {:.3g} after {} steps", result_.residual_norm, result_.iterations));
  return false;
}

/// Where r is curved along the step, as in a narrow bent valley near a singular J, what the step
/// leaves of r is mostly r_new - r - J dx. The step that takes this into account follows the
/// valley; it is taken when it is near the straight one and better.
void Solver::bend(const VectorXd& dx, const VectorXd& change, VectorXd& x, VectorXd& r_new,
                  double& actual) {
  const VectorXd& r = result_.residual;
  if (!r_new.allFinite()) return;
  const VectorXd bent = damped_step(r_new - change);
  if (!(scale_.cwiseProduct(bent - dx).norm() <= 0.75 * scale_.cwiseProduct(dx).norm())) return;
  VectorXd x_bent = moved(bent), r_bent;
  problem_.evaluate(x_bent, r_bent, nullptr);
  ++result_.evaluations;
  const double reached = (r - r_bent).dot(r + r_bent);
  if (!(reached > actual)) return;
  x = std::move(x_bent);
  r_new = std::move(r_bent);
  actual = reached;
}

void Solver::stop_without_progress() {
  // A reduction of |r| is about the square of the cosine, and invisible below rounding.
  if (result_.gradient_cosine <= std::sqrt(64 * epsilon))
    stop(LeastSquaresStatus::stationary,
         fmt::format("residual {:.3g} is a minimum to rounding: gradient cosine {:.3g}",
                     result_.residual_norm, result_.gradient_cosine));
  else
    stop(LeastSquaresStatus::stalled,
         fmt::format("no step reduces the residual {:.3g}, though the gradient cosine is {:.3g}",
                     result_.residual_norm, result_.gradient_cosine));
}

/// The damped step within the bounds, by active sets: towards the minimum over the free columns
/// until one meets a bound and is fixed there; at the minimum, free a fixed column that wants to
/// come back. The objective falls all the way, so the step reduces |r + J dx|.
VectorXd Solver::damped_step(const VectorXd& r) const {
  VectorXd dx = VectorXd::Zero(J_.cols());
  std::vector<int> columns = free_, fixed;
  // Ends by itself long before, but for rounding where columns are nearly dependent.
  for (std::size_t pass = 0; pass < 3 * free_.size() + 10; ++pass) {
    const VectorXd offset = r + J_(Eigen::all, fixed) * dx(fixed);
    const VectorXd towards = damped_minimum(columns, offset) - dx(columns);
    double part = 1, bound = 0;
    std::size_t blocking = columns.size();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const int j = columns[k];
      const double way = towards(static_cast<Eigen::Index>(k));
      const double room = way < 0 ? box_.room_below(result_.x, j) : box_.room_above(result_.x, j);
      if (std::abs(way) * part <= std::abs(room - dx(j))) continue;
      part = (room - dx(j)) / way;
      bound = room;
      blocking = k;
    }
    dx(columns) += std::max(part, 0.0) * towards;
    if (blocking < columns.size()) {
      dx(columns[blocking]) = bound;
      fixed.push_back(columns[blocking]);
      columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(blocking));
      continue;
    }
    const auto comes_back = most_wanting(fixed, dx, r);
    if (comes_back == fixed.end()) break;
    columns.push_back(*comes_back);
    fixed.erase(comes_back);
  }
  return dx;
}

/// Of columns fixed at bounds by the step dx, the one whose return reduces the damped objective
/// most.
std::vector<int>::const_iterator Solver::most_wanting(const std::vector<int>& fixed,
                                                      const VectorXd& dx,
                                                      const VectorXd& given) const {
  const VectorXd r = given + J_ * dx;
  auto best = fixed.end();
  double strongest = 8 * epsilon * result_.residual_norm;
  for (auto j = fixed.begin(); j != fixed.end(); ++j) {
    const double scale = scale_(*j);
    const double pull = J_.col(*j).dot(r) / scale + damping_ * scale * dx(*j);
    const bool below = dx(*j) <= box_.room_below(result_.x, *j);
    const double inwards = below ? -pull : pull;
    if (inwards > strongest) {
      strongest = inwards;
      best = j;
    }
  }
  return best;
}

/// The minimum of |J dx + r|^2 + lambda |D dx|^2 over some columns.
VectorXd Solver::damped_minimum(const std::vector<int>& columns, const VectorXd& r) const {
  const Eigen::Index m = J_.rows(), n = std::ssize(columns);
  if (n == 0) return VectorXd(0);
  MatrixXd A = MatrixXd::Zero(m + n, n);
  A.topRows(m) = J_(Eigen::all, columns);
  // A column that was always zero moves nothing; any scale keeps its step 0.
  const auto scale = [](double s) { return s > 0 ? s : 1; };
  A.bottomRows(n).diagonal() = std::sqrt(damping_) * scale_(columns).unaryExpr(scale);
  VectorXd b = VectorXd::Zero(m + n);
  b.head(m) = -r;
  return dense::Qr(A).solve(b);
}

VectorXd Solver::moved(const VectorXd& dx) const {
  VectorXd x = problem_.retract ? problem_.retract(result_.x, dx) : VectorXd(result_.x + dx);
  if (x.size() != result_.x.size())
    throw InputError(fmt::format("the retraction gives {} variables", x.size()),
                     fmt::format("{}", result_.x.size()));
  box_.settle(x, result_.x, dx);
  return x;
}

bool Solver::stop(LeastSquaresStatus status, std::string reason) {
  result_.status = status;
  result_.reason = std::move(reason);
  return true;
}

}  // namespace

LeastSquaresResult solve_least_squares(const LeastSquaresProblem& problem, const VectorXd& start,
                                       const LeastSquaresOptions& options) {
  if (!problem.evaluate) throw InputError("a least-squares problem without residual");
  if (!start.allFinite()) throw InputError("a start that is not finite");
  return Solver(problem, start, options).solve();
}

}  // namespace ulna
