// Input shapers against the response of an oscillator.

#include "ulna/motion/input_shaper.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/motion/program.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

double sum_of_weights(const InputShaper& shaper) {
  double sum = 0;
  for (const InputShaper::Impulse& one : shaper.impulses) sum += one.weight;
  return sum;
}

/// Size of x and its rate by w at `end` for x'' + 2 z w x' + w^2 x = w^2 u(t), from rest, by small
/// steps.
double vibration_after(const ScalarMotion& u, double w, double z, double end) {
  const int steps = 200000;
  const double h = end / steps, goal = u.at(end).value;
  double x = u.at(0).value, v = 0;
  const auto rate = [&](double t, double at, double speed) {
    return w * w * (u.at(t).value - at) - 2 * z * w * speed;
  };
  for (int k = 0; k < steps; ++k) {
    const double t = k * h;
    const double k1 = rate(t, x, v), v2 = v + h / 2 * k1, k2 = rate(t + h / 2, x + h / 2 * v, v2),
                 v3 = v + h / 2 * k2, k3 = rate(t + h / 2, x + h / 2 * v2, v3), v4 = v + h * k3,
                 k4 = rate(t + h, x + h * v3, v4);
    x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return std::hypot(x - goal, v / w);
}

TEST(InputShaper, WeightsArePositiveAndSumToOne) {
  for (int derivatives = 0; derivatives < 4; ++derivatives)
    for (const double z : {0.0, 0.02, 0.3}) {
      const InputShaper shaper = zero_vibration(derivatives, 5, z);
      ASSERT_EQ(shaper.impulses.size(), static_cast<std::size_t>(derivatives + 2));
      EXPECT_NEAR(sum_of_weights(shaper), 1, 1e-14);
      for (const InputShaper::Impulse& one : shaper.impulses) EXPECT_GT(one.weight, 0);
      EXPECT_NEAR(shaper.duration(), (derivatives + 1) * M_PI / (5 * std::sqrt(1 - z * z)), 1e-12);
    }
}

TEST(InputShaper, TheUndampedZvIsTwoHalvesHalfAPeriodApart) {
  const InputShaper shaper = zero_vibration(0, 2, 0);
  EXPECT_DOUBLE_EQ(shaper.impulses[0].weight, 0.5);
  EXPECT_DOUBLE_EQ(shaper.impulses[1].time, M_PI / 2);
  EXPECT_NEAR(shaper.residual(2, 0), 0, 1e-15);
  // |cos(pi w / 2 w0)|: the published sensitivity of ZV; ZVD is its square.
  EXPECT_NEAR(shaper.residual(2.2, 0), std::abs(std::cos(M_PI / 2 * 1.1)), 1e-14);
  EXPECT_NEAR(zero_vibration(1, 2, 0).residual(2.2, 0), std::pow(std::cos(M_PI / 2 * 1.1), 2),
              1e-14);
}

TEST(InputShaper, AShapedStepLeavesTheOscillatorAtRest) {
  const auto step = program_named("poly345", 0.0, 1.0, 0.01);
  for (const double z : {0.0, 0.05}) {
    const double w = 8, end = 3;
    const double plain = vibration_after(*step, w, z, end);
    EXPECT_GT(plain, 0.2);
    for (int derivatives = 0; derivatives < 3; ++derivatives)
      EXPECT_LT(vibration_after(*shaped(step, zero_vibration(derivatives, w, z)), w, z, end),
                1e-3 * plain);
    // Ten per cent off, ZVD leaves less than ZV: 15.6 and 2.4 per cent undamped.
    const double zv = vibration_after(*shaped(step, zero_vibration(0, w, z)), 1.1 * w, z, end),
                 zvd = vibration_after(*shaped(step, zero_vibration(1, w, z)), 1.1 * w, z, end);
    EXPECT_LT(zvd, 0.2 * zv);
  }
}

TEST(InputShaper, ConvolvedShapersRemoveBothVibrations) {
  const InputShaper both = convolved(zero_vibration(0, 3, 0.01), zero_vibration(1, 11, 0.02));
  EXPECT_EQ(both.impulses.size(), 6u);
  EXPECT_NEAR(sum_of_weights(both), 1, 1e-14);
  EXPECT_LT(both.residual(3, 0.01), 1e-14);
  EXPECT_LT(both.residual(11, 0.02), 1e-14);
}

TEST(InputShaper, TheRobustShaperKeepsItsToleranceOverTheRange) {
  for (const double width : {0.0, 0.1, 0.3}) {
    const double low = 6 * (1 - width), high = 6 * (1 + width);
    const InputShaper shaper = robust_shaper(low, high, 0.01, 0.05);
    for (double w = low; w <= high; w += 0.01) EXPECT_LE(shaper.residual(w, 0.01), 0.0501);
  }
  EXPECT_EQ(robust_shaper(6, 6, 0).impulses.size(), 2u);  // no more than the range asks for
  EXPECT_THROW(robust_shaper(1, 20, 0), InputError);
}

TEST(InputShaper, RefusesWhatIsNoVibration) {
  EXPECT_THROW(zero_vibration(0, 0, 0), InputError);
  EXPECT_THROW(zero_vibration(0, 1, 1), InputError);
  EXPECT_THROW(zero_vibration(-1, 1, 0), InputError);
  EXPECT_THROW(shaped(nullptr, {}), InputError);
}

TEST(InputShaper, BeforeItsStartAMotionRests) {
  const auto f = shaped(program_named("poly345", 2.0, 3.0, 1.0), InputShaper{{{0.5, 1}}});
  EXPECT_EQ(f->at(0.25).value, 2);
  EXPECT_EQ(f->at(0.25).rate, 0);
  EXPECT_DOUBLE_EQ(f->at(1).value, 2.5);
  EXPECT_DOUBLE_EQ(f->duration(), 1.5);
}

}  // namespace
}  // namespace ulna
