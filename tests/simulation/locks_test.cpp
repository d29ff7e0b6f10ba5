// Events that lock joints, free them and lead them by motions: what the others do then.

#include <gtest/gtest.h>

#include "drives.hpp"
#include "mechanisms.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::frozen;

Event changes(const std::string& name, double t, int joint, DriveKind kind) {
  EventAction action;
  action.kind = EventAction::Kind::drive;
  action.joint = joint;
  action.drive.kind = kind;
  Event event;
  event.name = name;
  event.time = t;
  event.stops = false;
  event.actions = {action};
  return event;
}

EventAction record() {
  EventAction action;
  action.kind = EventAction::Kind::record;
  return action;
}

double kinetic(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  Workspace work(model);
  return energy(model, work, q, v).kinetic;
}

const std::vector<IntegratorMethod> methods = {
    IntegratorMethod::automatic, IntegratorMethod::radau5, IntegratorMethod::rk4,
    IntegratorMethod::sundials_bdf, IntegratorMethod::ida};

/// By each integrator that takes it: the last values.
void expect_alike(Experiment e, double tolerance) {
  e.integrator.method = IntegratorMethod::dop853;
  e.integrator.tolerances = {1e-11, 1e-13};
  const auto known = simulate(e).summary;
  for (const IntegratorMethod method : methods) {
    if (!is_available(method)) continue;
    if (method == IntegratorMethod::ida && e.model->loops().empty()) continue;
    e.integrator.method = method;
    e.integrator.tolerances = {1e-9, 1e-11};
    e.integrator.step = method == IntegratorMethod::rk4 ? 1e-3 : 0;
    const auto summary = simulate(e).summary;
    EXPECT_TRUE(summary.complete) << name_of(method) << ": " << summary.reason;
    EXPECT_LT((summary.q - known.q).norm(), tolerance) << name_of(method);
    EXPECT_LT((summary.v - known.v).norm(), 10 * tolerance) << name_of(method);
  }
}

TEST(Locks, AJointLockedOnItsMotionStandsAndFollowsItAgainWhenThatIsAsked) {
  Experiment e(frozen(testing::double_pendulum()));
  e.drives = {testing::follows("sin(2*t)"), {}};
  e.end = 1;
  e.record.channels = {"q", "v", "a", "energy.balance"};
  e.record.interval = 0.25;
  e.events = {changes("lock", 0.5, 0, DriveKind::locked)};
  const auto run = simulate(e);
  ASSERT_EQ(run.values.rows(), 5);
  for (const int row : {3, 4}) {
    EXPECT_NEAR(run.values(row, 0), std::sin(1.0), 1e-12);
    EXPECT_EQ(run.values(row, 2), 0);
    EXPECT_EQ(run.values(row, 4), 0);
  }
  EXPECT_LT(run.column("energy.balance").cwiseAbs().maxCoeff(), 1e-7);
  expect_alike(e, 1e-6);
}

/// Its motion is elsewhere by then: it would have to jump.
TEST(Locks, WhatIsLedAgainMustBeWhereItsMotionIs) {
  Experiment e(frozen(testing::double_pendulum()));
  e.drives = {testing::follows("sin(2*t)"), {}};
  e.end = 1;
  e.events = {changes("lock", 0.5, 0, DriveKind::locked),
              changes("again", 0.7, 0, DriveKind::motion)};
  try {
    simulate(e);
    FAIL();
  } catch (const ComputationError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("after event 'again' at t = 0.7 s"), std::string::npos) << text;
    EXPECT_NE(text.find("joint 'hinge'"), std::string::npos) << text;
  }
}

/// A motion that takes a moving joint over gives the others an impulse as a jump of its rate would.
TEST(Locks, AMotionThatTakesAJointOverGivesTheOthersItsImpulse) {
  Robot robot = testing::double_pendulum();
  robot.gravity.setZero();
  Experiment jump(frozen(robot)), takes(jump);
  jump.end = takes.end = 1;
  jump.q = takes.q = Eigen::Vector2d(0.1, 0.8);
  jump.drives = {testing::follows("0.1 + 3*max(t - 0.5, 0)"), {}};
  takes.drives = {testing::follows("0.1 + 3*(t - 0.5)"), {}};
  takes.drives[0].kind = DriveKind::locked;
  takes.events = {changes("lead", 0.5, 0, DriveKind::motion)};
  const auto expected = simulate(jump).summary, found = simulate(takes).summary;
  EXPECT_GT(expected.v.norm(), 3);
  EXPECT_LT((expected.q - found.q).norm(), 1e-7);
  EXPECT_LT((expected.v - found.v).norm(), 1e-7);
}

