// Cases with closed answers: joints at their stops, through Zeno's sequence and at rest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulation/cases/cases.hpp"

namespace ulna {
namespace {

using testing::frozen;
using testing::g;
using testing::one;

DegreeData limited(double lower, double upper) {
  DegreeData degree;
  degree.lower = lower;
  degree.upper = upper;
  return degree;
}

TEST(Cases, ALiftBouncesOnItsStopThroughZenosSequenceAndRests) {
  for (const double e : {0.3, 0.8, 0.95}) {
    Experiment experiment = one(testing::lift(1, limited(0, 10)), 1, 0, 5);
    experiment.end = 1.2 * std::sqrt(2 / g) * (1 + e) / (1 - e);
    experiment.stops = {true, e, 1e-6};
    experiment.events = {testing::passes("rests", "a.j", 0, Event::Direction::rising)};
    const auto run = simulate(experiment);
    ASSERT_TRUE(run.summary.complete) << run.summary.reason;
    EXPECT_NEAR(run.summary.q(0), 0, 1e-11) << e;
    EXPECT_EQ(run.summary.v(0), 0) << e;
    // Falls of sqrt(2 h / g), then 2 e, 2 e^2, ... of it; the last ones may be off by what a fall
    // of the precision of stops takes.
    const double last = std::sqrt(2 / g) * (1 + e) / (1 - e);
    ASSERT_FALSE(run.summary.events.empty());
    EXPECT_NEAR(run.summary.events.back().t, last, 1e-4) << e;
    EXPECT_NEAR(run.summary.works(2), g, 1e-6) << "all of its height is lost";
    EXPECT_GT(run.column("q.j").minCoeff(), -1e-9);
  }
}

TEST(Cases, APushedWheelComesToRestAtItsStop) {
  Experiment experiment = one(testing::wheel(1e-3, limited(-1, 1)), 0, 0, 1);
  experiment.drives = {testing::pushed("20")};
  experiment.stops = {true, 0.9, 1e-4};
  const RunSummary summary = simulate(experiment).summary;
  ASSERT_TRUE(summary.complete) << summary.reason;
  EXPECT_NEAR(summary.q(0), 1, 1e-10);
  EXPECT_EQ(summary.v(0), 0);
}

TEST(Cases, AnElasticStopReturnsTheWholeSpeedForEver) {
  Experiment experiment = one(testing::lift(2, limited(0, 10)), 1, 0, 0);
  experiment.end = 20.5 * 2 * std::sqrt(2 / g);
  experiment.stops = {true, 1, 1e-6};
  experiment.events = {testing::passes("top", "v.j", 0, Event::Direction::falling)};
  const RunSummary summary = simulate(experiment).summary;
  ASSERT_GE(summary.events.size(), 19u);
  for (std::size_t n = 0; n < 19; ++n)
    EXPECT_NEAR(summary.events[n].t, 2 * static_cast<double>(n + 1) * std::sqrt(2 / g), 1e-7);
  EXPECT_NEAR(summary.works(2), 0, 1e-7);
}

TEST(Cases, BetweenTwoStopsASlideLosesTheSquareOfItsRestitution) {
  Experiment experiment = one(testing::slide(3, limited(-0.5, 0.5)), 0, 2, 3);
  experiment.stops = {true, 0.7, 1e-6};
  const RunSummary summary = simulate(experiment).summary;
  // Impacts at 0.25 s, then every 0.5 / 0.7^n s.
  double t = 0.25, v = 2;
  int hits = 0;
  while (t < 3) v *= 0.7, t += 1 / v, ++hits;
  EXPECT_NEAR(std::abs(summary.v(0)), 2 * std::pow(0.7, hits), 1e-9);
}

TEST(Cases, AStopInALoopEndsItsBouncesToo) {
  // A parallelogram swings against a stop of one crank, under gravity.
  Robot robot = testing::one_joint(JointType::revolute, {0, 1, 0}, 1, 0.1);
  robot.gravity = {0, 0, -g};
  robot.joints[0].name = "left";
  robot.bodies[0].name = "crank";
  robot.joints[0].child = "crank";
  robot.bodies.push_back(robot.bodies[0]);
  robot.bodies[1].name = "other";
  robot.bodies.push_back(robot.bodies[0]);
  robot.bodies[2].name = "bar";
  const auto hinge = [&](const std::string& name, const std::string& parent,
                         const std::string& child, const Vector3<double>& at) {
    JointData joint = robot.joints[0];
    joint.name = name;
    joint.parent = parent;
    joint.child = child;
    joint.X_PF.position = at;
    robot.joints.push_back(joint);
  };
  hinge("right", "world", "other", {1, 0, 0});
  hinge("top", "crank", "bar", {0, 0, 0.5});
  hinge("closing", "other", "bar", {0, 0, 0.5});
  robot.joints.back().X_MC.position = {-1, 0, 0};
  robot.joints.back().cut = true;
  robot.joints[0].degrees = {limited(-1, 0.8)};
  Experiment experiment(frozen(robot));
  experiment.end = 6;
  experiment.q = Eigen::VectorXd::Zero(3);
  experiment.q << 0.2, 0.2, -0.2;
  for (const IntegratorMethod method : {IntegratorMethod::automatic, IntegratorMethod::radau5,
                                        IntegratorMethod::sundials_bdf, IntegratorMethod::ida})
    for (const double restitution : {0.0, 0.2, 0.5, 0.6}) {
      if (!is_available(method)) continue;
      SCOPED_TRACE(std::string(name_of(method)) + ", " + std::to_string(restitution));
      experiment.integrator.method = method;
      for (const double rest_speed : {1e-4, 1e-5}) {
        experiment.stops = {true, restitution, rest_speed};
        const RunSummary summary = simulate(experiment).summary;
        ASSERT_TRUE(summary.complete) << summary.reason;
        EXPECT_NEAR(summary.q(0), 0.8, 1e-9);
        EXPECT_NEAR(summary.v.norm(), 0, 1e-9);
        EXPECT_LT(summary.closure, 1e-10);
        EXPECT_LT(summary.statistics.steps, 20'000);
      }
    }
}

TEST(Cases, EndlessChangesNameTheirJoint) {
  // A bang-bang effort of the sign of the speed fights the friction of a joint at rest.
  DegreeData degree;
  degree.friction = 1;
  Experiment experiment = one(testing::wheel(1e-3, degree), 0, 0, 5);
  experiment.drives = {testing::pushed("1.2*sin(1e9*t)")};
  experiment.integrator.most_steps = 2'000'000;
  try {
    const RunSummary summary = simulate(experiment).summary;
    EXPECT_FALSE(summary.complete);
    EXPECT_THAT(summary.reason, ::testing::HasSubstr("'j'"));
  } catch (const ComputationError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("t = "));
  }
}

TEST(Cases, RattlingBetweenStopsThatNearlyMeetNamesItsJoint) {
  // Elastic, ten million impacts a second: nothing of it ends, and nobody waits for it.
  Experiment experiment = one(testing::slide(1, limited(-5e-8, 5e-8)), 0, 1, 10);
  experiment.stops = {true, 1, 1e-6};
  const RunSummary summary = simulate(experiment).summary;
  EXPECT_FALSE(summary.complete);
  EXPECT_THAT(summary.reason, ::testing::HasSubstr("joint 'j'"));
  EXPECT_THAT(summary.reason, ::testing::HasSubstr("60000 times between"));
}

TEST(Cases, AStopThatIsHitAtTheStartCountsInTheBalanceOfEnergy) {
  Robot robot = testing::slide(1);
  robot.joints[0].degrees[0].upper = 1;
  Experiment e = testing::one(robot, 1, 3, 0.1);
  e.stops = {true, 0.5, 1e-4};
  const RunSummary summary = simulate(e).summary;
  EXPECT_NEAR(summary.v(0), -1.5, 1e-12);
  EXPECT_NEAR(summary.works(2), 0.5 * (9 - 2.25), 1e-12);
  EXPECT_LT(summary.energy_balance, 1e-12);
}

TEST(Cases, StopsWithoutAWayBetweenThemAreRefused) {
  Robot robot = testing::slide(1);
  robot.joints[0].degrees[0].lower = robot.joints[0].degrees[0].upper = 0;
  Experiment e = testing::one(robot, 0, 0, 0.1);
  e.stops = {true, 0.5, 1e-4};
  try {
    simulate(e);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no way between its limits"), std::string::npos);
  }
}

}  // namespace
}  // namespace ulna
