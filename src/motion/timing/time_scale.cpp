#include "ulna/motion/internal/time_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ulna/motion/internal/peaks.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The rate of one coordinate, as the value of a scalar motion.
class RateOf final : public ScalarMotion {
 public:
  RateOf(const Motion& motion, Eigen::Index k)
      : motion_(motion), k_(k), q_(motion.size()), v_(q_), a_(q_) {}
  MotionValue at(double t) const override {
    interruption_point();
    motion_.at(t, q_, v_, a_);
    return {0, v_(k_), 0, 0};
  }
  std::vector<double> breakpoints() const override { return motion_.breakpoints(); }
  double duration() const override { return motion_.duration(); }

 private:
  const Motion& motion_;
  Eigen::Index k_;
  mutable Eigen::VectorXd q_, v_, a_;
};

/// Values of alpha that break a limit, between `low` and `high`, and where.
struct Forbidden {
  double low, high, time;
  int coordinate;
};

/// Adds the alpha > 0 with a alpha^2 + b alpha + c > 0.
void forbid(std::vector<Forbidden>& all, double a, double b, double c, double time,
            int coordinate) {
  std::vector<double> ends{0};
  if (a == 0) {
    if (b != 0) ends.push_back(-c / b);
  } else if (const double d = b * b - 4 * a * c; d > 0) {
    const double q = -(b + std::copysign(std::sqrt(d), b)) / 2;
    ends.push_back(q / a);
    if (q != 0) ends.push_back(c / q);
  }
  std::erase_if(ends, [](double x) { return !(x >= 0) || !std::isfinite(x); });
  std::sort(ends.begin(), ends.end());
  ends.push_back(infinity);
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    if (!(ends[k + 1] > ends[k])) continue;
    const double inside =
        std::isfinite(ends[k + 1]) ? (ends[k] + ends[k + 1]) / 2 : 2 * ends[k] + 1;
    if ((a * inside + b) * inside + c > 0) all.push_back({ends[k], ends[k + 1], time, coordinate});
  }
}

/// The largest alpha that no interval forbids; 0 when there is none.
TimeScale largest_allowed(std::vector<Forbidden> all) {
  std::sort(all.begin(), all.end(),
            [](const Forbidden& a, const Forbidden& b) { return a.low < b.low; });
  // Upwards: `reach` ends what is forbidden so far. Each gap before the next interval is allowed,
  // and the last gap is the one wanted.
  TimeScale best{0, 0, 0, false};
  double reach = 0;
  for (const Forbidden& one : all) {
    if (one.low > reach)
      best = {one.low, one.time, one.coordinate, reach == 0};
    else if (best.alpha == 0 && one.low == 0)
      best = {0, one.time, one.coordinate, false};
    reach = std::max(reach, one.high);
  }
  if (std::isfinite(reach)) best = {infinity, 0, 0, all.empty()};
  return best;
}

class EffortSearch {
 public:
  EffortSearch(const std::function<EffortTerms(double)>& terms, const Eigen::VectorXd& lower,
               const Eigen::VectorXd& upper)
      : terms_(terms), lower_(lower), upper_(upper) {}

  void see(double t) {
    interruption_point();
    const EffortTerms e = terms_(t);
    for (const Eigen::VectorXd* part : {&e.inertial, &e.viscous, &e.constant}) {
      if (part->size() != lower_.size())
        throw InputError(fmt::format("effort terms of {} entries", part->size()),
                         fmt::format("{}, as many as limits", lower_.size()));
      if (!part->allFinite())
        throw ComputationError(fmt::format("an effort at {} s is not a finite number", t));
    }
    for (Eigen::Index k = 0; k < lower_.size(); ++k) {
      const double a = e.inertial(k), b = e.viscous(k), c = e.constant(k);
      if (std::isfinite(upper_(k))) forbid(all_, a, b, c - upper_(k), t, static_cast<int>(k));
      if (std::isfinite(lower_(k))) forbid(all_, -a, -b, lower_(k) - c, t, static_cast<int>(k));
    }
  }
  TimeScale result() const { return largest_allowed(all_); }

