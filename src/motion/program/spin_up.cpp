#include "ulna/motion/spin_up.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ulna/numerics/error.hpp"

namespace ulna {

SpinUp::SpinUp(double final_rate, double time, double from, double start)
    : rate_(final_rate), time_(time), from_(from), start_(start) {
  if (!(time > 0) || !std::isfinite(time))
    throw InputError(fmt::format("a spin-up that takes {} s", time), "a time above zero");
  if (!std::isfinite(final_rate) || !std::isfinite(from) || !std::isfinite(start))
    throw InputError(fmt::format("a spin-up from {} to the rate {}", from, final_rate),
                     "finite numbers");
}

MotionValue SpinUp::at(double t) const {
  const double x = t - start_;
  if (x < 0) return {from_, 0, 0, 0};
  if (x > time_) return {from_ + rate_ * (x - time_ / 2), rate_, 0, 0};
  const double w = 2 * M_PI / time_, half = std::sin(w * x / 2), s = std::sin(w * x);
  const double b = rate_ / time_;
  return {from_ + b * (x * x / 2 - 2 * half * half / (w * w)), b * (x - s / w), 2 * b * half * half,
          b * w * s};
}

double SpinUp::duration() const { return std::numeric_limits<double>::infinity(); }

}  // namespace ulna
