// Cases with closed answers: pendulums by elliptic functions, springs, dampers, play.

#include <gtest/gtest.h>

#include "simulation/cases/cases.hpp"
#include "simulation/mechanisms.hpp"

namespace ulna {
namespace {

using testing::elliptic_k;
using testing::frozen;
using testing::g;
using testing::jacobi;
using testing::one;
using testing::pi;

double angle_of_pendulum(double amplitude, double t) {
  // theta = 2 asin(k sn(K - w t, k)), k = sin(amplitude / 2), w = sqrt(g / l), l = 1.
  const double k = std::sin(amplitude / 2);
  return 2 * std::asin(k * jacobi(elliptic_k(k) - std::sqrt(g) * t, k).sn);
}

TEST(Cases, APendulumSwingsByEllipticFunctions) {
  for (const double amplitude : {0.1, 1.5, 3.0}) {
    Experiment e = one(testing::pendulum(), amplitude, 0, 5);
    const auto run = simulate(e);
    const Eigen::VectorXd q = run.column("q.hinge");
    for (std::size_t i = 0; i < run.t.size(); ++i)
      EXPECT_NEAR(q(static_cast<Eigen::Index>(i)), angle_of_pendulum(amplitude, run.t[i]), 2e-8)
          << amplitude << " at " << run.t[i];
  }
}

TEST(Cases, APendulumOverTheTopTurnsInTheTimeOfTheEllipticIntegral) {
  // v0 at the bottom, k = 2 sqrt(g/l) / v0 < 1: a turn takes 4 K(k) / v0.
  const double v0 = 8, k = 2 * std::sqrt(g) / v0;
  Experiment e = one(testing::pendulum(), 0, v0, 10);
  e.events = {testing::stops_at("turn", "q.hinge", 2 * pi, Event::Direction::rising)};
  EXPECT_NEAR(simulate(e).summary.t, 4 * elliptic_k(k) / v0, 1e-8);
}

TEST(Cases, ASpringWithADamperDecaysByItsDampingRatio) {
  const double m = 2, w = 7;
  for (const double ratio : {0.1, 0.7, 1.0, 3.0}) {
    DegreeData degree;
    degree.stiffness = m * w * w;
    degree.damping = 2 * ratio * m * w;
    const auto run = simulate(one(testing::slide(m, degree), 0.3, 0, 2));
    const Eigen::VectorXd q = run.column("q.j");
    for (std::size_t i = 0; i < run.t.size(); ++i) {
      const double t = run.t[i];
      double x = 0;
      if (ratio < 1) {
        const double d = w * std::sqrt(1 - ratio * ratio);
        x = std::exp(-ratio * w * t) * (std::cos(d * t) + ratio * w / d * std::sin(d * t));
      } else if (ratio == 1) {
        x = (1 + w * t) * std::exp(-w * t);
      } else {
        const double d = w * std::sqrt(ratio * ratio - 1);
        x = std::exp(-ratio * w * t) * (std::cosh(d * t) + ratio * w / d * std::sinh(d * t));
      }
      EXPECT_NEAR(q(static_cast<Eigen::Index>(i)), 0.3 * x, 1e-9) << ratio;
    }
  }
}

TEST(Cases, AHardeningSpringSwingsByJacobisCn) {
  // x'' + a x + b x^3 = 0, x = A cn(w t, k), w^2 = a + b A^2, k^2 = b A^2 / (2 w^2).
  DegreeData degree;
  degree.stiffness = 3;
  degree.hardening = 20;
  const double A = 0.8, w = std::sqrt(3 + 20 * A * A), k = std::sqrt(20 * A * A / 2) / w;
  const auto run = simulate(one(testing::slide(1, degree), A, 0, 6));
  const Eigen::VectorXd q = run.column("q.j");
  for (std::size_t i = 0; i < run.t.size(); ++i)
    EXPECT_NEAR(q(static_cast<Eigen::Index>(i)), A * jacobi(w * run.t[i], k).cn, 1e-8);
}

TEST(Cases, AtResonanceTheAmplitudeGrowsWithTime) {
  DegreeData degree;
  degree.stiffness = 25;
  Experiment e = one(testing::slide(1, degree), 0, 0, 6);
  e.drives = {testing::pushed("2*sin(5*t)")};
  const auto run = simulate(e);
  const Eigen::VectorXd q = run.column("q.j");
  for (std::size_t i = 0; i < run.t.size(); ++i) {
    const double t = run.t[i];
    EXPECT_NEAR(q(static_cast<Eigen::Index>(i)),
                2 / 50.0 * (std::sin(5 * t) - 5 * t * std::cos(5 * t)), 1e-8);
  }
}

/// From the middle of the play at v: a free way of 2 b / v between half swings of pi sqrt(m / k).
double period_with_play(double v, double b, double m, double k) {
  return 4 * b / v + 2 * pi * std::sqrt(m / k);
}

TEST(Cases, ASpringWithPlaySwingsByHalvesAndFreeWays) {
  for (const double k : {10.0, 1e4, 1e7}) {
    DegreeData degree;
    degree.stiffness = k;
    degree.backlash = 0.02;
    Experiment e = one(testing::slide(1.5, degree), 0, 0.7, 1);
    e.events = {testing::passes("middle", "q.j", 0, Event::Direction::rising)};
    e.end = 10.5 * period_with_play(0.7, 0.02, 1.5, k);
    const RunSummary summary = simulate(e).summary;
    ASSERT_GE(summary.events.size(), 10u);
    for (std::size_t n = 0; n < 10; ++n)
      EXPECT_NEAR(summary.events[n].t,
                  static_cast<double>(n + 1) * period_with_play(0.7, 0.02, 1.5, k), 1e-7)
          << k;
    EXPECT_LT(summary.energy_balance, 1e-8);
  }
}

TEST(Cases, KinksOfPlayAreEventsAndNotSearchedByRejectedSteps) {
  // A step that was right for the free way is too long for the spring: after a kink the step begins
  // with the time scale of what follows. Without that up to half of the steps are refused.
  for (const auto method : {IntegratorMethod::dormand_prince, IntegratorMethod::dop853})
    for (const double k : {1e3, 1e5, 1e7}) {
      DegreeData degree;
      degree.stiffness = k;
      degree.backlash = 0.01;
      Experiment e = one(testing::slide(1, degree), 0, 1, 2);
      e.integrator.method = method;
      const RunSummary summary = simulate(e).summary;
      EXPECT_LE(summary.statistics.rejected, summary.statistics.steps / 12)
          << name_of(method) << " " << k << ": " << summary.statistics.steps;
    }
}

TEST(Cases, KinksOfPlayInLoopsAreNotSearchedByRejectedSteps) {
  // A parallelogram without gravity: a spring with play at a joint of its tree, or at the one that
  // closes its loop.
  for (const std::size_t joint : {0u, 3u})
    for (const auto method : {IntegratorMethod::dormand_prince, IntegratorMethod::dop853})
      for (const double k : {1e3, 1e5, 1e7}) {
        Robot robot = testing::parallelogram(2);
        robot.gravity.setZero();
        DegreeData& degree = robot.joints[joint].degrees.at(0);
        degree.stiffness = k;
        degree.backlash = 0.05;
        degree.rest = joint == 0 ? 1 : -1;
        Experiment e(frozen(robot));
        e.q = testing::posture_of_parallelogram(*e.model, 1);
        e.v = 0.7 * testing::speed_of(*e.model);
        e.end = 2;
        e.integrator.method = method;
        const RunSummary summary = simulate(e).summary;
        ASSERT_TRUE(summary.complete) << summary.reason;
        EXPECT_GT(summary.statistics.steps, 100);
        EXPECT_LE(summary.statistics.rejected, summary.statistics.steps / 8)
            << name_of(method) << " " << k << ": " << summary.statistics.steps;
        EXPECT_LT(summary.energy_balance, 1e-6);
      }
}

TEST(Cases, ATorsionSpringWithPlayHasNoForceInside) {
  DegreeData degree;
  degree.stiffness = 500;
  degree.backlash = 0.3;
  const auto run = simulate(one(testing::wheel(0.2, degree), 0, 0.05, 5));
  EXPECT_NEAR(run.summary.q(0), 0.25, 1e-10);  // it has not reached the end of its play
  EXPECT_NEAR(run.summary.v(0), 0.05, 1e-12);
}

}  // namespace
}  // namespace ulna