 private:
  const std::function<EffortTerms(double)>& terms_;
  const Eigen::VectorXd &lower_, &upper_;
  std::vector<Forbidden> all_;
};

}  // namespace

TimeScale alpha_for_rates(const Motion& motion, const Eigen::VectorXd& limits, int samples) {
  if (limits.size() != motion.size())
    throw InputError(fmt::format("{} rate limits", limits.size()),
                     fmt::format("{}, one per coordinate", motion.size()));
  TimeScale best{infinity, 0, 0, true};
  for (Eigen::Index k = 0; k < limits.size(); ++k) {
    if (!(limits(k) > 0))
      throw InputError(fmt::format("rate limit {} is {}", k + 1, limits(k)), "above zero");
    if (!std::isfinite(limits(k))) continue;
    const Extreme peak = peaks_of(RateOf(motion, k), 0, motion.duration(), samples).rate;
    const double alpha = limits(k) / std::abs(peak.value);
    if (alpha < best.alpha) best = {alpha, peak.time, static_cast<int>(k), true};
  }
  return best;
}

TimeScale alpha_for_efforts(const std::function<EffortTerms(double t)>& terms, double duration,
                            const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                            int samples) {
  if (!(duration > 0) || !std::isfinite(duration) || samples < 2)
    throw InputError(fmt::format("efforts over {} s by {} samples", duration, samples),
                     "a finite time above zero and at least 2 samples");
  if (lower.size() != upper.size() || !(lower.array() <= upper.array()).all())
    throw InputError("effort limits that do not fit each other", "lower <= upper for each");
  EffortSearch search(terms, lower, upper);
  for (int k = 0; k <= samples; ++k) search.see(duration * k / samples);
  TimeScale found = search.result();
  // Between samples the limit may be a little tighter: look closer about the decisive time.
  double width = duration / samples;
  for (int round = 0; round < 6 && std::isfinite(found.alpha); ++round, width /= 10) {
    const double begin = std::max(0.0, found.time - width);
    const double end = std::min(duration, found.time + width);
    for (int k = 1; k < 20; ++k) search.see(begin + (end - begin) * k / 20);
    found = search.result();
  }
  if (!(found.alpha > 0))
    throw ComputationError(
        fmt::format("no speed keeps the effort of coordinate {} within its limits "
                    "at {:.6g} s",
                    found.coordinate + 1, found.time));
  return found;
}

double alpha_for_measure(const std::function<double(double alpha)>& measure, double limit,
                         double low, double high, double tolerance) {
  if (!(low > 0) || !(high > low) || !std::isfinite(high))
    throw InputError(fmt::format("alpha between {} and {}", low, high), "0 < low < high");
  const double first = measure(low), last = measure(high);
  if (!(first <= limit) || !(last >= limit))
    throw ComputationError(
        fmt::format("the measure goes from {:.6g} at alpha = {:.6g} to {:.6g} at "
                    "{:.6g} and does not pass the limit {:.6g}",
                    first, low, last, high, limit));
  // False position with Illinois' halving: few evaluations, and each may be a simulation.
  double a = low, fa = first - limit, b = high, fb = last - limit;
  int side = 0;
  for (int k = 0; k < 200 && b - a > tolerance * b; ++k) {
    double x = fb == fa ? (a + b) / 2 : (a * fb - b * fa) / (fb - fa);
    if (!(x > a && x < b)) x = (a + b) / 2;
    const double fx = measure(x) - limit;
    if (std::isnan(fx))
      throw ComputationError(fmt::format("the measure is not a number at alpha = {:.6g}", x));
    if (fx == 0) return x;
    if (fx < 0) {
      a = x, fa = fx;
      if (side == -1) fb /= 2;
      side = -1;
    } else {
      b = x, fb = fx;
      if (side == 1) fa /= 2;
      side = 1;
    }
  }
  return a;
}

}  // namespace ulna
