// What drives joints: motions, efforts, locks, and mixtures of them.

#include <gtest/gtest.h>

#include <cmath>

#include "../support/random_robot.hpp"
#include "drives.hpp"
#include "ulna/dynamics/internal/mixed_dynamics.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::follows;
using testing::formula;
using testing::frozen;
using testing::pushed;

TEST(MixedDynamics, EffortsAndAccelerationsFitTogetherOnAnyRobot) {
  testing::Generator g(3);
  testing::RobotRecipe recipe;
  recipe.types = testing::all_moving_types;
  recipe.branches = recipe.friction = recipe.mimic = true;
  for (int round = 0; round < 20; ++round) {
    const Model model(testing::random_robot(g, recipe));
    Workspace work(model);
    MixedDynamics mixed(model);
    const int n = model.speeds();
    std::vector<char> driven(static_cast<std::size_t>(n));
    for (char& d : driven) d = testing::uniform(g, 0, 1) < 0.5;
    mixed.set_driven(driven);
    const Eigen::VectorXd q = model.random(g), v = testing::random_entries(g, n);
    const Eigen::VectorXd given = testing::random_entries(g, n);
    Eigen::VectorXd a = given, tau = given;
    mixed.solve(work, q, v, a, tau);
    const Eigen::VectorXd check = inverse_dynamics(model, work, q, v, a);
    // Rounding of the mass matrix times its condition.
    EXPECT_LT((check - tau).cwiseAbs().maxCoeff(), 1e-10 * (1 + tau.cwiseAbs().maxCoeff()));
    for (int k = 0; k < n; ++k) EXPECT_EQ(driven[k] ? a(k) : tau(k), given(k));
  }
}

TEST(Drives, APendulumUnderAConstantTorqueFollowsItsClosedForm) {
  Robot robot = testing::pendulum();
  robot.gravity.setZero();
  Experiment experiment(frozen(robot));
  experiment.end = 2;
  experiment.drives = {pushed("3")};
  const RunSummary summary = simulate(experiment).summary;
  EXPECT_NEAR(summary.q(0), 0.5 * 3 * 4, 1e-8);  // inertia 1 kg m^2
  EXPECT_NEAR(summary.works(0), 0.5 * 36, 1e-7);
}

TEST(Drives, APrescribedElbowAndAFreeShoulder) {
  // The shoulder moves as the whole system would under the efforts that the drive finds.
  Experiment experiment(frozen(testing::double_pendulum()));
  experiment.end = 2;
  experiment.integrator.tolerances = {1e-11, 1e-12};
  experiment.drives = {Drive{}, follows("0.5*sin(3*t)")};
  experiment.q = Eigen::Vector2d(0.7, 0);
  experiment.v = Eigen::Vector2d(0, 1.5);
  experiment.record.channels = {"q", "v", "a", "tau", "energy", "power"};
  const auto run = simulate(experiment);
  Workspace work(*experiment.model);
  for (long row = 0; row < run.values.rows(); ++row) {
    const Eigen::Vector2d q = run.values.row(row).segment(0, 2),
                          v = run.values.row(row).segment(2, 2),
                          a = run.values.row(row).segment(4, 2),
                          tau = run.values.row(row).segment(6, 2);
    EXPECT_NEAR(q(1), 0.5 * std::sin(3 * run.t[row]), 1e-13);
    EXPECT_EQ(tau(0), 0);
    EXPECT_LT((inverse_dynamics(*experiment.model, work, q, v, a) - tau).norm(), 1e-12 * 30);
  }
  EXPECT_LT(run.summary.energy_balance, 1e-9);
  EXPECT_LT(run.column("power.residual").cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Drives, AJumpOfAPrescribedRateIsAnImpulse) {
  // Without gravity nothing turns the whole about the shoulder: its angular momentum is kept by the
  // impulse as by the motion around it.
  Robot robot = testing::double_pendulum();
  robot.gravity.setZero();
  Experiment experiment(frozen(robot));
  experiment.end = 1;
  experiment.drives = {Drive{}, follows("2*abs(t - 0.45)")};
  experiment.integrator.tolerances = {1e-11, 1e-12};
  experiment.record.interval = 0.05;
  experiment.record.channels = {"q", "v", "energy"};
  Workspace work(*experiment.model);
  for (const auto method : {IntegratorMethod::dop853, IntegratorMethod::dormand_prince}) {
    experiment.integrator.method = method;
    const auto run = simulate(experiment);
    const auto momentum_at = [&](long row) {
      const Eigen::Vector2d q = run.values.row(row).segment(0, 2),
                            v = run.values.row(row).segment(2, 2);
      return Eigen::Vector2d(mass_matrix(*experiment.model, work, q) * v)(0);
    };
    for (long row = 1; row < run.values.rows(); ++row)
      EXPECT_NEAR(momentum_at(row), momentum_at(0), 1e-9) << run.t[row];
    EXPECT_LT(run.summary.energy_balance, 1e-9);
    EXPECT_GT(std::abs(run.column("v.hinge")(15) - run.column("v.hinge")(5)), 0.1);
    ASSERT_EQ(run.summary.notes.size(), 1u);
    EXPECT_NE(run.summary.notes[0].find("t = 0.45 s"), std::string::npos);
  }
}

TEST(Drives, ARunGoesOnFromARecordAtAJump) {
  Experiment experiment(frozen(testing::double_pendulum()));
  experiment.end = 1;
  experiment.drives = {Drive{}, follows("abs(t - 0.5)")};
  experiment.record.interval = 0.25;
  const auto whole = simulate(experiment);
  Checkpoint saved;
  RunOptions options;
  options.checkpoint = [&](const Checkpoint& c) {
    if (c.t < 0.6) saved = c;
  };
  simulate(experiment, options);
  ASSERT_EQ(saved.t, 0.5);
  RunOptions rest;
  saved.wall_seconds = 1000;
  rest.resume = &saved;
  const RunSummary end = simulate(experiment, rest);
  EXPECT_NEAR(end.q(0), whole.summary.q(0), 1e-9);
  EXPECT_NEAR(end.v(0), whole.summary.v(0), 1e-9);
  EXPECT_GT(end.wall_seconds, 1000);  // of both parts
}

TEST(Drives, APrescribedMotionMustNotJump) {
  Experiment experiment(frozen(testing::pendulum()));
  experiment.end = 1;
  experiment.drives = {follows("step(t - 0.5)")};
  try {
    simulate(experiment);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'hinge'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("t = 0.5 s it jumps"), std::string::npos);
  }
}

