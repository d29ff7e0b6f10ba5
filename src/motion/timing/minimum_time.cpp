#include "ulna/motion/minimum_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "timing/half_planes.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

constexpr double box = 1e6;  ///< of scaled x and u: what reaches it counts as unlimited

constexpr int wide = 5;  ///< intervals on each side of a zero of an m that are kept even

/// The points of the path and its coefficients there.
struct Grid {
  Grid(const MinimumTimeProblem& problem, int intervals);
  int intervals() const { return static_cast<int>(s.size()) - 1; }

  std::vector<double> s;
  std::vector<PathCoefficients> coefficients;
  bool viscous = false;
};

/// With viscous shares s goes with the fourth power of the number of intervals from an end at rest
/// (motions.md, eq. 43): the root of s, as which speeds grow there, is a parabola of that number.
/// Beyond a thousand intervals a lower power keeps the first one above 1e-12 of the path.
Grid::Grid(const MinimumTimeProblem& problem, int intervals) {
  viscous = problem.coefficients(problem.length / 2).d.size() > 0;
  const bool from_rest = viscous && problem.begin_speed == 0,
             to_rest = viscous && problem.end_speed == 0;
  const double power = std::clamp(12 / std::log10(std::max(intervals, 2)), 1.0, 4.0);
  const auto from_end = [&](double p) { return std::pow(p, power); };
  for (int i = 0; i <= intervals; ++i) {
    const double p = static_cast<double>(i) / intervals;
    double share = p;
    if (from_rest && to_rest)
      share = p < 0.5 ? 0.5 * from_end(2 * p) : 1 - 0.5 * from_end(2 * (1 - p));
    else if (from_rest)
      share = from_end(p);
    else if (to_rest)
      share = 1 - from_end(1 - p);
    s.push_back(problem.length * share);
  }
  for (const double at : s) {
    interruption_point();
    coefficients.push_back(problem.coefficients(at));
  }
}

/// The phase plane, scaled: x in units of X, s'' in units of X/length. Then from point to point
/// x grows by d (u_a + u_b), with s'' = u_a at the first and u_b at the second, d their distance.
/// About the zeros of an m, where the limits of u change within an interval, u_a = u_b: else the
/// two would play against each other from point to point.
class PhasePlane {
 public:
  /// `speeds`: s' at the points for the viscous shares; empty: at rest.
  PhasePlane(const MinimumTimeProblem& problem, const Grid& grid, double unit,
             const std::vector<double>& speeds);

  void go_back();
  void go_forward();
  MinimumTimeResult result() const;

 private:
  struct Step {
    double x, u_begin, u_end;  ///< x at the end
  };
  void find_even();
  Polygon::Range back_linear(int i) const;
  Polygon::Range back_even(int i) const;
  Step linear_step(int i, double x) const;
  Step even_step(int i, double x) const;
  /// Limits of a constant u in interval i, by u and by x at its begin.
  std::vector<HalfPlane> even_limits(int i) const;
  double s(int i) const { return grid_.s[static_cast<std::size_t>(i)]; }
  /// Of interval i, by the length of the path.
  double d(int i) const { return (s(i + 1) - s(i)) / problem_.length; }
  Polygon feasible(int i) const;
  void constrain(int i, double speed);
  void linearize_damping(PathCoefficients& k, double speed) const;
  /// The range of u that keeps the limits with x.
  static Polygon::Range accelerations(const std::vector<HalfPlane>& limits, double x);
  const std::vector<HalfPlane>& limits(int i) const { return limits_[static_cast<std::size_t>(i)]; }
  const Polygon::Range& reachable(int i) const { return reachable_[static_cast<std::size_t>(i)]; }
  double interval_time(int i) const;
  /// What the motion keeps to in an interval.
  enum class Limit { upper, lower, speed, between };
  Limit limit_of(int i) const;
  std::vector<int> switches() const;
  [[noreturn]] void fail(int i, const std::string& why) const;

  const MinimumTimeProblem& problem_;
  const Grid& grid_;
  const int n_;
  const double unit_;
  std::vector<std::vector<HalfPlane>> limits_;  ///< at each point
  Eigen::MatrixXd m_;                           ///< of each joint (rows) at each point
  std::vector<bool> even_;                      ///< intervals with u_a = u_b
  std::vector<Polygon::Range> reachable_;       ///< x from which the end can be reached
  std::vector<double> x_, u_begin_, u_end_;
};

