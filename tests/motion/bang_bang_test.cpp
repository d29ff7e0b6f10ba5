// Bang-bang motions and switch times.

#include "ulna/motion/bang_bang.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ulna/motion/peaks.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using ::testing::ElementsAre;

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

TEST(SwitchedSignal, ChangesItsSignAtEachSwitch) {
  const SwitchedSignal u(2, {1, 3}, 4);
  EXPECT_EQ(u.at(-1).value, 0);
  EXPECT_EQ(u.at(0).value, 2);
  EXPECT_EQ(u.at(1).value, -2);
  EXPECT_EQ(u.at(2.9).value, -2);
  EXPECT_EQ(u.at(3.5).value, 2);
  EXPECT_EQ(u.at(5).value, 0);
  EXPECT_THAT(u.breakpoints(), ElementsAre(0, 1, 3, 4));
  EXPECT_THROW(SwitchedSignal(1, {2, 1}, 3), InputError);
  EXPECT_THROW(SwitchedSignal(1, {2}, 1), InputError);
}

/// The state of a double integrator after a signal of +-1.
Eigen::VectorXd double_integrator(const std::vector<double>& switches, double duration) {
  double t = 0, y = 0, v = 0, a = 1;
  std::vector<double> ends = switches;
  ends.push_back(duration);
  for (const double end : ends) {
    const double h = end - t;
    y += h * (v + h * a / 2);
    v += h * a;
    a = -a;
    t = end;
  }
  return Eigen::Vector2d(y, v);
}

TEST(SwitchTimes, OfADoubleIntegratorAreExact) {
  SwitchProblem problem;
  problem.miss = [](const auto& switches, double duration) -> Eigen::VectorXd {
    return double_integrator(switches[0], duration) - Eigen::Vector2d(3, 0);
  };
  problem.start = {{0.8}};
  problem.start_duration = 2;
  const SwitchTimes found = find_switch_times(problem);
  EXPECT_NEAR(found.switches[0][0], std::sqrt(3.0), 1e-8);
  EXPECT_NEAR(found.duration, 2 * std::sqrt(3.0), 1e-8);
}

TEST(SwitchTimes, WithOneMoreThanNeededTheShortestDurationIsFound) {
  // From rest to rest with a spare switch: the shortest has it of no use.
  SwitchProblem problem;
  problem.miss = [](const auto& switches, double duration) -> Eigen::VectorXd {
    return double_integrator(switches[0], duration) - Eigen::Vector2d(3, 0);
  };
  problem.start = {{1.0, 3.4}};
  problem.start_duration = 4;
  problem.tolerance = 1e-9;
  const SwitchTimes found = find_switch_times(problem);
  EXPECT_NEAR(found.duration, 2 * std::sqrt(3.0), 1e-4);
  EXPECT_LT(found.miss, 1e-9);
}

TEST(SwitchTimes, OfAHarmonicOscillatorMeetTheGoal) {
  // y'' = -y + u moves on circles about +-1. From (-3, 0), first with u = -1 (about -1: radius 2),
  // then u = +1 through the origin (about 1: radius 1): both circles meet where it switches.
  SwitchProblem problem;
  problem.miss = [](const auto& switches, double duration) -> Eigen::VectorXd {
    double y = -3, v = 0, centre = -1, t = 0;
    std::vector<double> ends = switches[0];
    ends.push_back(duration);
    for (const double end : ends) {
      const double c = std::cos(end - t), s = std::sin(end - t), r = y - centre;
      y = centre + r * c + v * s;
      v = -r * s + v * c;
      centre = -centre;
      t = end;
    }
    return Eigen::Vector2d(y, v);
  };
  problem.start = {{3.3}};
  problem.start_duration = 4.5;
  const SwitchTimes found = find_switch_times(problem);
  EXPECT_LT(found.miss, 1e-8);
  // On both circles: (y + 1)^2 + v^2 = 4 and (y - 1)^2 + v^2 = 1 give y = 3/4; v < 0.
  EXPECT_NEAR(found.switches[0][0], M_PI + std::acos(1.75 / 2), 1e-7);
}

TEST(SwitchTimes, AGoalOutOfReachIsSaid) {
  SwitchProblem problem;
  problem.miss = [](const auto&, double duration) -> Eigen::VectorXd {
    return Eigen::Vector2d(1 + duration * duration, 1);
  };
  problem.start = {{0.5}};
  EXPECT_THROW(find_switch_times(problem), ComputationError);
  problem.start = {{2.0, 1.0}};
  EXPECT_THROW(find_switch_times(problem), InputError);
}

}  // namespace
}  // namespace ulna
