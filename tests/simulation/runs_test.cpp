// Events, stops, checkpoints and records of runs.

#include <gtest/gtest.h>

#include <cmath>

#include "drives.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::arm_under;
using testing::feedback;
using testing::follows;
using testing::frozen;

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
    experiment.events = {
        {"half way", "q.hinge", 1.5, Event::Direction::falling, false, {}, NAN, {}},
        {"ground", "q.hinge", 0, Event::Direction::falling, true, {}, NAN, {}}};
    const RunSummary summary = simulate(experiment).summary;
    EXPECT_EQ(summary.reason, "event 'ground'");
    ASSERT_EQ(summary.events.size(), 2);
    EXPECT_NEAR(summary.events[0].t, std::sqrt(2 * 1.5 / 9.81), 1e-9) << name_of(method);
    EXPECT_NEAR(summary.t, std::sqrt(2 * 3 / 9.81), 1e-9) << name_of(method);
    EXPECT_NEAR(summary.v(0), -std::sqrt(2 * 3 * 9.81), 1e-8);
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

TEST(Runs, AStopTokenEndsTheRunAndACheckpointGoesOnWithTheSameNumbers) {
  for (const double period : {0.0, 0.004}) {
    auto controller = feedback(FeedbackLaw::computed_torque, 6, 200, 40);
    controller->ki = Eigen::VectorXd::Constant(6, 10);
    controller->period = period;
    const Experiment experiment = arm_under(controller);
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

}  // namespace
}  // namespace ulna