TEST(Drives, ALockedElbowMakesOnePendulum) {
  Robot rigid = testing::double_pendulum();
  rigid.joints[1].type = JointType::fixed;
  Experiment one(frozen(rigid)), two(frozen(testing::double_pendulum()));
  for (Experiment* e : {&one, &two}) {
    e->end = 3;
    e->integrator.tolerances = {1e-11, 1e-12};
  }
  one.q = Eigen::VectorXd::Constant(1, 1.0);
  two.q = Eigen::Vector2d(1.0, 0);
  two.drives = {Drive{}, Drive{DriveKind::locked, {}, {}, {}}};
  EXPECT_NEAR(simulate(one).summary.q(0), simulate(two).summary.q(0), 1e-9);
}

TEST(Drives, AMovedBaseShakesThePendulumAsTheoryForeseesIt) {
  // A base that accelerates sideways with a acts on a pendulum like gravity tilted by atan(a/g).
  Robot robot = testing::pendulum();
  robot.bodies.push_back(testing::body("cart", {5, {0, 0, 0}, Matrix3<double>::Identity()}));
  robot.joints[0].parent = "cart";
  JointData free;
  free.name = "base";
  free.type = JointType::free;
  free.child = "cart";
  robot.joints.push_back(free);
  Experiment experiment(frozen(robot));
  experiment.end = 1.5;
  experiment.integrator.tolerances = {1e-11, 1e-12};
  const auto zero = formula("0");
  experiment.drives = {
      Drive{}, Drive{DriveKind::motion, {zero, zero, zero, formula("2*t^2"), zero, zero}, {}, {}}};
  const double swing = simulate(experiment).summary.q(0);

  Robot tilted = testing::pendulum();
  tilted.gravity = {-4, 0, -9.81};
  Experiment still(frozen(tilted));
  still.end = 1.5;
  still.integrator.tolerances = {1e-11, 1e-12};
  EXPECT_NEAR(swing, simulate(still).summary.q(0), 1e-9);
}

TEST(Drives, ATurningBaseGivesTheQuaternionAndRatesOfItsAngles) {
  // Roll, pitch and yaw as functions of time: the recorded speeds must be the rates of the recorded
  // quaternion, and the accelerations those of the speeds.
  Robot robot = testing::top();
  Experiment experiment(frozen(robot));
  experiment.end = 1;
  experiment.drives = {Drive{
      DriveKind::motion, {formula("0.4*sin(2*t)"), formula("0.7*t^2"), formula("1.1*t")}, {}, {}}};
  experiment.record.interval = 1e-4;
  experiment.record.channels = {"q", "v", "a"};
  const auto run = simulate(experiment);
  for (long row = 100; row < 9900; row += 777) {
    const Eigen::VectorXd before = run.values.row(row - 1).head(4),
                          after = run.values.row(row + 1).head(4);
    const Eigen::VectorXd turn = experiment.model->difference(before, after) / 2e-4;
    EXPECT_LT((turn - run.values.row(row).segment(4, 3).transpose()).norm(), 1e-6);
    const Eigen::VectorXd rate =
        (run.values.row(row + 1) - run.values.row(row - 1)).segment(4, 3) / 2e-4;
    EXPECT_LT((rate - run.values.row(row).segment(7, 3).transpose()).norm(), 1e-6);
  }
}

TEST(Drives, EffortsThatJumpAreMetAtTheJump) {
  // Bang-bang from rest to rest, without gravity: q = 1/4 T^2 exactly, whatever the tolerance.
  Robot robot = testing::pendulum();
  robot.gravity.setZero();
  Experiment experiment(frozen(robot));
  experiment.end = 1;
  experiment.drives = {pushed("1 - 2*step(t - 0.5)")};
  experiment.record.interval = 0.3;
  const RunSummary summary = simulate(experiment).summary;
  EXPECT_NEAR(summary.q(0), 0.25, 1e-14);
  EXPECT_NEAR(summary.v(0), 0, 1e-14);
  EXPECT_LT(summary.statistics.steps + summary.statistics.rejected, 40);
}

}  // namespace
}  // namespace ulna
