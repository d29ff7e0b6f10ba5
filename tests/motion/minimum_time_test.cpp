// Minimum time along a path.

#include "ulna/motion/minimum_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "motion/planar_arm.hpp"
#include "support/random_robot.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/motion/internal/peaks.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using ::testing::HasSubstr;
using testing::planar_arm;

/// One joint with the given coefficients and limits -1..1.
MinimumTimeProblem one_joint(std::function<PathCoefficients(double)> coefficients, double length) {
  MinimumTimeProblem problem;
  problem.coefficients = std::move(coefficients);
  problem.length = length;
  problem.lower = Eigen::VectorXd::Constant(1, -1);
  problem.upper = Eigen::VectorXd::Constant(1, 1);
  return problem;
}

PathCoefficients scalars(double m, double c, double g) {
  return {Eigen::VectorXd::Constant(1, m), Eigen::VectorXd::Constant(1, c),
          Eigen::VectorXd::Constant(1, g)};
}

TEST(MinimumTime, AsksForThePathAndNothingBeyondItsEnd) {
  // Beyond an end nothing moves; 50 of 50 parts of a length are more than the length by rounding.
  for (double length = 0.9; length < 1.1; length += 0.0137) {
    MinimumTimeProblem problem = one_joint(
        [=](double s) {
          const bool within = s >= 0 && s <= length;
          return scalars(within ? 1 : 1e-28, within ? 0 : 1e-28, 0);
        },
        length);
    problem.intervals = 50;
    EXPECT_NEAR(minimum_time(problem).duration, 2 * std::sqrt(length), 1e-6) << length;
  }
}

TEST(MinimumTime, ADoubleIntegratorTakesTwiceTheRootOfMassTimesWayOverForce) {
  const double mass = 2, length = 3;
  MinimumTimeProblem problem = one_joint([=](double) { return scalars(mass, 0, 0); }, length);
  const MinimumTimeResult found = minimum_time(problem);
  const double exact = 2 * std::sqrt(mass * length);
  // The switch is on a point of the grid: constant acceleration is integrated exactly.
  EXPECT_NEAR(found.duration, exact, 1e-11 * exact);
  EXPECT_LT(found.error_estimate, 1e-10);
  ASSERT_EQ(found.switches.size(), 1u);
  EXPECT_NEAR(found.switches[0], length / 2, 1e-12);
  const MotionPeaks peaks = peaks_of(*found.law, 0, found.duration, 10);
  EXPECT_NEAR(std::abs(peaks.acceleration.value), 1 / mass, 1e-8);
  EXPECT_NEAR(found.law->at(exact / 4).value, exact * exact / 16 / mass / 2, 1e-11);
  EXPECT_EQ(found.law->breakpoints().size(), 3u) << "both ends and the switch";
}

TEST(MinimumTime, UnequalLimitsSwitchWhereTheTwoBranchesMeet) {
  // Efforts from -3 to 1 against a load of 0.37: acceleration a = 1 - 0.37, deceleration
  // b = 3 + 0.37; the top speed is reached at b/(a + b) of the way.
  MinimumTimeProblem problem = one_joint([](double) { return scalars(1, 0, 0.37); }, 2);
  problem.lower(0) = -3;
  const double a = 1 - 0.37, b = 3 + 0.37;
  const double exact = std::sqrt(2 * 2 * (a + b) / (a * b));
  for (const int n : {100, 200, 400}) {
    problem.intervals = n;
    const MinimumTimeResult found = minimum_time(problem);
    // The switch falls between points; there the way is off by the square of the interval.
    const double error = std::abs(found.duration - exact);
    EXPECT_LT(error, 2.0 / (n * n)) << n;
    EXPECT_NEAR(found.switches.at(0), 2 * b / (a + b), 3 * 2.0 / n);
  }
}