PhasePlane::PhasePlane(const MinimumTimeProblem& problem, const Grid& grid, double unit,
                       const std::vector<double>& speeds)
    : problem_(problem), grid_(grid), n_(grid.intervals()), unit_(unit) {
  limits_.resize(static_cast<std::size_t>(n_) + 1);
  m_.resize(problem.lower.size(), n_ + 1);
  for (int i = 0; i <= n_; ++i) {
    interruption_point();
    constrain(i, speeds.empty() ? 0 : speeds[static_cast<std::size_t>(i)]);
  }
  find_even();
}

void PhasePlane::find_even() {
  even_.assign(static_cast<std::size_t>(n_), false);
  for (Eigen::Index j = 0; j < m_.rows(); ++j)
    for (int i = 0; i < n_; ++i) {
      const double a = m_(j, i), b = m_(j, i + 1);
      if (a * b > 0 || (a == 0 && b == 0)) continue;
      for (int k = std::max(0, i - wide); k <= std::min(n_ - 1, i + wide); ++k)
        even_[static_cast<std::size_t>(k)] = true;
    }
}

void PhasePlane::fail(int i, const std::string& why) const {
  throw ComputationError(fmt::format("at s = {:.6g} of {:.6g} {}", s(i), problem_.length, why),
                         s(i));
}

/// d s' about the speed s0 of the round before is d (s0 + x/s0)/2: it is exact there and above s'
/// elsewhere. A speed at which damping alone would take all effort is too high to begin with.
void PhasePlane::linearize_damping(PathCoefficients& k, double speed) const {
  for (Eigen::Index j = 0; j < k.d.size(); ++j) {
    const double room = std::min(problem_.upper(j) - k.g(j), k.g(j) - problem_.lower(j));
    if (k.d(j) != 0 && std::isfinite(room) && room > 0)
      speed = std::min(speed, room / std::abs(k.d(j)));
  }
  if (!(speed > 0)) return;
  k.c += k.d / (2 * speed);
  k.g += k.d * (speed / 2);
}

void PhasePlane::constrain(int i, double speed) {
  PathCoefficients k = grid_.coefficients[static_cast<std::size_t>(i)];
  const Eigen::Index joints = problem_.lower.size();
  if (k.m.size() != joints || k.c.size() != joints || k.g.size() != joints)
    throw InputError(fmt::format("path coefficients of {}, {} and {} entries", k.m.size(),
                                 k.c.size(), k.g.size()),
                     fmt::format("{}, as many as effort limits", joints));
  if (!k.m.allFinite() || !k.c.allFinite() || !k.g.allFinite())
    fail(i, "a coefficient of the path is not a finite number");
  if (grid_.viscous) {
    if (k.d.size() != joints || !k.d.allFinite()) fail(i, "a viscous share is not a finite number");
    linearize_damping(k, speed);
  }
  m_.col(i) = k.m;
  std::vector<HalfPlane>& all = limits_[static_cast<std::size_t>(i)];
  for (Eigen::Index j = 0; j < joints; ++j) {
    const double m = k.m(j) * unit_ / problem_.length, c = k.c(j) * unit_;
    const double above = problem_.upper(j) - k.g(j), below = k.g(j) - problem_.lower(j);
    // Coefficients that cannot matter within the box are zero: only rest is limited then.
    const double room = std::max({std::abs(above), std::abs(below), 1e-300});
    if (std::isfinite(room) && (std::abs(m) + std::abs(c)) * box < 1e-9 * room) {
      if (above < 0 || below < 0)
        fail(i, fmt::format("the effort of joint {} at rest, {:.6g}, is outside its limits", j + 1,
                            k.g(j)));
      continue;
    }
    if (std::isfinite(above)) all.push_back(HalfPlane::unit(m, c, above));
    if (std::isfinite(below)) all.push_back(HalfPlane::unit(-m, -c, below));
  }
  if (!problem_.speed_limit) return;
  const double most = problem_.speed_limit(s(i));
  if (!(most >= 0))
    throw InputError(fmt::format("a speed limit of {} at s = {}", most, s(i)), "zero or more");
  if (std::isfinite(most)) all.push_back({0, 1, most * most / unit_});
}

Polygon PhasePlane::feasible(int i) const {
  Polygon polygon(box, 0, box);
  polygon.cut(limits(i));
  return polygon;
}

