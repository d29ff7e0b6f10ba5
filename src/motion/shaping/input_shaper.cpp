#include "ulna/motion/input_shaper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "ulna/motion/internal/combined_motion.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

/// Where a motion starts, before it starts.
class RestingBefore final : public ScalarMotion {
 public:
  explicit RestingBefore(ScalarMotionPtr motion)
      : motion_(std::move(motion)), depth_(depth_around(motion_->depth())) {}
  MotionValue at(double t) const override {
    if (t >= 0) return motion_->at(t);
    return {motion_->at(0).value, 0, 0, 0};
  }
  std::vector<double> breakpoints() const override {
    std::vector<double> times = motion_->breakpoints();
    times.push_back(0);
    return merged_times(std::move(times));
  }
  double duration() const override { return motion_->duration(); }
  int depth() const override { return depth_; }

 private:
  ScalarMotionPtr motion_;
  int depth_;
};

void require_vibration(double frequency, double damping) {
  if (!(frequency > 0) || !std::isfinite(frequency))
    throw InputError(fmt::format("a shaper for {} rad/s", frequency), "a frequency above 0");
  if (!(damping >= 0 && damping < 1))
    throw InputError(fmt::format("a shaper for the damping ratio {}", damping),
                     "0 or more and below 1");
}

double worst_residual(const InputShaper& shaper, double low, double high, double damping) {
  constexpr int samples = 200;
  double worst = 0;
  for (int k = 0; k <= samples; ++k)
    worst = std::max(worst, shaper.residual(low + (high - low) * k / samples, damping));
  return worst;
}

}  // namespace

double InputShaper::residual(double frequency, double damping) const {
  const double decay = damping * frequency, wd = frequency * std::sqrt(1 - damping * damping);
  std::complex<double> sum = 0;
  for (const Impulse& one : impulses)
    sum += one.weight * std::exp(std::complex<double>(decay, wd) * (one.time - duration()));
  return std::abs(sum);
}

InputShaper zero_vibration(int derivatives, double frequency, double damping) {
  require_vibration(frequency, damping);
  if (derivatives < 0 || derivatives > 50)
    throw InputError(fmt::format("a shaper with {} derivatives", derivatives), "0 to 50");
  const double root = std::sqrt(1 - damping * damping);
  const double K = std::exp(-damping * std::numbers::pi / root);
  const double half_period = std::numbers::pi / (frequency * root);
  const int n = derivatives + 1;
  InputShaper shaper;
  shaper.impulses.clear();
  double weight = std::pow(1 + K, -n);  // binomial(n, k) K^k / (1 + K)^n
  for (int k = 0; k <= n; ++k) {
    shaper.impulses.push_back({k * half_period, weight});
    weight *= K * (n - k) / (k + 1);
  }
  return shaper;
}

InputShaper robust_shaper(double low, double high, double damping, double tolerance) {
  require_vibration(low, damping);
  if (!(high >= low) || !std::isfinite(high))
    throw InputError(fmt::format("frequencies from {} to {} rad/s", low, high), "a range");
  if (!(tolerance > 0)) throw InputError(fmt::format("a tolerance of {}", tolerance), "above 0");
  constexpr int most = 12;
  for (int derivatives = 0; derivatives <= most; ++derivatives) {
    const InputShaper shaper = zero_vibration(derivatives, (low + high) / 2, damping);
    if (worst_residual(shaper, low, high, damping) <= tolerance) return shaper;
  }
  throw InputError(
      fmt::format("no shaper of order {} keeps the vibration below {:.3g} from {:.4g} to {:.4g} "
                  "rad/s",
                  most, tolerance, low, high),
      "a smaller range of frequencies or a larger tolerance");
}

InputShaper convolved(const InputShaper& a, const InputShaper& b) {
  InputShaper shaper;
  shaper.impulses.clear();
  for (const InputShaper::Impulse& x : a.impulses)
    for (const InputShaper::Impulse& y : b.impulses)
      shaper.impulses.push_back({x.time + y.time, x.weight * y.weight});
  std::ranges::sort(shaper.impulses, {}, &InputShaper::Impulse::time);
  return shaper;
}

ScalarMotionPtr shaped(ScalarMotionPtr motion, const InputShaper& shaper) {
  if (!motion) throw InputError("a shaped motion without a motion", "a motion");
  const auto resting = std::make_shared<RestingBefore>(std::move(motion));
  std::vector<SumMotion::Term> terms;
  for (const InputShaper::Impulse& one : shaper.impulses)
    terms.push_back({one.weight, std::make_shared<ShiftedMotion>(resting, one.time)});
  return std::make_shared<SumMotion>(std::move(terms));
}

}  // namespace ulna