TEST(MinimumTime, SpeedLimitsAreCruisedAt) {
  MinimumTimeProblem problem = one_joint([](double) { return scalars(1, 0, 0); }, 4);
  problem.speed_limit = [](double) { return 0.8; };
  const MinimumTimeResult found = minimum_time(problem);
  const double exact = 4 / 0.8 + 0.8;
  // Onto the limit and off it: what rounding does in between is no switch.
  ASSERT_EQ(found.switches.size(), 2u);
  EXPECT_NEAR(found.switches[0], 0.32, 0.01);
  EXPECT_NEAR(found.switches[1], 4 - 0.32, 0.01);
  EXPECT_NEAR(found.duration, exact, 1e-5);
  EXPECT_LE(*std::max_element(found.speed.begin(), found.speed.end()), 0.8 * (1 + 1e-12));
  EXPECT_NEAR(found.law->at(exact / 2).acceleration, 0, 1e-9) << "no chatter at the limit";
}

TEST(MinimumTime, SpeedsAtTheEnds) {
  MinimumTimeProblem problem = one_joint([](double) { return scalars(1, 0, 0); }, 1);
  problem.begin_speed = 1;
  problem.end_speed = 0.5;
  // v^2 = 1 + 2 s up to the switch, then 0.25 + 2 (1 - s).
  const double top = std::sqrt((1 + 0.25 + 2) / 2);
  const MinimumTimeResult found = minimum_time(problem);
  EXPECT_NEAR(found.duration, (top - 1) + (top - 0.5), 1e-5);
  EXPECT_NEAR(found.law->at(0).rate, 1, 1e-12);
  EXPECT_NEAR(found.law->at(found.duration).rate, 0.5, 1e-9);
  problem.begin_speed = 2;  // cannot be slowed down enough
  EXPECT_THROW(minimum_time(problem), ComputationError);
}

TEST(MinimumTime, PassesPointsWhereTheInertiaVanishes) {
  // m changes its sign in the middle, where the effort limits x alone: c x <= 1.
  MinimumTimeProblem problem = one_joint([](double s) { return scalars(0.5 - s, 0.4, 0); }, 1);
  problem.end_speed = 0;
  problem.lower = Eigen::VectorXd::Constant(2, -1);
  problem.upper = Eigen::VectorXd::Constant(2, 1);
  problem.coefficients = [](double s) {
    PathCoefficients k;
    k.m = Eigen::Vector2d(0.5 - s, 0.3);
    k.c = Eigen::Vector2d(1.5, 0.1);
    k.g = Eigen::Vector2d(0, 0.2);
    return k;
  };
  double last = 0;
  for (const int n : {251, 501, 1001}) {
    problem.intervals = n;
    const MinimumTimeResult found = minimum_time(problem);
    for (std::size_t i = 0; i < found.s.size(); ++i) {
      if (std::abs(found.s[i] - 0.5) < 0.6 / n) {
        EXPECT_LE(1.5 * found.speed[i] * found.speed[i], 1 + 10.0 / n);
      }
    }
    if (last > 0) {
      EXPECT_NEAR(found.duration, last, 2e-3 * last);
    }
    last = found.duration;
  }
}

TEST(MinimumTime, ACentrifugalLimitAloneGivesTheLargestSpeed) {
  // m = 0 everywhere: x <= 1/c(s) is run along exactly, given free ends.
  MinimumTimeProblem problem = one_joint([](double s) { return scalars(0, 1 + s * s, 0); }, 1);
  problem.begin_speed = 1;
  problem.end_speed = 1 / std::sqrt(2.0);
  const MinimumTimeResult found = minimum_time(problem);
  // T = integral of sqrt(1 + s^2)
  const double exact = (std::sqrt(2.0) + std::asinh(1.0)) / 2;
  EXPECT_NEAR(found.duration, exact, 1e-6);
}

/// Coefficients of a straight line in the joints of a planar arm with gravity.
PathCoefficients arm_coefficients(const Model& model, Workspace& work, const Eigen::VectorXd& from,
                                  const Eigen::VectorXd& to, double s) {
  const Eigen::VectorXd q = from + s * (to - from), dq = to - from;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(q.size());
  PathCoefficients k;
  k.g = inverse_dynamics(model, work, q, zero, zero);
  k.m = inverse_dynamics(model, work, q, zero, dq) - k.g;
  k.c = inverse_dynamics(model, work, q, dq, zero) - k.g;
  return k;
}