std::vector<HalfPlane> PhasePlane::even_limits(int i) const {
  std::vector<HalfPlane> all = limits(i);
  const auto add = [&](const HalfPlane& h) {  // of the end, where x + 2 d u takes the place of x
    all.push_back(HalfPlane::unit(h.a + 2 * d(i) * h.b, h.b, h.c));
  };
  for (const HalfPlane& h : limits(i + 1))
    if (std::hypot(h.a + 2 * d(i) * h.b, h.b) > 1e-12) add(h);
  add({0, 1, reachable(i + 1).high});
  add({0, -1, -reachable(i + 1).low});
  return all;
}

Polygon::Range PhasePlane::accelerations(const std::vector<HalfPlane>& limits, double x) {
  Polygon::Range range{-box, box};
  for (const HalfPlane& h : limits) {
    if (std::abs(h.a) < 1e-12) continue;
    const double bound = (h.c - h.b * x) / h.a;
    if (h.a > 0)
      range.high = std::min(range.high, bound);
    else
      range.low = std::max(range.low, bound);
  }
  // At a corner of the polygon one value is left, which rounding may turn inside out.
  if (range.low > range.high) range.low = range.high = (range.low + range.high) / 2;
  return range;
}

/// docs/theory/motions.md, eq. 34-35.
Polygon::Range PhasePlane::back_linear(int i) const {
  Polygon second = feasible(i + 1);
  second.cut({0, 1, reachable(i + 1).high});
  second.cut({0, -1, -reachable(i + 1).low});
  if (second.empty())
    fail(i + 1, i + 1 == n_ ? "the required final speed is not within the limits"
                            : "no speed keeps the limits");
  const Polygon::Range middle = second.range(-d(i), 1);  // x - d u_b
  Polygon first = feasible(i);
  if (first.empty()) fail(i, "no speed keeps the limits");
  first.cut(HalfPlane::unit(d(i), 1, middle.high));
  first.cut(HalfPlane::unit(-d(i), -1, -middle.low));
  if (first.empty()) fail(i, "the rest of the path cannot be run from any speed");
  return first.range(0, 1);
}

Polygon::Range PhasePlane::back_even(int i) const {
  Polygon polygon(box, 0, box);
  polygon.cut(even_limits(i));
  // What is too narrow for a constant u may still do for a linear one.
  return polygon.empty() ? back_linear(i) : polygon.range(0, 1);
}

void PhasePlane::go_back() {
  const double end = problem_.end_speed * problem_.end_speed / unit_;
  reachable_.assign(static_cast<std::size_t>(n_) + 1, {end, end});
  for (int i = n_ - 1; i >= 0; --i) {
    interruption_point();
    Polygon::Range& here = reachable_[static_cast<std::size_t>(i)];
    here = even_[static_cast<std::size_t>(i)] ? back_even(i) : back_linear(i);
    here.low = std::max(0.0, here.low);
    here.high = std::max(here.low, here.high);
  }
}

/// docs/theory/motions.md, eq. 36.
PhasePlane::Step PhasePlane::linear_step(int i, double x) const {
  const Polygon::Range a = accelerations(limits(i), x), &next = reachable(i + 1);
  Polygon second = feasible(i + 1);
  second.cut({0, 1, next.high});
  second.cut({0, -1, -next.low});
  second.cut(HalfPlane::unit(-d(i), 1, x + d(i) * a.high));
  second.cut(HalfPlane::unit(d(i), -1, -(x + d(i) * a.low)));
  // Empty by rounding only, since x is among the reachable.
  const double most =
      second.empty() ? x + 2 * d(i) * std::clamp(0.0, a.low, a.high) : second.range(0, 1).high;
  const double after = std::clamp(most, next.low, next.high);
  // Of all pairs with this sum, the most even one.
  const double sum = (after - x) / d(i);
  const Polygon::Range b = accelerations(limits(i + 1), after);
  const double u = std::clamp(std::clamp(sum / 2, sum - b.high, sum - b.low), a.low, a.high);
  return {after, u, sum - u};
}

PhasePlane::Step PhasePlane::even_step(int i, double x) const {
  Polygon polygon(box, 0, box);
  const std::vector<HalfPlane> all = even_limits(i);
  polygon.cut(all);
  if (polygon.empty()) return linear_step(i, x);
  const double most = x + 2 * d(i) * accelerations(all, x).high;
  const double after = std::clamp(most, reachable(i + 1).low, reachable(i + 1).high);
  return {after, (after - x) / (2 * d(i)), (after - x) / (2 * d(i))};
}

