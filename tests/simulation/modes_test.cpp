// Coulomb friction that sticks and slips, and joint stops.

#include <gtest/gtest.h>

#include <cmath>

#include "drives.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::frozen;
using testing::pushed;

/// A block of 2 kg on a horizontal slide.
Robot block(double friction) {
  Robot robot = testing::pendulum(2);
  robot.joints[0].name = "slide";
  robot.joints[0].type = JointType::prismatic;
  robot.joints[0].axis = {1, 0, 0};
  robot.joints[0].degrees.resize(1);
  robot.joints[0].degrees[0].friction = friction;
  return robot;
}

Experiment run_of(const Robot& robot, double end) {
  Experiment experiment(frozen(robot));
  experiment.end = end;
  experiment.integrator.tolerances = {1e-9, 1e-11};
  return experiment;
}

TEST(Friction, ABlockComesToRestAfterTheDistanceOfItsEnergyAndStays) {
  Experiment experiment = run_of(block(3), 10);
  experiment.v = Eigen::VectorXd::Constant(1, 4);
  const RunSummary summary = simulate(experiment).summary;
  EXPECT_NEAR(summary.q(0), 2 * 16 / 2.0 / 3, 1e-8);  // m v^2 / (2 F)
  EXPECT_EQ(summary.v(0), 0);
  EXPECT_NEAR(summary.works(2), 16, 1e-8);
  EXPECT_LT(summary.statistics.steps, 400);  // it does not chatter
}

TEST(Friction, ABlockBreaksLooseWhenTheForceExceedsIt) {
  // The force 2 t reaches the friction of 3 N at 1.5 s; then 2 x'' = 2 t - 3.
  Experiment experiment = run_of(block(3), 3);
  experiment.drives = {pushed("2*t")};
  experiment.record.interval = 0.25;
  const auto run = simulate(experiment);
  for (std::size_t row = 0; row < run.t.size(); ++row) {
    const double s = std::max(run.t[row] - 1.5, 0.0);
    EXPECT_NEAR(run.column("q.slide")(row), s * s * s / 6, 1e-8) << run.t[row];
    if (run.t[row] < 1.5) {
      EXPECT_EQ(run.column("v.slide")(row), 0);
    }
  }
}

TEST(Friction, AnAlternatingForceMovesTheBlockBackAndForthAndTheEnergyBalances) {
  for (const IntegratorMethod method :
       {IntegratorMethod::dormand_prince, IntegratorMethod::dop853, IntegratorMethod::rk4}) {
    Experiment experiment = run_of(block(3), 20);
    experiment.integrator.method = method;
    experiment.integrator.step = method == IntegratorMethod::rk4 ? 1e-2 : 0;
    experiment.drives = {pushed("5*sin(2*t)")};
    const auto run = simulate(experiment);
    EXPECT_GT(run.summary.works(2), 1);
    EXPECT_LT(run.summary.energy_balance, 1e-5) << name_of(method);
    EXPECT_GT((run.column("v.slide").array() == 0).count(), 5);  // it sticks at each turn
    EXPECT_LT(run.summary.statistics.steps, 4000);
  }
}