TEST(MinimumTime, ATwoLinkArmKeepsItsLimitsAndOneEffortIsAlwaysAtThem) {
  const Model model = planar_arm(2);
  Workspace work(model);
  const Eigen::Vector2d from(-1.2, 0.3), to(0.9, 1.8);
  MinimumTimeProblem problem;
  problem.coefficients = [&](double s) { return arm_coefficients(model, work, from, to, s); };
  problem.lower = Eigen::Vector2d(-40, -12);
  problem.upper = Eigen::Vector2d(40, 12);
  const MinimumTimeResult found = minimum_time(problem);
  problem.intervals = 4000;
  const MinimumTimeResult fine = minimum_time(problem);
  EXPECT_NEAR(found.duration, fine.duration, 2e-6 * fine.duration);
  EXPECT_LT(std::abs(found.duration - fine.duration), 2 * found.error_estimate + 1e-9);

  double away = 0;  // time during which no effort is at a limit
  const int samples = 5000;
  for (int k = 1; k < samples; ++k) {
    const MotionValue s = found.law->at(found.duration * k / samples);
    const PathCoefficients p = problem.coefficients(s.value);
    const Eigen::Vector2d tau = p.m * s.acceleration + p.c * s.rate * s.rate + p.g;
    const Eigen::Vector2d share = tau.cwiseQuotient(problem.upper).cwiseAbs();
    // Between points the effort is off by the square of their distance, but where it switches.
    EXPECT_LT(share.maxCoeff(), 1 + 1e-4) << s.value;
    if (share.maxCoeff() < 1 - 1e-4) away += found.duration / samples;
  }
  EXPECT_LT(away, 0.01 * found.duration);
  EXPECT_LT(found.switches.size(), 8u);

  // Independently: full effort forwards and backwards by small steps of s, by hand.
  const int n = 200000;
  const auto limit = [&](double s, double x, bool up) {
    const PathCoefficients p = problem.coefficients(s);
    double best = up ? 1e9 : -1e9;
    for (int j = 0; j < 2; ++j) {
      const double low = problem.lower(j) - p.c(j) * x - p.g(j);
      const double high = problem.upper(j) - p.c(j) * x - p.g(j);
      const double bound =
          up ? std::max(low / p.m(j), high / p.m(j)) : std::min(low / p.m(j), high / p.m(j));
      best = up ? std::min(best, bound) : std::max(best, bound);
    }
    return best;
  };
  std::vector<double> forward{0}, backward{0};
  for (int i = 0; i < n; ++i) {  // midpoint rule
    const double h = 1.0 / n, s = i * h, x = forward.back(), y = backward.back();
    const double a = limit(s, x, true);
    forward.push_back(std::max(0.0, x + 2 * h * limit(s + h / 2, x + h * a, true)));
    const double b = limit(1 - s, y, false);
    backward.push_back(std::max(0.0, y - 2 * h * limit(1 - s - h / 2, y - h * b, false)));
  }
  double time = 0;
  for (int i = 0; i < n; ++i) {
    const auto x = [&](int k) {
      return std::min(forward[static_cast<std::size_t>(k)],
                      backward[static_cast<std::size_t>(n - k)]);
    };
    time += 2.0 / n / (std::sqrt(x(i)) + std::sqrt(x(i + 1)));
  }
  EXPECT_NEAR(found.duration, time, 1e-5 * time) << "one switch, where the two curves meet";
}

