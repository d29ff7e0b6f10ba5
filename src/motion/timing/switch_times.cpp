#include "ulna/motion/internal/switch_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "timing/shortest_intervals.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/numerics/internal/least_squares.hpp"

namespace ulna {

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

/// Unknowns: the lengths between the switches of each joint, as parts of the start's duration, and
/// the duration itself. What exceeds the duration is a residual of its own.
class SwitchSearch {
 public:
  explicit SwitchSearch(const SwitchProblem& problem) : problem_(problem) {}

  struct Trial {
    std::vector<std::vector<double>> switches;
    double duration, excess;
  };
  Trial trial(const Eigen::VectorXd& x) const {
    Trial out;
    const double unit = problem_.start_duration;
    out.duration = unit * x(x.size() - 1);
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
  struct Exhausted {};                     ///< thrown after the last run
  double least() const { return least_; }  ///< what the best run left

  Eigen::VectorXd miss(const Trial& now) {
    if (evaluations_ >= problem_.runs) throw Exhausted{};
    ++evaluations_;
    Eigen::VectorXd left = problem_.miss(now.switches, now.duration);
    least_ = std::min(least_, std::hypot(left.norm(), now.excess));
    return left;
  }
  Eigen::VectorXd residual(const Eigen::VectorXd& x) {
    const Trial now = trial(x);
    const Eigen::VectorXd left = miss(now);
    Eigen::VectorXd r(left.size() + 1);
    r << left, now.excess;
    return r;
  }
  LeastSquaresResult solve(const Eigen::VectorXd& start) {
    LeastSquaresProblem least;
    least.lower = Eigen::VectorXd::Zero(start.size());
    least.lower(start.size() - 1) = smallest_duration;
    least.evaluate = [&](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
      r = residual(x);
      if (!J) return;
      J->resize(r.size(), x.size());
      for (Eigen::Index k = 0; k < x.size(); ++k) {
        const double h = problem_.difference;
        Eigen::VectorXd up = x, down = x;
        up(k) += h;
        down(k) = std::max(least.lower(k), x(k) - h);
        J->col(k) = (residual(up) - residual(down)) / (up(k) - down(k));
      }
    };
    LeastSquaresOptions options;
    options.max_iterations = problem_.iterations;
    options.residual_tolerance = problem_.tolerance;
    return solve_least_squares(least, start, options);
  }
  int evaluations() const { return evaluations_; }

 private:
  static constexpr double smallest_duration = 1e-3;  ///< part of the first guess
  const SwitchProblem& problem_;
  int evaluations_ = 0;
  double least_ = INFINITY;
};

/// The guess as it is, then run faster and slower.
LeastSquaresResult met(SwitchSearch& search, const SwitchProblem& problem,
                       const Eigen::VectorXd& x) {
  LeastSquaresResult found = search.solve(x);
  for (const double pace : {0.7, 1.4, 0.5, 2.0, 0.25, 4.0}) {
    if (found.residual_norm <= problem.tolerance) break;
    LeastSquaresResult other = search.solve(pace * x);
    if (other.residual_norm < found.residual_norm) found = std::move(other);
  }
  return found;
}

/// The switches and the duration of x as intervals, the last one of each joint included.
SwitchIntervals intervals_of(const SwitchProblem& problem, const Eigen::VectorXd& x) {
  SwitchIntervals intervals;
  intervals.lengths.resize(x.size() - 1 + std::ssize(problem.start));
  Eigen::Index from = 0, to = 0;
  for (const auto& joint : problem.start) {
    const auto count = std::ssize(joint);
    intervals.counts.push_back(static_cast<int>(count) + 1);
    intervals.lengths.segment(to, count) = x.segment(from, count);
    intervals.lengths(to + count) = std::max(0.0, x(x.size() - 1) - x.segment(from, count).sum());
    from += count, to += count + 1;
  }
  return intervals;
}
Eigen::VectorXd switches_of(const SwitchIntervals& intervals) {
  Eigen::VectorXd x(intervals.lengths.size() - std::ssize(intervals.counts) + 1);
  Eigen::Index from = 0, to = 0;
  for (const int count : intervals.counts) {
    x.segment(to, count - 1) = intervals.lengths.segment(from, count - 1);
    from += count, to += count - 1;
  }
  x(to) = intervals.duration();
  return x;
}

void shorten(SwitchSearch& search, const SwitchProblem& problem, Eigen::VectorXd& x, double& miss) {
  SwitchIntervals intervals = intervals_of(problem, x);
  intervals.miss = miss;
  try {
    shorten_intervals(
        [&](const Eigen::VectorXd& lengths) {
          SwitchIntervals at = intervals;
          at.lengths = lengths;
          return search.miss(search.trial(switches_of(at)));
        },
        problem.tolerance, problem.difference, intervals);
  } catch (const SwitchSearch::Exhausted&) {  // as short as was found
  }
  x = switches_of(intervals);
  miss = intervals.miss;
}

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
  LeastSquaresResult found;
  try {
    found = met(search, problem, x);
  } catch (const SwitchSearch::Exhausted&) {
    throw ComputationError(
        fmt::format(
            "no switch times that meet the goal were found in {} runs: a difference of {:.4g} "
            "remains; start from better times, choose a closer goal, or allow a larger tolerance",
            problem.runs, search.least()),
        search.least());
  }
  if (found.residual_norm > problem.tolerance)
    throw ComputationError(fmt::format("no switch times that meet the goal: {:.4g} is left ({})",
                                       found.residual_norm, found.reason),
                           found.residual_norm);
  x = found.x;
  const Eigen::Index conditions = found.residual.size() - 1;
  if (problem.minimise && x.size() > conditions) shorten(search, problem, x, found.residual_norm);
  const SwitchSearch::Trial final = search.trial(x);
  return {final.switches, final.duration, found.residual_norm, search.evaluations()};
}

}  // namespace ulna
