// Cases with closed answers for implicit and symplectic integrators, and for the choice between
// them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulation/cases/cases.hpp"
#include "simulation/mechanisms.hpp"
#include "ulna/simulation/kernels/radau5.hpp"

namespace ulna {
namespace {

using testing::frozen;
using testing::g;
using testing::one;
using testing::pi;
using testing::with;

Experiment stiff_damper(double damping) {
  DegreeData degree;
  degree.damping = damping;
  Experiment e = one(testing::wheel(1e-3, degree), 0, 0, 5);
  e.integrator.tolerances = {1e-8, 1e-10};
  e.drives = {testing::pushed("sin(t)")};
  return e;
}

TEST(Cases, AStiffDamperFollowsItsEffortWithFewEvaluations) {
  // I v' + d v = sin t: v = (d sin t - I cos t + I exp(-d t / I)) / (d^2 + I^2).
  for (const double d : {1e3, 1e6}) {
    const RunSummary summary = simulate(stiff_damper(d)).summary;
    const double I = 1e-3, t = 5;
    EXPECT_NEAR(summary.v(0), (d * std::sin(t) - I * std::cos(t)) / (d * d + I * I), 1e-8 / d);
    EXPECT_LT(summary.statistics.evaluations, 5000) << d;
    EXPECT_THAT(summary.notes, ::testing::Contains(::testing::HasSubstr("stiff")));
  }
}

TEST(Cases, AStiffElbowIsNoticedAtEveryTolerance) {
  Robot robot = testing::double_pendulum();
  robot.joints[1].degrees.resize(1);
  robot.joints[1].degrees[0].damping = 2e3;
  robot.joints[1].degrees[0].stiffness = 1e5;
  for (const double tolerance : {1e-6, 1e-9, 1e-11, 1e-12}) {
    Experiment e = with(robot, 3);
    e.integrator.tolerances = {tolerance, 0.01 * tolerance};
    e.integrator.method = IntegratorMethod::automatic;
    e.drives = {testing::pushed("5*sin(2*t)"), testing::pushed("2*sin(3*t)")};
    const RunSummary automatic = simulate(e).summary;
    e.integrator.method = IntegratorMethod::radau5;
    const RunSummary radau = simulate(e).summary;
    EXPECT_LT(automatic.statistics.evaluations, 2 * radau.statistics.evaluations + 3000)
        << tolerance;
    EXPECT_LT((automatic.q - radau.q).norm(), 1e4 * tolerance);
  }
}

TEST(Cases, WhatIsNotStiffStaysWithTheExplicitMethod) {
  const RunSummary summary = simulate(one(testing::pendulum(), 2, 0, 20)).summary;
  EXPECT_THAT(summary.notes, ::testing::Not(::testing::Contains(::testing::HasSubstr("stiff"))));
}

TEST(Cases, RadauSolvesAPendulumToItsTolerance) {
  for (const double rtol : {1e-6, 1e-8, 1e-10}) {
    Experiment e = one(testing::pendulum(), 1.5, 0, 0);
    e.end = 8 * testing::elliptic_k(std::sin(0.75)) / std::sqrt(g);
    e.integrator.method = IntegratorMethod::radau5;
    e.integrator.tolerances = {rtol, 1e-2 * rtol};
    EXPECT_NEAR(simulate(e).summary.q(0), 1.5, 1e3 * rtol) << rtol;
  }
}

/// y' = -1000 (y - cos t) - sin t: y = cos t.
struct ProtheroRobinson {
  void rates(double t, const double* y, double* dy) {
    dy[0] = -1e3 * (y[0] - std::cos(t)) - std::sin(t);
  }
  bool project(double, double*, double*) { return false; }
};

TEST(Cases, RadauFollowsProtheroAndRobinsonInFewSteps) {
  ProtheroRobinson system;
  const auto jacobian = [](double, const double*, const double*, Eigen::MatrixXd& J) {
    J = Eigen::MatrixXd::Constant(1, 1, -1e3);
    return 1L;
  };
  Radau5<ProtheroRobinson, decltype(jacobian)> stepper(system, jacobian, 1, {1e-8, 1e-10});
  const double start = 1;
  stepper.start(0, &start);
  while (stepper.t() < 10) stepper.step(10);
  EXPECT_NEAR(stepper.y()[0], std::cos(10.0), 1e-8);
  EXPECT_LT(stepper.statistics.steps, 500);
  // Inside the last step.
  const double middle = 0.5 * (stepper.t() + stepper.previous_t());
  stepper.end_last_step_at(middle);
  EXPECT_NEAR(stepper.y()[0], std::cos(middle), 1e-8);
}

TEST(Cases, RadauSolvesALoopUnderStiffDamping) {
  Robot robot = testing::parallelogram(2);
  for (JointData& joint : robot.joints) joint.degrees[0].damping = 3000;
  Experiment e(frozen(robot));
  e.q = testing::posture_of_parallelogram(*e.model, 0.5);
  e.end = 2;
  Experiment reference = e;
  reference.integrator.method = IntegratorMethod::sundials_bdf;
  if (!is_available(IntegratorMethod::sundials_bdf)) GTEST_SKIP();
  e.integrator.method = IntegratorMethod::radau5;
  const RunSummary a = simulate(e).summary, b = simulate(reference).summary;
  EXPECT_LT((a.q - b.q).norm(), 1e-6);
  EXPECT_LT(a.closure, 1e-10);
}

TEST(Cases, TheSymplecticMethodKeepsEnergyWithinABand) {
  // A thousand swings: the error of the energy is that of the first ones, of order h^2.
  for (const double h : {0.02, 0.01}) {
    Experiment e = one(testing::double_pendulum(), 1, 0, 300);
    e.integrator.method = IntegratorMethod::symplectic;
    e.integrator.step = h;
    e.record.interval = 1;
    e.record.channels = {"energy.total"};
    const auto run = simulate(e);
    const Eigen::VectorXd energy = run.column("energy.total");
    const double early = (energy.head(60).array() - energy(0)).abs().maxCoeff(),
                 late = (energy.tail(60).array() - energy(0)).abs().maxCoeff();
    EXPECT_LT(late, 3 * early + 1e-6) << h;
    EXPECT_LT(early, 40 * h * h * std::abs(energy(0))) << h;
  }
}

TEST(Cases, TheSymplecticMethodHasOrderTwo) {
  double error[2];
  for (int k = 0; k < 2; ++k) {
    Experiment e = one(testing::pendulum(), 1.5, 0, 0);
    e.end = 4 * testing::elliptic_k(std::sin(0.75)) / std::sqrt(g);
    e.integrator.method = IntegratorMethod::symplectic;
    e.integrator.step = k == 0 ? 0.01 : 0.005;
    e.record.interval = e.end;
    error[k] = std::abs(simulate(e).summary.v(0));
  }
  EXPECT_NEAR(error[0] / error[1], 4, 0.2);
}

TEST(Cases, TheSymplecticMethodKeepsTheMomentumOfAFreeBody) {
  // On the group of rotations and translations: angular momentum to rounding, also with steps that
  // turn by a radian.
  Robot robot = testing::free_body(2, {0.1, 0.25, 0.3});
  robot.gravity.setZero();
  Experiment e = with(robot, 100);
  e.v << 1, 2, -1.5, 0.3, 0.2, 0.1;
  e.integrator.method = IntegratorMethod::symplectic;
  e.integrator.step = 0.05;
  e.record.interval = 1;
  e.record.channels = {"momentum", "energy.total"};
  const auto run = simulate(e);
  for (const char* name : {"momentum.ax", "momentum.ay", "momentum.az", "momentum.lx"}) {
    const Eigen::VectorXd p = run.column(name);
    EXPECT_LT((p.array() - p(0)).abs().maxCoeff(), 1e-11) << name;
  }
  const Eigen::VectorXd energy = run.column("energy.total");
  EXPECT_LT((energy.array() - energy(0)).abs().maxCoeff(), 0.05 * energy(0));
}

TEST(Cases, TheSymplecticMethodSaysWhatItIsNotFor) {
  Experiment e = one(testing::pendulum(), 1, 0, 1);
  e.integrator.method = IntegratorMethod::symplectic;
  e.integrator.step = 0.01;
  e.drives = {Drive{DriveKind::locked, {}, {}, {}}};
  EXPECT_THROW(simulate(e), InputError);
}

}  // namespace
}  // namespace ulna
