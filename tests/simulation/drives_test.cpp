// What drives joints: motions, efforts, locks, controllers, and mixtures of them; events and stops.

#include <gtest/gtest.h>

#include <cmath>

#include "../support/random_robot.hpp"
#include "machines.hpp"
#include "ulna/dynamics/mixed_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/motion/program.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::frozen;

ScalarMotionPtr formula(const std::string& text) { return std::make_shared<Formula>(text); }

Drive follows(const std::string& text) { return {DriveKind::motion, {formula(text)}, {}, {}}; }
Drive pushed(const std::string& text) { return {DriveKind::effort, {}, {formula(text)}, {}}; }

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

TEST(Runs, QuaternionsOfFramesDoNotJumpInSign) {
  Experiment experiment(frozen(testing::pendulum()));
  experiment.end = 5;
  experiment.drives = {follows("4*t")};
  experiment.record.channels = {"frame.rod"};
  const auto run = simulate(experiment);
  ASSERT_EQ(run.values.cols(), 7);
  for (long row = 1; row < run.values.rows(); ++row)
    EXPECT_GT(run.values.row(row).tail<4>().dot(run.values.row(row - 1).tail<4>()), 0.99);
}

TEST(Runs, AtRestThereIsNoRelativeDrift) {
  Experiment experiment(frozen(testing::pendulum()));
  experiment.end = 1;
  experiment.drives = {Drive{DriveKind::locked, {}, {}, {}}};
  EXPECT_FALSE(simulate(experiment).summary.relative_balance());
  experiment.drives = {};
  experiment.q = Eigen::VectorXd::Constant(1, 0.3);
  EXPECT_LT(simulate(experiment).summary.relative_balance().value(), 1e-6);
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

std::shared_ptr<Feedback> feedback(FeedbackLaw law, int n, double kp, double kd) {
  auto controller = std::make_shared<Feedback>();
  controller->law = law;
  controller->kp = Eigen::VectorXd::Constant(n, kp);
  controller->kd = Eigen::VectorXd::Constant(n, kd);
  for (int j = 0; j < n; ++j) controller->joints.push_back(j);
  return controller;
}

Experiment puma_under(const std::shared_ptr<Feedback>& controller) {
  Experiment experiment(frozen(read_robot("intelledex605").robot));
  experiment.end = 2;
  for (int j = 0; j < 6; ++j)
    experiment.drives.push_back(
        {DriveKind::controller, {program_named("poly345", 0.1, 0.6, 1.5)}, {}, {}});
  experiment.controllers = {controller};
  experiment.q = Eigen::VectorXd::Constant(6, 0.1 + 0.02);
  experiment.record.channels = {"q", "reference"};
  return experiment;
}

TEST(Controllers, ErrorsUnderComputedTorqueObeyTheirLinearEquation) {
  // e'' + kd e' + kp e = 0 with kp = 100, kd = 20: e = e0 (1 + 10 t) exp(-10 t).
  Experiment experiment = puma_under(feedback(FeedbackLaw::computed_torque, 6, 100, 20));
  experiment.integrator.tolerances = {1e-11, 1e-12};
  const auto run = simulate(experiment);
  for (std::size_t row = 0; row < run.t.size(); ++row) {
    const double t = run.t[row], expected = 0.02 * (1 + 10 * t) * std::exp(-10 * t);
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(run.values(row, k) - run.values(row, 6 + k), expected, 1e-9);
  }
}

TEST(Controllers, SamplingAtAHighRateComesNearTheContinuousLaw) {
  double worst[2];
  for (int k = 0; k < 2; ++k) {
    auto controller = feedback(FeedbackLaw::computed_torque, 6, 100, 20);
    controller->period = k == 0 ? 1e-3 : 5e-4;
    const auto run = simulate(puma_under(controller));
    worst[k] = 0;
    for (std::size_t row = 0; row < run.t.size(); ++row) {
      const double t = run.t[row], expected = 0.02 * (1 + 10 * t) * std::exp(-10 * t);
      worst[k] = std::max(worst[k], std::abs(run.values(row, 0) - run.values(row, 6) - expected));
    }
  }
  EXPECT_LT(worst[0], 2e-3);
  EXPECT_NEAR(worst[0] / worst[1], 2, 0.2);  // the delay of half a period, to first order
}

TEST(Controllers, FeedForwardNeedsNoErrorAndPdWithGravityHoldsStill) {
  Experiment forward = puma_under(feedback(FeedbackLaw::feed_forward, 6, 300, 30));
  forward.q = Eigen::VectorXd::Constant(6, 0.1);
  forward.integrator.tolerances = {1e-10, 1e-11};
  const RunSummary end = simulate(forward).summary;
  EXPECT_LT((end.q.array() - 0.6).abs().maxCoeff(), 1e-7);

  auto pd = feedback(FeedbackLaw::pd, 6, 200, 60);
  pd->gravity = true;
  Experiment hold = puma_under(pd);
  for (Drive& drive : hold.drives) drive.motion.clear();  // regulation at the start
  hold.v = Eigen::VectorXd::Constant(6, 0.3);
  hold.end = 20;
  const RunSummary held = simulate(hold).summary;
  EXPECT_LT((held.q - hold.q).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT(held.v.cwiseAbs().maxCoeff(), 1e-3);
}

TEST(Controllers, TheIntegralRemovesTheSagThatGravityLeavesAndDoesNotWindUp) {
  Experiment experiment(frozen(testing::pendulum()));
  experiment.end = 30;
  experiment.q = Eigen::VectorXd::Constant(1, 0.5);
  experiment.drives = {{DriveKind::controller, {formula("1")}, {}, {}}};
  auto pd = feedback(FeedbackLaw::pd, 1, 50, 15);
  experiment.controllers = {pd};
  const double sag = simulate(experiment).summary.q(0);
  EXPECT_NEAR(50 * (1 - sag), 9.81 * std::sin(sag), 1e-6);  // statics

  auto pid = feedback(FeedbackLaw::pd, 1, 50, 15);
  pid->ki = Eigen::VectorXd::Constant(1, 40);
  experiment.controllers = {pid};
  EXPECT_NEAR(simulate(experiment).summary.q(0), 1, 1e-6);

  // With a bound too low to hold it the integral must not grow while it waits: once the reference
  // comes back within reach the joint is there soon.
  pid->limit = Eigen::VectorXd::Constant(1, 5);
  experiment.drives[0].motion = {formula("1 - 0.8*step(t - 20)")};
  experiment.end = 26;
  experiment.record.channels = {"q", "tau"};
  const auto run = simulate(experiment);
  EXPECT_LE(run.column("tau.hinge").cwiseAbs().maxCoeff(), 5);
  EXPECT_NEAR(run.summary.q(0), 0.2, 0.02);
}

TEST(Controllers, ASphericalJointIsHeldByItsQuaternionError) {
  Experiment experiment(frozen(testing::top()));
  experiment.end = 8;
  auto pd = feedback(FeedbackLaw::computed_torque, 1, 25, 10);
  pd->kp = Eigen::Vector3d::Constant(25);
  pd->kd = Eigen::Vector3d::Constant(10);
  experiment.controllers = {pd};
  const auto zero = formula("0");
  experiment.drives = {{DriveKind::controller, {formula("0.5"), zero, formula("-1")}, {}, {}}};
  experiment.q = experiment.model->neutral();
  const RunSummary summary = simulate(experiment).summary;
  Experiment there = inverse_of(experiment);
  there.end = 1;
  EXPECT_LT(experiment.model->difference(summary.q, simulate(there).summary.q).norm(), 1e-6);
}

TEST(Events, ABallIsDroppedForTheTimeThatGalileiSays) {
  Robot robot = testing::pendulum();
  robot.joints[0].type = JointType::prismatic;
  robot.joints[0].axis = {0, 0, 1};
  for (const IntegratorMethod method :
       {IntegratorMethod::dormand_prince, IntegratorMethod::dop853, IntegratorMethod::rk4,
        IntegratorMethod::sundials_erk, IntegratorMethod::sundials_bdf}) {
    if (!is_available(method)) continue;
    Experiment experiment(frozen(robot));
    experiment.end = 10;
    experiment.integrator.method = method;
    experiment.integrator.tolerances = {1e-10, 1e-11};
    experiment.integrator.step = method == IntegratorMethod::rk4 ? 0.05 : 0;
    experiment.q = Eigen::VectorXd::Constant(1, 3);
    experiment.events = {{"half way", "q.hinge", 1.5, Event::Direction::falling, false, {}},
                         {"ground", "q.hinge", 0, Event::Direction::falling, true, {}}};
    const RunSummary summary = simulate(experiment).summary;
    EXPECT_EQ(summary.reason, "event 'ground'");
    ASSERT_EQ(summary.events.size(), 2);
    EXPECT_NEAR(summary.events[0].t, std::sqrt(2 * 1.5 / 9.81), 1e-9) << name_of(method);
    EXPECT_NEAR(summary.t, std::sqrt(2 * 3 / 9.81), 1e-9) << name_of(method);
    EXPECT_NEAR(summary.v(0), -std::sqrt(2 * 3 * 9.81), 1e-8);
  }
}

TEST(Runs, AStopTokenEndsTheRunAndACheckpointGoesOnWithTheSameNumbers) {
  for (const double period : {0.0, 0.004}) {
    auto controller = feedback(FeedbackLaw::computed_torque, 6, 200, 40);
    controller->ki = Eigen::VectorXd::Constant(6, 10);
    controller->period = period;
    const Experiment experiment = puma_under(controller);
    const auto whole = simulate(experiment);

    std::stop_source stop;
    Checkpoint saved;
    RunOptions options;
    options.stop = stop.get_token();
    options.record = [&](double t, std::span<const double>) {
      if (t > 0.7) stop.request_stop();
    };
    options.checkpoint = [&](const Checkpoint& c) { saved = c; };
    const RunSummary half = simulate(experiment, options);
    EXPECT_FALSE(half.complete);
    EXPECT_EQ(half.reason, "interrupted");
    EXPECT_LT(half.t, 0.8);

    RunOptions rest;
    rest.resume = &saved;
    long records = saved.records;
    rest.record = [&](double, std::span<const double>) { ++records; };
    const RunSummary end = simulate(experiment, rest);
    EXPECT_TRUE(end.complete);
    EXPECT_EQ(records, static_cast<long>(whole.t.size()));
    EXPECT_EQ(end.q, whole.summary.q);  // to the last bit
    EXPECT_EQ(end.v, whole.summary.v);
    EXPECT_EQ(end.statistics.steps, whole.summary.statistics.steps);
  }
}

TEST(Runs, DenseRecordsLieOnTheMotionAndDoNotShortenSteps) {
  Experiment experiment(frozen(testing::double_pendulum()));
  experiment.end = 2;
  experiment.q = Eigen::Vector2d(1, 0.5);
  experiment.record.interval = 0.001;
  for (const double tolerance : {1e-9, 1e-12}) {
    experiment.integrator.tolerances = {tolerance, tolerance};
    experiment.record.interpolate = false;
    const auto exact = simulate(experiment);
    experiment.record.interpolate = true;
    const auto dense = simulate(experiment);
    ASSERT_EQ(dense.t.size(), exact.t.size());
    EXPECT_LT(dense.summary.statistics.steps, exact.summary.statistics.steps / 5);
    EXPECT_LT((dense.column("q.elbow") - exact.column("q.elbow")).cwiseAbs().maxCoeff(),
              2000 * tolerance);
  }
}

// ---- what is refused ----------------------------------------------------------------------------

/// The text of all problems.
std::string refusal(const Experiment& experiment) {
  try {
    simulate(experiment);
  } catch (const InputError& error) {
    std::string text;
    for (const Problem& p : error.problems()) text += p.text() + "\n";
    return text;
  }
  return "not refused";
}

TEST(Refusals, EachNamesWhatIsWrong) {
  const auto expect = [](auto change, const std::string& part) {
    Experiment experiment(frozen(testing::double_pendulum()));
    experiment.end = 1;
    experiment.drives.resize(2);
    change(experiment);
    EXPECT_NE(refusal(experiment).find(part), std::string::npos) << refusal(experiment);
  };
  expect([](Experiment& e) { e.end = 0; }, "end time above 0");
  expect([](Experiment& e) { e.end = -1; }, "end time above 0");
  expect([](Experiment& e) { e.end = NAN; }, "end time above 0");
  expect([](Experiment& e) { e.record.interval = -0.1; }, "interval");
  expect([](Experiment& e) { e.integrator.tolerances.relative = 0; }, "relative tolerance");
  expect([](Experiment& e) { e.integrator.tolerances.relative = 1e-20; }, "below rounding");
  expect([](Experiment& e) { e.integrator.method = IntegratorMethod::rk4; }, "rk4 needs step");
  expect([](Experiment& e) { e.q = Eigen::VectorXd::Zero(3); }, "q has 3 entries");
  expect([](Experiment& e) { e.v = Eigen::Vector2d(0, NAN); }, "not finite");
  expect([](Experiment& e) { e.drives.resize(3); }, "3 drives");
  expect([](Experiment& e) { e.drives[0].kind = DriveKind::motion; },
         "follow a motion but has none");
  expect([](Experiment& e) { e.drives[0].kind = DriveKind::effort; }, "effort that is not given");
  expect([](Experiment& e) { e.drives[1].kind = DriveKind::controller; }, "no controller lists");
  expect([](Experiment& e) { e.drives[0].motion.assign(2, formula("t")); }, "2 functions");
  expect(
      [](Experiment& e) {
        e.drives[0] = follows("t");
        e.q = Eigen::Vector2d(0.1, 0);
      },
      "away from where its motion begins");
  expect(
      [](Experiment& e) {
        e.drives[0] = follows("t");
        e.v = Eigen::Vector2d(0, 0);
      },
      "away from the rate of its motion");
  expect([](Experiment& e) { e.drives[0] = follows("sqrt(0.5 - t)"); }, "not finite");
  expect([](Experiment& e) { e.record.channels = {"q.elbw"}; }, "did you mean 'q.elbow'");
  expect([](Experiment& e) { e.events = {{"x", "energy", 0, {}, true, {}}}; }, "group of channels");
  expect(
      [](Experiment& e) {
        e.drives[0].kind = DriveKind::locked;
        e.v = Eigen::Vector2d(1, 0);
      },
      "locked and starts with a speed");
}

TEST(Refusals, AMotionOutsideTheLimitsOfItsJoint) {
  Robot robot = testing::pendulum();
  robot.joints[0].degrees.resize(1);
  robot.joints[0].degrees[0].upper = 0.8;
  Experiment experiment(frozen(robot));
  experiment.end = 2;
  experiment.drives = {follows("sin(t)")};
  EXPECT_NE(refusal(experiment).find("outside the joint's limits"), std::string::npos);
}

}  // namespace
}  // namespace ulna