TEST(MinimumTime, CurvedPathsOfAThreeLinkArmKeepTheirLimits) {
  // q = q0 + A sin(w s + phase): every joint turns back on the way, so that each m vanishes
  // somewhere.
  const Model model = planar_arm(3);
  Workspace work(model);
  testing::Generator g(5);
  double worst = 0;
  int accurate = 0, switches_agree = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const Eigen::VectorXd q0 = testing::random_entries(g, 3), A = testing::random_entries(g, 3);
    const Eigen::VectorXd w = testing::random_entries(g, 3, 6),
                          phase = testing::random_entries(g, 3, 3);
    MinimumTimeProblem problem;
    problem.coefficients = [&](double s) {
      const Eigen::ArrayXd angle = w.array() * s + phase.array();
      const Eigen::VectorXd q = q0.array() + A.array() * angle.sin();
      const Eigen::VectorXd dq = A.array() * w.array() * angle.cos();
      const Eigen::VectorXd ddq = -A.array() * w.array().square() * angle.sin();
      const Eigen::VectorXd zero = Eigen::VectorXd::Zero(3);
      PathCoefficients k;
      k.g = inverse_dynamics(model, work, q, zero, zero);
      k.m = inverse_dynamics(model, work, q, zero, dq) - k.g;
      k.c = inverse_dynamics(model, work, q, dq, ddq) - k.g;
      return k;
    };
    problem.upper = Eigen::Vector3d(80, 45, 15);  // well above the weight
    problem.lower = -problem.upper;
    const MinimumTimeResult found = minimum_time(problem);
    problem.intervals = 4000;
    const MinimumTimeResult fine = minimum_time(problem);
    // The square of the distance of points; more where two zeros of m are near each other.
    const double error = std::abs(found.duration - fine.duration) / fine.duration;
    EXPECT_LT(error, 5e-4) << trial;
    accurate += error < 3e-5;
    switches_agree += found.switches.size() == fine.switches.size();
    // At the points the limits hold to rounding; between them s'' is close to linear.
    double out = 0;
    for (std::size_t i = 1; i + 1 < found.s.size(); ++i) {
      const PathCoefficients p = problem.coefficients(found.s[i]);
      for (const double side : {-1e-9, 1e-9}) {
        const MotionValue s = found.law->at(found.time[i] * (1 + side));
        const Eigen::VectorXd tau =
            p.m * s.acceleration + p.c * found.speed[i] * found.speed[i] + p.g;
        out = std::max(out, (tau.cwiseQuotient(problem.upper).cwiseAbs().maxCoeff() - 1));
      }
    }
    worst = std::max(worst, out);
  }
  EXPECT_LT(worst, 1e-5);
  EXPECT_GE(accurate, 27);
  EXPECT_GE(switches_agree, 27) << "no chatter";
}

TEST(MinimumTime, WhatCannotBeDoneIsSaid) {
  // At rest the load of 2 is above the limit of 1, in the middle of the path.
  MinimumTimeProblem heavy =
      one_joint([](double s) { return scalars(1, 0, s > 0.4 && s < 0.6 ? 2.5 : 0); }, 1);
  heavy.lower(0) = -1;
  heavy.intervals = 100;
  // It can be passed with a run-up, since the mass loses speed only.
  EXPECT_NO_THROW(minimum_time(heavy));
  heavy.coefficients = [](double s) { return scalars(0, 0, s > 0.4 && s < 0.6 ? 2.5 : 0); };
  try {
    minimum_time(heavy);
    FAIL();
  } catch (const ComputationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("at rest"));
    EXPECT_NEAR(error.measure(), 0.41, 0.02);
  }
  MinimumTimeProblem steep = one_joint([](double) { return scalars(1, 0, 5); }, 1);
  EXPECT_THROW(minimum_time(steep), ComputationError) << "it cannot even start";
}

TEST(MinimumTime, BadInputIsRefused) {
  const auto good = one_joint([](double) { return scalars(1, 0, 0); }, 1);
  auto bad = good;
  bad.length = 0;
  EXPECT_THROW(minimum_time(bad), InputError);
  bad = good;
  bad.lower(0) = 2;
  EXPECT_THROW(minimum_time(bad), InputError);
  bad = good;
  bad.coefficients = nullptr;
  EXPECT_THROW(minimum_time(bad), InputError);
  bad = good;
  bad.coefficients = [](double) { return PathCoefficients{}; };
  EXPECT_THROW(minimum_time(bad), InputError);
  bad = good;
  bad.coefficients = [](double) { return scalars(NAN, 0, 0); };
  EXPECT_THROW(minimum_time(bad), ComputationError);
  bad = good;
  bad.intervals = 1;
  EXPECT_THROW(minimum_time(bad), InputError);
  bad = good;
  bad.lower(0) = -INFINITY;
  bad.upper(0) = INFINITY;
  EXPECT_THROW(minimum_time(bad), InputError) << "nothing limits it";
}

}  // namespace
}  // namespace ulna
