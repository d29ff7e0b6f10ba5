// Sums, shifts, sequences, changes of time; spin-up; the vector of motions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/near.hpp"
#include "ulna/motion/internal/combined_motion.hpp"
#include "ulna/motion/kernels/constant_acceleration.hpp"
#include "ulna/motion/kernels/jet.hpp"
#include "ulna/motion/kernels/polynomial_345.hpp"
#include "ulna/motion/spin_up.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using ::testing::ElementsAre;
using testing::epsilon;

ScalarMotionPtr rise(double from, double to, double time) {
  return std::make_shared<Polynomial345>(from, to, time);
}

TEST(SpinUp, TurnsByHalfAndThenForEver) {
  const double W = 6, T = 15;  // the manoeuvre of the flexible link
  const SpinUp spin(W, T, 0.25);
  EXPECT_EQ(spin.at(0).value, 0.25);
  EXPECT_NEAR(spin.at(T).value, 0.25 + W * T / 2, 1e-14 * W * T);
  EXPECT_NEAR(spin.at(T).rate, W, 4 * epsilon * W);
  EXPECT_NEAR(spin.at(T).acceleration, 0, 1e-15);
  EXPECT_NEAR(spin.at(T / 2).rate, W / 2, 4 * epsilon * W);
  EXPECT_NEAR(spin.at(T / 2).acceleration, 2 * W / T, 4 * epsilon);
  EXPECT_NEAR(spin.at(20).value, 0.25 + W * (20 - T / 2), 1e-13);
  EXPECT_EQ(spin.at(20).rate, W);
  for (const double t : {1.0, 7.0, 14.0}) {
    const double expected = W / T * (t - T / (2 * M_PI) * std::sin(2 * M_PI * t / T));
    EXPECT_NEAR(spin.at(t).rate, expected, 8 * epsilon * W);
    const double h = 1e-4;
    EXPECT_NEAR((spin.at(t + h).value - spin.at(t - h).value) / (2 * h), spin.at(t).rate, 1e-8);
    EXPECT_NEAR((spin.at(t + h).rate - spin.at(t - h).rate) / (2 * h), spin.at(t).acceleration,
                1e-8);
    EXPECT_NEAR((spin.at(t + h).acceleration - spin.at(t - h).acceleration) / (2 * h),
                spin.at(t).jerk, 1e-8);
  }
  EXPECT_THROW(SpinUp(6, 0), InputError);
}

TEST(SumMotion, AddsAndNamesAllJumps) {
  const SumMotion sum({{2, rise(0, 1, 1)}, {-1, std::make_shared<ConstantAcceleration>(0, 1, 4)}},
                      10);
  EXPECT_NEAR(sum.at(5).value, 10 + 2 - 1, 1e-15);
  EXPECT_NEAR(sum.at(0.5).rate, 2 * 1.875 - 4 * 0.5 / 16, 1e-15);
  EXPECT_THAT(sum.breakpoints(), ElementsAre(0, 1, 2, 4));
  EXPECT_EQ(sum.duration(), 4);
  EXPECT_THROW(SumMotion({{1, nullptr}}), InputError);
}

TEST(ShiftedMotion, RatesScaleWithTheSpeed) {
  const auto inner = rise(0, 1, 2);
  const ShiftedMotion fast(inner, 1, 4);
  EXPECT_THAT(fast.breakpoints(), ElementsAre(1, 1.5));
  EXPECT_EQ(fast.duration(), 1.5);
  const MotionValue a = fast.at(1.2), b = inner->at(4 * (1.2 - 1));
  EXPECT_EQ(a.value, b.value);
  EXPECT_NEAR(a.rate, 4 * b.rate, 1e-14);
  EXPECT_NEAR(a.acceleration, 16 * b.acceleration, 1e-14);
  EXPECT_NEAR(a.jerk, 64 * b.jerk, 1e-13);
  EXPECT_THROW(ShiftedMotion(inner, 0, -1), InputError);
}

TEST(SequenceMotion, GoesOnWhereThePartBeforeEnds) {
  const SequenceMotion both({rise(0, 1, 2), rise(1, -1, 0.5)});
  EXPECT_EQ(both.duration(), 2.5);
  EXPECT_EQ(both.at(2).value, 1);
  EXPECT_EQ(both.at(2.25).value, 0);
  EXPECT_EQ(both.at(9).value, -1);
  EXPECT_THAT(both.breakpoints(), ElementsAre(0, 2, 2.5));
  EXPECT_THROW(SequenceMotion({rise(0, 1, 2), rise(1.1, -1, 0.5)}), InputError);
  EXPECT_THROW(SequenceMotion({std::make_shared<SpinUp>(1, 1), rise(0, 1, 1)}), InputError);
  EXPECT_THROW(SequenceMotion({}), InputError);
}

TEST(RetimedMotion, IsTheChainRule) {
  const auto path = std::make_shared<ConstantAcceleration>(0, 3, 1);
  const auto law = std::make_shared<Polynomial345>(0, 1, 5);
  const RetimedMotion motion(path, law);
  const MotionValue y = motion.at(1.3),
                    expected = chain(path->at(law->at(1.3).value), law->at(1.3));
  EXPECT_EQ(y.value, expected.value);
  EXPECT_NEAR(y.rate, expected.rate, 1e-15);
  EXPECT_NEAR(y.acceleration, expected.acceleration, 1e-15);
  const double h = 1e-4;  // central difference, error h^2
  EXPECT_NEAR(y.jerk, (motion.at(1.3 + h).acceleration - motion.at(1.3 - h).acceleration) / (2 * h),
              1e-7);
  const std::vector<double> breaks = motion.breakpoints();
  ASSERT_EQ(breaks.size(), 3u);
  EXPECT_NEAR(breaks[1], 2.5, 1e-14) << "half way, where the acceleration along the path jumps";
}

TEST(JointMotion, AsksEachCoordinate) {
  const JointMotion motion({rise(0, 1, 1), std::make_shared<ConstantMotion>(7), rise(2, 3, 4)});
  Eigen::VectorXd q(3), v(3), a(3);
  motion.at(2, q, v, a);
  EXPECT_EQ(q(0), 1);
  EXPECT_EQ(q(1), 7);
  EXPECT_NEAR(v(2), 1.875 / 4, 1e-15);
  EXPECT_EQ(motion.duration(), 4);
  EXPECT_THAT(motion.breakpoints(), ElementsAre(0, 1, 4));
  EXPECT_THROW(JointMotion({nullptr}), InputError);
}

TEST(CombinedMotion, IsNotNestedWithoutEnd) {
  ScalarMotionPtr motion = std::make_shared<ConstantMotion>(1);
  const auto nest = [&](int times) {
    for (int k = 0; k < times; ++k) motion = std::make_shared<ShiftedMotion>(motion, 1e-3);
  };
  nest(900);
  EXPECT_EQ(motion->at(0).value, 1);
  EXPECT_THROW(nest(200), InputError);
}

}  // namespace
}  // namespace ulna