/// A five-bar linkage that swings under a controller of both its cranks.
Experiment swinging_five_bar() {
  Robot robot = testing::five_bar();
  robot.gravity = {0, -9.81, 0};
  Experiment e(frozen(robot));
  e.drives.resize(e.model->joints().size());
  e.q = Eigen::Vector4d(1.9, 1.1, -0.9, 1.0);
  e.keep_q = {1, 1, 0, 0};
  e.v = Eigen::Vector4d(2, -1, 0, 0);
  e.keep_v = {1, 1, 0, 0};
  e.end = 0.3;
  e.record.interval = 0.1;
  e.record.channels = {"q", "v", "closure", "energy"};
  e.controllers = {testing::feedback(FeedbackLaw::pd, 2, 5, 0.1)};
  e.drives[0].kind = e.drives[1].kind = DriveKind::controller;
  return e;
}

/// What locks a joint does no work: the impulse takes the energy of the change (Carnot), however
/// the other joints are driven.
TEST(Locks, InALoopTheImpulseTakesTheEnergyOfTheChange) {
  for (int joint = 0; joint < 4; ++joint) {
    Experiment e = swinging_five_bar();
    Event before = changes("before", 0.1, 0, DriveKind::free);
    before.actions = {record()};
    Event after = before;
    after.name = "after";
    after.time = 0.1 + 1e-7;
    e.events = {before, changes("lock", 0.1, joint, DriveKind::locked), after};
    e.integrator.tolerances = {1e-10, 1e-12};
    const auto run = simulate(e);
    EXPECT_TRUE(run.summary.complete);
    EXPECT_LT(testing::worst_closure(run), 1e-10);
    long first = 0;
    while (run.t[static_cast<std::size_t>(first)] < 0.1 - 1e-9) ++first;
    long second = first;
    while (run.t[static_cast<std::size_t>(second)] < 0.1 + 5e-8) ++second;
    const Eigen::VectorXd q = run.values.row(first).head(4),
                          v = run.values.row(first).segment(4, 4),
                          then = run.values.row(second).segment(4, 4), change = then - v;
    EXPECT_EQ(then(joint), 0);
    EXPECT_GT(change.norm(), 0.1);
    const auto twice_energy = [&](const Eigen::VectorXd& x) { return 2 * kinetic(*e.model, q, x); };
    EXPECT_NEAR(twice_energy(v) - twice_energy(then), twice_energy(change), 1e-5) << joint;
    EXPECT_NEAR(run.values(4, joint), run.values(second, joint), 1e-12);
    expect_alike(e, 1e-6);
  }
}

TEST(Locks, ALoopWhoseFreedomsAreAllLockedStandsUntilOneIsFreeAgain) {
  Experiment e = swinging_five_bar();
  e.events = {changes("left", 0.1, 0, DriveKind::locked),
              changes("elbow", 0.12, 2, DriveKind::locked),
              changes("tool", 0.13, 3, DriveKind::locked),  // one more than it has freedoms
              changes("swing", 0.2, 2, DriveKind::free)};
  const auto run = simulate(e);
  EXPECT_TRUE(run.summary.complete);
  EXPECT_LT(run.values.row(2).segment(4, 4).norm(), 1e-12);
  EXPECT_LT(run.values.row(3).segment(4, 4).norm(), 1e-12);  // one is not enough
  expect_alike(e, 1e-6);
  e.events.push_back(changes("too", 0.22, 3, DriveKind::free));
  EXPECT_GT(simulate(e).summary.v.norm(), 0.1);
  expect_alike(e, 1e-6);
}