void PhasePlane::go_forward() {
  const double begin = problem_.begin_speed * problem_.begin_speed / unit_;
  const Polygon::Range possible = reachable_.front();
  if (begin > possible.high * (1 + 1e-12) || begin < possible.low * (1 - 1e-12))
    fail(0, fmt::format(
                "the speed {:.6g} is outside {:.6g} to {:.6g}, from which the end can be reached",
                problem_.begin_speed, std::sqrt(possible.low * unit_),
                std::sqrt(possible.high * unit_)));
  x_ = {std::clamp(begin, possible.low, possible.high)};
  for (int i = 0; i < n_; ++i) {
    interruption_point();
    const double x = x_.back();
    const Step step = even_[static_cast<std::size_t>(i)] ? even_step(i, x) : linear_step(i, x);
    u_begin_.push_back(step.u_begin);
    u_end_.push_back(step.u_end);
    x_.push_back(step.x);
  }
  if (*std::max_element(x_.begin(), x_.end()) > 0.5 * box)
    throw InputError("the efforts do not limit the speed along the path", "a speed limit as well");
}

/// The time over interval i, the integral of ds/sqrt(x) with x a parabola in s: with C its leading
/// coefficient, (2/sqrt C) artanh(sqrt C/(sqrt x0 + sqrt x1)), or arctan for C < 0 (eq. 37).
double PhasePlane::interval_time(int i) const {
  const auto k = static_cast<std::size_t>(i);
  const double C = d(i) * (u_end_[k] - u_begin_[k]), sum = std::sqrt(x_[k]) + std::sqrt(x_[k + 1]);
  const double y = std::sqrt(std::abs(C)) / sum;
  double ratio = 1 + C / (3 * sum * sum);  // artanh(y)/y or arctan(y)/y for small y
  if (y > 1e-4) ratio = (C > 0 ? std::atanh(std::min(y, 1.0)) : std::atan(y)) / y;
  return d(i) * problem_.length / std::sqrt(unit_) * 2 / sum * ratio;
}

PhasePlane::Limit PhasePlane::limit_of(int i) const {
  constexpr double fast = 1 - 1e-5, far = 0.9;
  const auto k = static_cast<std::size_t>(i);
  const auto at_speed_limit = [&](int point) {
    for (const HalfPlane& h : limits(point))
      if (h.a == 0 && h.b == 1 && x_[static_cast<std::size_t>(point)] >= fast * h.c) return true;
    return false;
  };
  if (at_speed_limit(i) && at_speed_limit(i + 1)) return Limit::speed;
  const auto place = [](const Polygon::Range& range, double u) {  // -1 at its low end, 1 at high
    const double width = range.high - range.low;
    return width > 0 ? std::clamp((2 * u - range.low - range.high) / width, -1.0, 1.0) : 0;
  };
  const double mean = (place(accelerations(limits(i), x_[k]), u_begin_[k]) +
                       place(accelerations(limits(i + 1), x_[k + 1]), u_end_[k])) /
                      2;
  return mean > far ? Limit::upper : mean < -far ? Limit::lower : Limit::between;
}

/// Points at which the limit changes. An interval between limits belongs to neither: it is where
/// one passes into the other, or where the motion slides along the highest speed.
std::vector<int> PhasePlane::switches() const {
  std::vector<int> found;
  Limit last = Limit::between;
  int left = 0;  // where the last limit was left
  for (int i = 0; i < n_; ++i) {
    interruption_point();
    const Limit now = limit_of(i);
    if (now == Limit::between) continue;
    if (last != Limit::between && now != last) found.push_back((left + i) / 2);
    last = now;
    left = i + 1;
  }
  return found;
}