TEST(Friction, APumaWithItsFrictionRunsAndEndsAtRest) {
  Experiment experiment = run_of(read_robot("puma560").robot, 20);
  experiment.q = Eigen::VectorXd::LinSpaced(6, 0.2, 0.7);
  const RunSummary summary = simulate(experiment).summary;
  EXPECT_LT(summary.v.cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_GT(summary.works(2), 1);
  EXPECT_LT(summary.energy_balance, 1e-5 * summary.largest_kinetic);
  EXPECT_LT(summary.statistics.steps, 20000);
}

// Inverse dynamics makes up for friction by the sense of the motion: at rest to rounding it must
// not be led to push back what has just broken loose.
TEST(Friction, APumaBreaksLooseUnderAControllerThatCompensatesIt) {
  Experiment experiment = run_of(read_robot("puma560").robot, 1);
  Drive drive;
  drive.kind = DriveKind::controller;
  drive.motion = {std::make_shared<Formula>("0.3*(1-cos(2*t))")};
  experiment.drives.assign(experiment.model->joints().size(), drive);
  auto law = std::make_shared<Feedback>();
  law->law = FeedbackLaw::computed_torque;
  law->kp = Eigen::VectorXd::Constant(6, 100);
  law->kd = Eigen::VectorXd::Constant(6, 20);
  for (int k = 0; k < 6; ++k) law->joints.push_back(k);
  experiment.controllers = {law};
  const RunSummary summary = simulate(experiment).summary;
  EXPECT_LT(summary.statistics.steps, 1000);
  // The hold until it breaks loose costs a little of the motion.
  EXPECT_LT((summary.q.array() - 0.3 * (1 - std::cos(2.0))).abs().maxCoeff(), 1e-3);
}

Robot falling_mass() {
  Robot robot = testing::pendulum(2);
  robot.joints[0].name = "lift";
  robot.joints[0].type = JointType::prismatic;
  robot.joints[0].axis = {0, 0, 1};
  robot.joints[0].degrees.resize(1);
  robot.joints[0].degrees[0].lower = 0;
  robot.joints[0].degrees[0].upper = 100;
  return robot;
}

TEST(Stops, ABallBouncesToTheHeightsOfItsRestitution) {
  Experiment experiment = run_of(falling_mass(), 2.5);
  experiment.stops = {true, 0.8, 1e-4};
  experiment.q = Eigen::VectorXd::Constant(1, 1);
  // First impact after sqrt(2/g); each flight between impacts is 0.8 of the one before.
  const double first = std::sqrt(2 / 9.81);
  experiment.end = first + 2 * 0.8 * first + 0.64 * first;  // at the top of the second bounce
  const RunSummary summary = simulate(experiment).summary;
  EXPECT_NEAR(summary.q(0), std::pow(0.8, 4), 1e-8);
  EXPECT_NEAR(summary.v(0), 0, 1e-7);
  EXPECT_LT(summary.energy_balance, 1e-8);
}

TEST(Stops, ABallComesToRestOnItsStopAndIsLiftedFromIt) {
  Experiment experiment = run_of(falling_mass(), 10);
  experiment.stops = {true, 0.5, 1e-4};
  experiment.q = Eigen::VectorXd::Constant(1, 1);
  // All bounces together take first (1 + e)/(1 - e) = 1.35 s. From 5 s on a force grows past the
  // weight of 19.62 N at 7 s.
  experiment.drives = {pushed("step(t-5)*(t-5)*9.81")};
  experiment.record.interval = 0.5;
  const auto run = simulate(experiment);
  for (std::size_t row = 0; row < run.t.size(); ++row) {
    const double t = run.t[row], q = run.values(row, 0);
    if (t > 1.5 && t < 7) {
      EXPECT_NEAR(q, 0, 1e-9) << t;
    }
    if (t > 7) {
      EXPECT_NEAR(q, 9.81 / 2 * std::pow(t - 7, 3) / 6, 1e-6) << t;
    }
  }
  EXPECT_LT(run.summary.energy_balance, 1e-6);
}

TEST(Stops, AnElbowThatHitsItsStopThrowsTheShoulder) {
  // Without gravity and friction the momentum about the shoulder's axis passes through the impact.
  Robot robot = testing::double_pendulum();
  robot.gravity.setZero();
  robot.joints[1].degrees.resize(1);
  robot.joints[1].degrees[0].upper = 0.5;
  for (const double restitution : {0.0, 0.6, 1.0}) {
    Experiment experiment = run_of(robot, 2);
    experiment.stops = {true, restitution, 1e-4};
    experiment.v = Eigen::Vector2d(0.3, 1.2);
    experiment.record.channels = {"q", "momentum.ay", "energy"};
    const auto run = simulate(experiment);
    const Eigen::VectorXd momentum = run.column("momentum.ay");
    EXPECT_LT((momentum.array() - momentum(0)).abs().maxCoeff(), 1e-7);
    EXPECT_LE(run.column("q.elbow").maxCoeff(), 0.5 + 1e-9);
    EXPECT_LT(run.summary.energy_balance, 1e-7);
    if (restitution == 1) {
      EXPECT_NEAR(run.summary.works(2), 0, 1e-9);
    }
    if (restitution < 1) {
      EXPECT_GT(run.summary.works(2), 0.01);
    }
  }
}

TEST(Stops, AreFeltOnlyWhenAskedForAndNotPassedAtTheStart) {
  Experiment experiment = run_of(falling_mass(), 1);
  experiment.q = Eigen::VectorXd::Constant(1, 0.5);
  EXPECT_LT(simulate(experiment).summary.q(0), -1);
  experiment.stops.enabled = true;
  EXPECT_GE(simulate(experiment).summary.q(0), -1e-9);
  experiment.q(0) = -0.5;
  EXPECT_THROW(simulate(experiment), InputError);
  experiment.q(0) = 0.5;
  experiment.stops.restitution = 1.5;
  EXPECT_THROW(simulate(experiment), InputError);
}

}  // namespace
}  // namespace ulna
