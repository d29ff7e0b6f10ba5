// Bang-bang motions of one coordinate.

#include "ulna/motion/bang_bang.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/motion/internal/peaks.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

TEST(FastestBetween, RestToRestIsHalfAndHalf) {
  const PiecewisePolynomial y = fastest_between(1, 4, {2, 0});
  EXPECT_NEAR(y.duration(), 2 * std::sqrt(3.0 / 2), 1e-14);
  EXPECT_NEAR(y.at(y.duration()).value, 4, 1e-14);
  EXPECT_NEAR(y.at(y.duration()).rate, 0, 1e-14);
  EXPECT_NEAR(y.at(y.duration() / 2).rate, std::sqrt(6.0), 1e-14);
  EXPECT_EQ(y.breakpoints().size(), 3u);
}

TEST(FastestBetween, MeetsAnyEndsWithinAnyLimits) {
  unsigned seed = 11;
  const auto random = [&] { return (seed = seed * 1664525u + 1013904223u) / 4294967296.0; };
  for (int trial = 0; trial < 500; ++trial) {
    RateLimits limits{0.1 + 3 * random(), 0.1 + 3 * random()};
    if (trial % 2) limits.rate = 0.5 + random();
    const double most = std::min(limits.rate, 3.0);
    const double from = 4 * random() - 2, to = 4 * random() - 2;
    const double v = most * (2 * random() - 1), w = most * (2 * random() - 1);
    const PiecewisePolynomial y = fastest_between(from, to, limits, v, w);
    const MotionPeaks peaks = peaks_of(y, 0, y.duration(), 10);
    const double rate = std::abs(peaks.rate.value);
    EXPECT_NEAR(y.at(y.duration()).value, to, 1e-13 * (4 + rate * y.duration()));
    EXPECT_NEAR(y.at(y.duration()).rate, w, 1e-14 * (1 + rate) * 10);
    EXPECT_EQ(y.at(0).rate, v);
    EXPECT_LE(rate, limits.rate * (1 + 1e-12));
    EXPECT_LE(std::abs(peaks.acceleration.value),
              std::max(limits.acceleration, limits.deceleration) * (1 + 1e-12));
    // Full effort at all times but for cruising: nothing could be faster (Pontryagin).
    for (std::size_t k = 0; k + 1 < y.times().size(); ++k) {
      const double a = std::abs(2 * y.coefficients()(2, static_cast<Eigen::Index>(k)));
      const bool full =
          std::abs(a - limits.acceleration) < 1e-12 || std::abs(a - limits.deceleration) < 1e-12;
      const double top = std::abs(y.at(y.times()[k]).rate);
      EXPECT_TRUE(full || (a == 0 && std::abs(top - limits.rate) < 1e-9));
    }
  }
}

TEST(FastestBetween, ATooFastStartOvershootsAndComesBack) {
  const PiecewisePolynomial y = fastest_between(0, 1, {1, 1}, 3, 0);
  // 3 s to rest at 4.5, then 3.5 back.
  EXPECT_NEAR(y.duration(), 3 + 2 * std::sqrt(3.5), 1e-12);
  EXPECT_NEAR(y.at(3).value, 4.5, 1e-13);
}

TEST(FastestBetween, BadInputIsRefused) {
  EXPECT_THROW(fastest_between(0, 1, {0, 0}), InputError);
  EXPECT_THROW(fastest_between(0, 1, {1, -1}), InputError);
  EXPECT_THROW(fastest_between(0, 0, {1, 1}), InputError);
  EXPECT_THROW(fastest_between(0, NAN, {1, 1}), InputError);
  EXPECT_THROW(fastest_between(0, 1, {1, 1, 0.5}, 1), InputError);
}

}  // namespace
}  // namespace ulna