MinimumTimeResult PhasePlane::result() const {
  MinimumTimeResult out;
  out.time = {0};
  const double rate = std::sqrt(unit_), acceleration = unit_ / problem_.length;
  Eigen::MatrixXd pieces(6, n_);
  for (int i = 0; i <= n_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    out.s.push_back(s(i));
    out.speed.push_back(rate * std::sqrt(x_[k]));
    out.highest_speed.push_back(rate * std::sqrt(reachable_[k].high));
  }
  for (int i = 0; i < n_; ++i) {
    interruption_point();
    const auto k = static_cast<std::size_t>(i);
    const double dt = interval_time(i);
    if (!std::isfinite(dt) || !(dt > 0)) fail(i, "the motion comes to rest and cannot continue");
    out.time.push_back(out.time.back() + dt);
    pieces.col(i) =
        quintic_hermite({out.s[k], out.speed[k], acceleration * u_begin_[k], 0},
                        {out.s[k + 1], out.speed[k + 1], acceleration * u_end_[k], 0}, dt);
  }
  for (const int i : switches()) out.switches.push_back(s(i));
  out.duration = out.time.back();
  out.law = std::make_shared<PiecewisePolynomial>(out.time, pieces);
  return out;
}

void check(const MinimumTimeProblem& problem) {
  if (!problem.coefficients)
    throw InputError("minimum time without path coefficients", "a function");
  if (!(problem.length > 0) || !std::isfinite(problem.length))
    throw InputError(fmt::format("a path of length {}", problem.length), "a length above zero");
  if (problem.lower.size() != problem.upper.size() || problem.lower.size() == 0 ||
      !(problem.lower.array() < problem.upper.array()).all())
    throw InputError("effort limits that do not fit each other", "lower < upper for each joint");
  if (problem.intervals < 4 || problem.intervals > 10'000'000)
    throw InputError(fmt::format("{} intervals", problem.intervals), "4 to 10000000");
  if (!(problem.begin_speed >= 0) || !(problem.end_speed >= 0))
    throw InputError("a negative speed at an end of the path", "zero or more");
}

/// The unit of x: what the least effort could make of the path, some 1 when scaled by it.
double unit_of(const MinimumTimeProblem& problem) {
  constexpr int places = 50;
  double most = 0;
  for (int i = 0; i < places; ++i) {
    // Within the path: beyond its end, if only by rounding, nothing moves and there is no unit.
    const PathCoefficients k = problem.coefficients(problem.length * (i + 0.5) / places);
    if (k.m.size() != problem.lower.size() || k.c.size() != problem.lower.size()) continue;
    double least = std::numeric_limits<double>::infinity();
    for (Eigen::Index j = 0; j < k.m.size(); ++j) {
      const double range = problem.upper(j) - problem.lower(j);
      const double resistance = std::abs(k.m(j)) + problem.length * std::abs(k.c(j));
      if (std::isfinite(range) && resistance > 0) least = std::min(least, range / resistance);
    }
    if (std::isfinite(least)) most = std::max(most, least);
  }
  if (most > 0) return most * problem.length;
  double fastest = 1;
  if (problem.speed_limit) fastest = problem.speed_limit(problem.length / 2);
  return std::isfinite(fastest) && fastest > 0 ? fastest * fastest : 1;
}

MinimumTimeResult solve(const MinimumTimeProblem& problem, int intervals, double unit) {
  const Grid grid(problem, intervals);
  const auto round = [&](const std::vector<double>& speeds) {
    PhasePlane plane(problem, grid, unit, speeds);
    plane.go_back();
    plane.go_forward();
    return plane.result();
  };
  MinimumTimeResult found = round({});
  if (!grid.viscous) return found;
  // The viscous shares need the speeds of the solution before: some rounds (eq. 42).
  constexpr int most_rounds = 100;
  double change = 0, fastest = 0;
  for (int k = 0; k < most_rounds; ++k) {
    const std::vector<double> before = std::move(found.speed);
    found = round(before);
    change = fastest = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      change = std::max(change, std::abs(found.speed[i] - before[i]));
      fastest = std::max(fastest, found.speed[i]);
    }
    if (change <= 1e-9 * fastest) return found;
  }
  throw ComputationError(
      fmt::format("the least time with viscous friction does not settle: after {} rounds the speed "
                  "still changes by {:.3g} of {:.3g}; try fewer intervals or a speed limit",
                  most_rounds, change, fastest),
      change);
}

}  // namespace

MinimumTimeResult minimum_time(const MinimumTimeProblem& problem) {
  check(problem);
  const double unit = unit_of(problem);
  MinimumTimeResult result = solve(problem, problem.intervals, unit);
  const MinimumTimeResult coarse = solve(problem, problem.intervals / 2, unit);
  result.error_estimate = std::abs(result.duration - coarse.duration);
  return result;
}

}  // namespace ulna
