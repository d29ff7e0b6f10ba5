#include "ulna/motion/bang_bang.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/numerics/error.hpp"
#include "ulna/numerics/least_squares.hpp"

namespace ulna {
namespace {

struct Phase {
  double acceleration, time;
};

void check(double from, double to, const RateLimits& limits, double begin, double end) {
  if (!std::isfinite(from) || !std::isfinite(to) || !std::isfinite(begin) || !std::isfinite(end))
    throw InputError(
        fmt::format("a motion from {} to {} with rates {} and {}", from, to, begin, end),
        "finite numbers");
  if (!(limits.acceleration > 0) || !std::isfinite(limits.acceleration) ||
      !(limits.deceleration >= 0) || !std::isfinite(limits.deceleration))
    throw InputError(fmt::format("an acceleration limited to {} and a deceleration to {}",
                                 limits.acceleration, limits.deceleration),
                     "limits above zero");
  if (!(limits.rate > 0))
    throw InputError(fmt::format("a rate limited to {}", limits.rate), "above zero");
  if (std::abs(begin) > limits.rate || std::abs(end) > limits.rate)
    throw InputError(fmt::format("rates {} and {} at the ends", begin, end),
                     fmt::format("at most {}", limits.rate));
}

/// The fastest way for a positive top rate. A phase may cross rate zero, where acceleration and
/// deceleration limits change places: such phases are split.
class Planner {
 public:
  Planner(double up, double down, double rate) : up_(up), down_(down), rate_(rate) {}

  /// From rate v to rate w by full effort, appended; returns the way covered.
  double change(double v, double w, std::vector<Phase>* phases) const {
    double way = 0;
    const auto leg = [&](double a, double b) {  // both of one sign, or one of them zero
      if (a == b) return;
      const double speed_change = std::abs(b) - std::abs(a);
      const double magnitude = speed_change > 0 ? up_ : down_;
      const double time = std::abs(b - a) / magnitude;
      way += (a + b) / 2 * time;
      if (phases) phases->push_back({b > a ? magnitude : -magnitude, time});
    };
    if (v * w < 0) {
      leg(v, 0);
      leg(0, w);
    } else {
      leg(v, w);
    }
    return way;
  }
  /// The way from v over the top rate p (of either sign) to w.
  double way(double v, double p, double w) const {
    return change(v, p, nullptr) + change(p, w, nullptr);
  }
  /// The top rate with which the way is `distance`: the way grows with it.
  std::vector<Phase> plan(double distance, double v, double w) const {
    double low = std::min(v, w), high = std::max(v, w);
    std::vector<Phase> phases;
    // Outwards until the way is bracketed, or the limit is met and the rest is cruised.
    double step =
        std::max({std::abs(v), std::abs(w), std::sqrt(std::abs(distance) * (up_ + down_))});
    if (way(v, high, w) < distance) {
      while (way(v, high, w) < distance && high < rate_) {
        low = high;
        high = std::min(rate_, high + step);
        step *= 2;
      }
      if (way(v, high, w) <= distance) return with_cruise(distance, v, rate_, w);
    } else {
      while (way(v, low, w) > distance && low > -rate_) {
        high = low;
        low = std::max(-rate_, low - step);
        step *= 2;
      }
      if (way(v, low, w) >= distance) return with_cruise(distance, v, -rate_, w);
    }
    while (true) {  // bisection to neighbouring numbers
      const double middle = low + (high - low) / 2;
      if (!(middle > low && middle < high)) break;
      (way(v, middle, w) < distance ? low : high) = middle;
    }
    change(v, high, &phases);
    change(high, w, &phases);
    return phases;
  }

 private:
  std::vector<Phase> with_cruise(double distance, double v, double top, double w) const {
    std::vector<Phase> phases;
    double covered = change(v, top, &phases);
    std::vector<Phase> last;
    covered += change(top, w, &last);
    phases.push_back({0, (distance - covered) / top});
    phases.insert(phases.end(), last.begin(), last.end());
    return phases;
  }
  double up_, down_, rate_;
};

}  // namespace

PiecewisePolynomial fastest_between(double from, double to, const RateLimits& limits,
                                    double begin_rate, double end_rate) {
  check(from, to, limits, begin_rate, end_rate);
  const double down = limits.deceleration > 0 ? limits.deceleration : limits.acceleration;
  const Planner planner(limits.acceleration, down, limits.rate);
  std::vector<Phase> phases = planner.plan(to - from, begin_rate, end_rate);
  std::erase_if(phases, [](const Phase& phase) { return !(phase.time > 0); });
  if (phases.empty())
    throw InputError(fmt::format("a motion from {} to {}", from, to), "different values or rates");
  std::vector<double> times{0};
  Eigen::MatrixXd pieces(3, std::ssize(phases));
  double y = from, v = begin_rate;
  for (std::size_t k = 0; k < phases.size(); ++k) {
    const auto& [a, h] = phases[k];
    pieces.col(static_cast<Eigen::Index>(k)) << y, v, a / 2;
    y += h * (v + h * a / 2);
    v += h * a;
    times.push_back(times.back() + h);
  }
  return {std::move(times), std::move(pieces)};
}

SwitchedSignal::SwitchedSignal(double level, std::vector<double> switches, double duration)
    : level_(level), switches_(std::move(switches)), duration_(duration) {
  if (!std::isfinite(level))
    throw InputError(fmt::format("a level of {}", level), "a finite number");
  if (!(duration > 0) || !std::isfinite(duration))
    throw InputError(fmt::format("a signal that lasts {} s", duration), "a time above zero");
  double last = 0;
  for (const double t : switches_) {
    if (!(t >= last) || t > duration)
      throw InputError(fmt::format("a switch at {} s after {} s", t, last),
                       fmt::format("ascending times from 0 to {}", duration));
    last = t;
  }
}

MotionValue SwitchedSignal::at(double t) const {
  if (!(t >= 0) || t > duration_) return {};
  const auto passed = std::upper_bound(switches_.begin(), switches_.end(), t) - switches_.begin();
  return {passed % 2 == 0 ? level_ : -level_, 0, 0, 0};
}

std::vector<double> SwitchedSignal::breakpoints() const {
  std::vector<double> times{0, duration_};
  times.insert(times.end(), switches_.begin(), switches_.end());
  return merged_times(std::move(times));
}

namespace {

/// Unknowns: the lengths between the switches of each joint, as parts of the start's duration, and,
/// unless it is fixed, the duration itself. What exceeds the duration is a residual of its own.
class SwitchSearch {
 public:
  explicit SwitchSearch(const SwitchProblem& problem) : problem_(problem) {}

