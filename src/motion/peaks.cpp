#include "ulna/motion/internal/peaks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using Component = double MotionValue::*;

/// Keeps the largest of sign * component seen.
class Search {
 public:
  Search(const ScalarMotion& motion, Component component, bool absolute, double sign = 1)
      : motion_(motion), component_(component), absolute_(absolute), sign_(sign) {}

  double merit(double t) const {
    const double y = motion_.at(t).*component_;
    return absolute_ ? std::abs(y) : sign_ * y;
  }
  void see(double t) {
    const double m = merit(t);
    if (!(m > best_)) return;
    best_ = m;
    found_ = {motion_.at(t).*component_, t};
  }
  /// The maximum between two times that hold one between them, by golden section.
  void refine(double a, double b) {
    constexpr double golden = 0.381966011250105;
    double x = a + golden * (b - a), y = b - golden * (b - a);
    double fx = merit(x), fy = merit(y);
    for (int k = 0; k < 48 && b - a > 1e-9 * (std::abs(a) + std::abs(b)); ++k) {
      if (fx > fy) {
        b = y, y = x, fy = fx;
        x = a + golden * (b - a), fx = merit(x);
      } else {
        a = x, x = y, fx = fy;
        y = b - golden * (b - a), fy = merit(y);
      }
    }
    see(x);
    see(y);
  }
  void scan(double begin, double end, int samples) {
    // Jumps at the ends of a piece are seen from inside it.
    const double inset = 1e-12 * (end - begin);
    const auto time = [&](int k) {
      return k == 0         ? begin + inset
             : k == samples ? end - inset
                            : begin + (end - begin) * k / samples;
    };
    see(begin);
    see(end);
    double before = merit(time(0)), here = merit(time(1));
    see(time(0));
    for (int k = 1; k <= samples; ++k) {
      see(time(k));
      if (k == samples) break;
      const double after = merit(time(k + 1));
      if (here >= before && here >= after && here > best_ * (1 - 0.2))
        refine(time(k - 1), time(k + 1));
      before = here, here = after;
    }
  }
  Extreme found() const { return found_; }

 private:
  const ScalarMotion& motion_;
  Component component_;
  bool absolute_;
  double sign_;
  double best_ = -std::numeric_limits<double>::infinity();
  Extreme found_;
};

}  // namespace

MotionPeaks peaks_of(const ScalarMotion& motion, double begin, double end, int samples) {
  if (!std::isfinite(begin) || !std::isfinite(end) || !(begin < end) || samples < 2)
    throw InputError(fmt::format("peaks between {} and {} s by {} samples", begin, end, samples),
                     "a finite interval of time and at least 2 samples");
  std::vector<double> times{begin};
  for (const double t : motion.breakpoints())
    if (t > begin && t < end) times.push_back(t);
  times.push_back(end);

  const auto search = [&](Component component, bool absolute, double sign) {
    Search found(motion, component, absolute, sign);
    for (std::size_t k = 0; k + 1 < times.size(); ++k) found.scan(times[k], times[k + 1], samples);
    return found.found();
  };
  MotionPeaks peaks;
  peaks.lowest = search(&MotionValue::value, false, -1);
  peaks.highest = search(&MotionValue::value, false, 1);
  peaks.rate = search(&MotionValue::rate, true, 1);
  peaks.acceleration = search(&MotionValue::acceleration, true, 1);
  peaks.jerk = search(&MotionValue::jerk, true, 1);
  return peaks;
}

}  // namespace ulna
