#include "ulna/motion/bang_bang.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/numerics/error.hpp"

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

}  // namespace ulna