TEST(Locks, ALockThatAMotionCannotLiveWithIsNamed) {
  Experiment e(frozen(read_robot("crank-rocker").robot));
  e.drives.resize(e.model->joints().size());
  e.drives[0] = testing::follows("0.3 + 4*t");
  e.end = 1;
  e.events = {changes("jam", 0.45, 1, DriveKind::locked)};
  try {
    simulate(e);
    FAIL();
  } catch (const ComputationError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("after event 'jam' at t = 0.45 s"), std::string::npos) << text;
    EXPECT_NE(text.find(e.model->joints()[1].name), std::string::npos) << text;
  }
}

/// A platform on six legs of which one passive hinge is locked while controllers act on others. The
/// rates of these are no more kept than any: with the hinge they would leave none free.
TEST(Locks, APlatformGoesOnWithTheFreedomThatIsLeft) {
  Experiment e = read_experiment_text(R"(
experiment: 1
robot: stewart-6-6
duration: 0.2
record: {interval: 0.05, channels: [q, v, energy]}
drives: {leg1_swing: controller, leg2_hinge: controller, leg3_swing: controller,
         leg3: controller, leg6_hinge: controller, leg2_swing: controller}
controllers: [{law: pd, kp: 10, kd: 10}]
start: {v: {leg5_hinge: 3}}
events: [{at: 0.176, do: {drive: {leg2_hinge: locked}}}]
)",
                                      "e.yaml")
                     .experiment;
  const auto run = simulate(e);
  EXPECT_TRUE(run.summary.complete);
  const Eigen::VectorXd kinetic = run.column("energy.kinetic");
  EXPECT_LT(kinetic(4), kinetic(3));
  EXPECT_LT(run.column("energy.balance").cwiseAbs().maxCoeff(), 1e-5);
  expect_alike(e, 1e-5);
}

/// A mass on a ball joint is locked in mid-turn, by each of its degrees, and freed again.
TEST(Locks, AJointOfSeveralDegreesStopsInAllOfThem) {
  Experiment e(frozen(testing::top()));
  e.drives.resize(1);
  e.q = Eigen::Vector4d(0.9, 0.3, 0.2, 0.1).normalized();
  e.v = Eigen::Vector3d(1, 2, 20);
  e.end = 0.6;
  e.record.interval = 0.1;
  e.record.channels = {"q", "v"};
  e.events = {changes("lock", 0.2, 0, DriveKind::locked), changes("go", 0.4, 0, DriveKind::free)};
  const auto run = simulate(e);
  EXPECT_EQ(run.values.row(4).tail(3).norm(), 0);
  EXPECT_LT((run.values.row(4).head(4) - run.values.row(2).head(4)).norm(), 1e-12);
  EXPECT_GT(run.values.row(6).tail(3).norm(), 0.1);
  expect_alike(e, 1e-6);
}

/// The modes of its links take their part in the impulse.
TEST(Locks, AFlexibleLoopKeepsTheMomentumThatTheLockLeavesIt) {
  Experiment e(frozen(read_robot("flexible-four-bar").robot));
  const int n = e.model->speeds();
  e.drives.resize(e.model->joints().size());
  e.end = 0.02;
  e.v = Eigen::VectorXd::Zero(n);
  e.v(0) = 5;
  e.keep_v.assign(static_cast<std::size_t>(n), 0);
  e.keep_v[0] = 1;
  e.record.interval = 0.01;
  e.record.channels = {"q", "v"};
  Event after = changes("after", 0.01 + 1e-9, 0, DriveKind::free);
  after.actions = {record()};
  e.events = {changes("lock", 0.01, 1, DriveKind::locked), after};
  const auto run = simulate(e);
  ASSERT_EQ(run.values.rows(), 4);
  const long nq = e.model->coordinates();
  const Eigen::VectorXd q = run.values.row(1).head(nq), v = run.values.row(1).tail(n),
                        then = run.values.row(2).tail(n), change = then - v;
  EXPECT_EQ(then(1), 0);
  const double lost = kinetic(*e.model, q, v) - kinetic(*e.model, q, then);
  EXPECT_NEAR(lost / kinetic(*e.model, q, change), 1, 1e-3);
}

}  // namespace
}  // namespace ulna
