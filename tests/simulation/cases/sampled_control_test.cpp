// Cases with closed answers: sampled PD and PID on a mass by exact hold, minimum time.

#include <gtest/gtest.h>

#include "simulation/cases/cases.hpp"
#include "ulna/motion/minimum_time.hpp"
#include "ulna/simulation/linearize.hpp"
#include "ulna/simulation/state_feedback.hpp"

namespace ulna {
namespace {

using testing::feedback;
using testing::frozen;
using testing::one;

TEST(Cases, SampledPdOnAMassFollowsItsRecursion) {
  // x+ = x + v T + u T^2/2m, v+ = v + u T/m, u = kp (r - x) - kd v held over T.
  const double m = 2, kp = 30, kd = 8, T = 0.05, r = 0.4;
  Experiment e = one(testing::slide(m), 0, 0, 2);
  auto pd = feedback(FeedbackLaw::pd, 1, kp, kd);
  pd->period = T;
  e.controllers = {pd};
  e.drives = {{DriveKind::controller, {testing::formula("0.4")}, {}, {}}};
  e.record.interval = T;
  const auto run = simulate(e);
  double x = 0, v = 0;
  const Eigen::VectorXd q = run.column("q.j");
  for (std::size_t i = 0; i + 1 < run.t.size(); ++i) {
    EXPECT_NEAR(q(static_cast<Eigen::Index>(i)), x, 1e-10);
    const double u = kp * (r - x) - kd * v;
    x += v * T + u * T * T / (2 * m);
    v += u * T / m;
  }
}

TEST(Cases, SampledPidOnAMassFollowsItsRecursion) {
  const double m = 1, kp = 40, kd = 10, ki = 25, T = 0.02, r = 1;
  Experiment e = one(testing::slide(m), 0, 0, 2);
  auto pid = feedback(FeedbackLaw::pd, 1, kp, kd);
  pid->ki = Eigen::VectorXd::Constant(1, ki);
  pid->period = T;
  e.controllers = {pid};
  e.drives = {{DriveKind::controller, {testing::formula("1")}, {}, {}}};
  e.record.interval = T;
  const auto run = simulate(e);
  double x = 0, v = 0, z = 0;
  const Eigen::VectorXd q = run.column("q.j");
  for (std::size_t i = 0; i + 1 < run.t.size(); ++i) {
    EXPECT_NEAR(q(static_cast<Eigen::Index>(i)), x, 1e-10);
    const double u = kp * (r - x) - kd * v + ki * z;
    z += (r - x) * T;
    x += v * T + u * T * T / (2 * m);
    v += u * T / m;
  }
}

/// m s'' + d s' = u with |u| <= 1: the effort of the law between points, beyond its limit.
double excess(int intervals, double d, double* duration = nullptr) {
  MinimumTimeProblem problem;
  problem.length = 1;
  problem.lower = Eigen::VectorXd::Constant(1, -1);
  problem.upper = Eigen::VectorXd::Constant(1, 1);
  problem.intervals = intervals;
  problem.coefficients = [=](double) {
    PathCoefficients k{Eigen::VectorXd::Ones(1), Eigen::VectorXd::Zero(1),
                       Eigen::VectorXd::Zero(1)};
    k.d = Eigen::VectorXd::Constant(1, d);
    return k;
  };
  const MinimumTimeResult found = minimum_time(problem);
  if (duration) *duration = found.duration;
  double most = 0;
  for (int i = 1; i < 20000; ++i) {
    const auto s = found.law->at(found.duration * i / 20000);
    most = std::max(most, std::abs(s.acceleration + d * s.rate) - 1);
  }
  return most;
}

TEST(Cases, MinimumTimeWithDampingKeepsEffortsToSecondOrder) {
  const double coarse = excess(100, 2), fine = excess(200, 2);
  EXPECT_LT(coarse, 5e-3);
  EXPECT_GT(coarse / fine, 3);
}

TEST(Cases, MinimumTimeWithDampingTakesItsClosedTime) {
  // Full effort for t1, then reversed until rest: with d = 1, m = 1, u = 1:
  // v1 = 1 - exp(-t1), s1 = t1 - v1; braking v = (v1 + 1) exp(-t) - 1, t2 = log(1 + v1),
  // s2 = v1 - t2; s1 + s2 = 1: t1 - t2 = 1.
  double low = 0, high = 10;
  for (int i = 0; i < 200; ++i) {
    const double t1 = 0.5 * (low + high), t2 = std::log(2 - std::exp(-t1));
    (t1 - t2 < 1 ? low : high) = t1;
  }
  const double exact = low + std::log(2 - std::exp(-low));
  double duration = 0;
  excess(1000, 1, &duration);
  EXPECT_NEAR(duration, exact, 1e-5 * exact);
}

TEST(Cases, NegativeWeightsOfARegulatorAreRefused) {
  const Eigen::MatrixXd A = (Eigen::MatrixXd(2, 2) << 0, 1, 0, 0).finished();
  const Eigen::MatrixXd B = (Eigen::MatrixXd(2, 1) << 0, 1).finished();
  const Eigen::MatrixXd R = Eigen::MatrixXd::Identity(1, 1);
  const Eigen::Vector2d Q(-1, 1);
  EXPECT_THROW(linear_quadratic_regulator(A, B, Q.asDiagonal(), R), InputError);
  // The double integrator with weights 1: K = [1, sqrt(3)].
  const Eigen::MatrixXd K = linear_quadratic_regulator(A, B, Eigen::MatrixXd::Identity(2, 2), R).K;
  EXPECT_NEAR(K(0, 0), 1, 1e-12);
  EXPECT_NEAR(K(0, 1), std::sqrt(3.0), 1e-12);
}

TEST(Cases, PolesRepeatUpToTheRankOfTheInputs) {
  // Two masses, each pushed: every pole may come twice, not three times.
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(4, 4), B = Eigen::MatrixXd::Zero(4, 2);
  A.topRightCorner(2, 2).setIdentity();
  B.bottomRows(2).setIdentity();
  Eigen::VectorXcd poles(4);
  poles << -1, -1, -3, -3;
  const Eigen::MatrixXd K = place_poles(A, B, poles);
  const Eigen::MatrixXd closed = A - B * K;
  // Both poles with two eigenvectors each: (C + 1)(C + 3) = 0.
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(4, 4);
  EXPECT_LT(((closed + I) * (closed + 3 * I)).norm(), 1e-9);
  poles << -1, -1, -1, -3;
  EXPECT_THROW(place_poles(A, B, poles), InputError);
}

}  // namespace
}  // namespace ulna