  struct Trial {
    std::vector<std::vector<double>> switches;
    double duration, excess;
  };
  Trial trial(const Eigen::VectorXd& x, double fixed) const {
    Trial out;
    const double unit = problem_.start_duration;
    out.duration = fixed > 0 ? fixed : unit * x(x.size() - 1);
    out.excess = 0;
    Eigen::Index k = 0;
    for (const auto& joint : problem_.start) {
      std::vector<double> times;
      double t = 0;
      for (std::size_t i = 0; i < joint.size(); ++i) {
        t += unit * x(k++);
        times.push_back(std::min(t, out.duration));
      }
      out.excess += std::max(0.0, t - out.duration) / unit;
      out.switches.push_back(std::move(times));
    }
    return out;
  }
  Eigen::VectorXd residual(const Eigen::VectorXd& x, double fixed) {
    const Trial now = trial(x, fixed);
    const Eigen::VectorXd miss = problem_.miss(now.switches, now.duration);
    ++evaluations_;
    Eigen::VectorXd r(miss.size() + 1);
    r << miss, now.excess;
    return r;
  }
  /// `fixed` > 0: at this duration.
  LeastSquaresResult solve(const Eigen::VectorXd& start, double fixed) {
    LeastSquaresProblem least;
    least.lower = Eigen::VectorXd::Zero(start.size());
    least.evaluate = [&](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
      r = residual(x, fixed);
      if (!J) return;
      J->resize(r.size(), x.size());
      for (Eigen::Index k = 0; k < x.size(); ++k) {
        const double h = problem_.difference;
        Eigen::VectorXd up = x, down = x;
        up(k) += h;
        down(k) = std::max(0.0, x(k) - h);
        J->col(k) = (residual(up, fixed) - residual(down, fixed)) / (up(k) - down(k));
      }
    };
    LeastSquaresOptions options;
    options.max_iterations = problem_.iterations;
    options.residual_tolerance = problem_.tolerance;
    return solve_least_squares(least, start, options);
  }
  int evaluations() const { return evaluations_; }

 private:
  const SwitchProblem& problem_;
  int evaluations_ = 0;
};

Eigen::VectorXd lengths_of(const SwitchProblem& problem) {
  std::vector<double> lengths;
  for (const auto& joint : problem.start) {
    double last = 0;
    for (const double t : joint) {
      if (!(t >= last) || t > problem.start_duration)
        throw InputError(fmt::format("a first guess of a switch at {} s after {} s", t, last),
                         fmt::format("ascending times from 0 to {}", problem.start_duration));
      lengths.push_back((t - last) / problem.start_duration);
      last = t;
    }
  }
  return Eigen::Map<Eigen::VectorXd>(lengths.data(), std::ssize(lengths));
}

}  // namespace

SwitchTimes find_switch_times(const SwitchProblem& problem) {
  if (!problem.miss) throw InputError("switch times without a function of the miss", "a function");
  if (!(problem.start_duration > 0) || !std::isfinite(problem.start_duration))
    throw InputError(fmt::format("a first guess of {} s", problem.start_duration),
                     "a time above zero");
  const Eigen::VectorXd lengths = lengths_of(problem);
  Eigen::VectorXd x(lengths.size() + 1);
  x << lengths, 1;
  SwitchSearch search(problem);
  LeastSquaresResult found = search.solve(x, 0);
  if (found.residual_norm > problem.tolerance)
    throw ComputationError(fmt::format("no switch times that meet the goal: {:.4g} is left ({})",
                                       found.residual_norm, found.reason),
                           found.residual_norm);
  x = found.x;
  double fixed = 0;
  const Eigen::Index conditions = found.residual.size() - 1;
  if (problem.minimise && x.size() > conditions) {
    // Shorter and shorter, by steps that halve when there is no solution any more.
    fixed = problem.start_duration * x(x.size() - 1);
    Eigen::VectorXd best = x.head(lengths.size());
    double step = 0.05 * fixed;
    while (step > 1e-9 * fixed) {
      const LeastSquaresResult shorter = search.solve(best, fixed - step);
      if (shorter.residual_norm <= problem.tolerance) {
        fixed -= step;
        best = shorter.x;
        found.residual_norm = shorter.residual_norm;
      } else {
        step /= 2;
      }
    }
    x.head(lengths.size()) = best;
  }
  const SwitchSearch::Trial final = search.trial(x, fixed);
  return {final.switches, final.duration, found.residual_norm, search.evaluations()};
}

}  // namespace ulna
