// Events that change a run: drives, motions, gains, payloads, calls.

#include <gtest/gtest.h>

#include <cmath>

#include "drives.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::frozen;
using Act = EventAction::Kind;

Experiment weightless_pendulum() {
  Robot robot = testing::pendulum();
  robot.gravity.setZero();
  Experiment e(frozen(robot));
  e.drives.resize(1);
  e.end = 4;
  e.record.interval = 0.1;
  e.record.channels = {"q", "v", "energy.balance"};
  return e;
}

Event at_time(const std::string& name, double t, std::vector<EventAction> actions) {
  Event event;
  event.name = name;
  event.time = t;
  event.stops = false;
  event.actions = std::move(actions);
  return event;
}

EventAction of_kind(Act kind) {
  EventAction action;
  action.kind = kind;
  return action;
}

EventAction part(const std::string& name, double mass) {
  EventAction action = of_kind(Act::pick);
  action.payload.name = name;
  action.payload.body = "rod";
  action.payload.X_BL.position = {0, 0, -1};
  action.payload.inertial.mass = mass;
  return action;
}

TEST(Events, ADriveChangesAtItsTime) {
  // Pushed with 2 on an inertia of 1 for 1 s, then free, then locked.
  Experiment e = weightless_pendulum();
  e.drives[0] = testing::pushed("2");
  EventAction freed = of_kind(Act::drive), locked = of_kind(Act::drive);
  freed.joint = locked.joint = 0;
  locked.drive.kind = DriveKind::locked;
  e.events = {at_time("free", 1, {freed}), at_time("lock", 3, {locked})};
  for (const IntegratorMethod method :
       {IntegratorMethod::dormand_prince, IntegratorMethod::rk4, IntegratorMethod::sundials_bdf}) {
    if (!is_available(method)) continue;
    e.integrator.method = method;
    e.integrator.step = method == IntegratorMethod::rk4 ? 0.01 : 0;
    const auto run = simulate(e);
    EXPECT_TRUE(run.summary.complete);
    EXPECT_NEAR(run.values(10, 0), 1, 1e-6);
    EXPECT_NEAR(run.values(30, 0), 5, 1e-6);
    EXPECT_NEAR(run.summary.q(0), 5, 1e-6);
    EXPECT_EQ(run.summary.v(0), 0);
    ASSERT_EQ(run.summary.events.size(), 2u);
    EXPECT_EQ(run.summary.events[1].name, "lock");
    EXPECT_NEAR(run.summary.events[1].t, 3, 1e-12);
    EXPECT_EQ(run.summary.records, 41);
    EXPECT_LT(run.values.col(2).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(Events, APayloadHangsWhileItIsCarriedAndTheEnergyStaysBalanced) {
  // The effort 1 on the inertia 1, then 1 + 3, then 1 again.
  Experiment e = weightless_pendulum();
  e.drives[0] = testing::pushed("1");
  EventAction release = of_kind(Act::release);
  release.name = "part";
  e.events = {at_time("pick", 1, {part("part", 3)}), at_time("place", 2, {release})};
  const auto run = simulate(e);
  EXPECT_NEAR(run.values(10, 1), 1, 1e-8);
  EXPECT_NEAR(run.values(20, 1), 1.25, 1e-8);
  EXPECT_NEAR(run.values(40, 1), 3.25, 1e-8);
  EXPECT_LT(run.values.col(2).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(Events, WhatIsReleasedMustBeCarried) {
  Experiment e = weightless_pendulum();
  EventAction release = of_kind(Act::release);
  release.name = "part";
  e.events = {at_time("place", 2, {release})};
  EXPECT_THROW(simulate(e), ComputationError);
}

TEST(Events, AMotionStartsFromWhereTheJointIsWhenAChannelPasses) {
  Experiment e = weightless_pendulum();
  e.v = Eigen::VectorXd::Constant(1, 0.5);
  Event event;
  event.name = "half";
  event.channel = "q.hinge";
  event.value = 0.5;
  event.direction = Event::Direction::rising;
  event.stops = false;
  EventAction move = of_kind(Act::move);
  move.joint = 0;
  move.to = {2};
  move.time = 1.5;
  event.actions = {move};
  e.events = {event};
  const auto run = simulate(e);
  ASSERT_EQ(run.summary.events.size(), 1u);
  EXPECT_NEAR(run.summary.events[0].t, 1, 1e-8);
  EXPECT_NEAR(run.values(10, 1), 0.5, 1e-6);  // its rate goes on
  EXPECT_NEAR(run.values(25, 0), 2, 1e-9);
  EXPECT_NEAR(run.summary.q(0), 2, 1e-9);
  EXPECT_NEAR(run.summary.v(0), 0, 1e-12);
}

/// A pendulum that sags under a soft controller keeps its set point when an event changes its load;
/// taking the position of that time would let it sag again from there.
TEST(Events, ControllersHoldTheirReferenceThroughAnEvent) {
  Experiment e = weightless_pendulum();
  e.drives[0].kind = DriveKind::controller;
  auto law = std::make_shared<Feedback>();
  law->joints = {0};
  law->kp = Eigen::VectorXd::Constant(1, 40);
  law->kd = Eigen::VectorXd::Constant(1, 2);
  e.controllers = {law};
  e.q = Eigen::VectorXd::Constant(1, 0.3);
  e.v = Eigen::VectorXd::Constant(1, 5);  // away from the reference when the event comes
  e.record.channels = {"reference"};
  e.events = {at_time("again", 0.2, {of_kind(Act::control)})};
  e.events[0].actions[0].index = 0;
  e.events[0].actions[0].controller = law;
  const auto run = simulate(e);
  for (long k = 0; k < run.values.rows(); ++k) EXPECT_EQ(run.values(k, 0), 0.3) << run.t[k];
}

TEST(Events, AllThatPassAtOneInstantHappen) {
  // Both pass q = 0.5 together, whichever side of it the root is found on; the second ends the run.
  for (const double push : {1.0, 2.0, 3.0, 5.0}) {
    Experiment e = weightless_pendulum();
    e.drives[0] = testing::pushed(std::to_string(push));
    Event first, second;
    first.name = "first", second.name = "second";
    first.channel = second.channel = "q.hinge";
    first.value = second.value = 0.5;
    first.stops = false;
    first.actions = {of_kind(Act::record)};
    e.events = {first, second};
    const auto run = simulate(e);
    ASSERT_EQ(run.summary.events.size(), 2u) << push;
    EXPECT_EQ(run.summary.events[1].name, "second");
    EXPECT_NEAR(run.summary.t, std::sqrt(1 / push), 1e-6);
  }
}

TEST(Events, OneEventFollowsAnother) {
  Experiment e = weightless_pendulum();
  e.v = Eigen::VectorXd::Constant(1, 1.0);
  Event first = at_time("first", 0.5, {}), second = at_time("second", NAN, {of_kind(Act::record)}),
        third = at_time("third", NAN, {of_kind(Act::stop)});
  second.after = "first";
  second.delay = 0.25;
  third.after = "second";
  third.channel = "q.hinge";
  third.value = 0.6;  // passed before `second`, which arms it too late
  e.events = {third, first, second};
  const auto run = simulate(e);
  ASSERT_EQ(run.summary.events.size(), 2u);
  EXPECT_NEAR(run.summary.events[1].t, 0.75, 1e-12);
  EXPECT_EQ(run.summary.records, 42);
  e.events[0].value = 0.9;
  const auto stopped = simulate(e);
  EXPECT_NEAR(stopped.summary.t, 0.9, 1e-8);
  EXPECT_EQ(stopped.summary.reason, "event 'third'");
}

TEST(Events, GainsChangeAndTheIntegralOfTheControllerStays) {
  Experiment e = weightless_pendulum();
  auto soft = testing::feedback(FeedbackLaw::pd, 1, 4, 4),
       stiff = testing::feedback(FeedbackLaw::pd, 1, 400, 40);
  soft->ki = stiff->ki = Eigen::VectorXd::Constant(1, 0.5);
  e.drives[0] = {DriveKind::controller, {testing::formula("1")}, {}, {}};
  e.q = Eigen::VectorXd::Zero(1);
  e.controllers = {soft};
  EventAction change = of_kind(Act::control);
  change.index = 0;
  change.controller = stiff;
  e.events = {at_time("stiff", 0.5, {change})};
  const auto run = simulate(e);
  EXPECT_LT(run.values(5, 0), 0.4);
  EXPECT_NEAR(run.values(12, 0), 1, 0.02);  // 0.7 s later, with the fast gains
  stiff->period = 0.01;
  EXPECT_THROW(check(e), InputError);
}

TEST(Events, ACallDecidesWhatHappens) {
  Experiment e = weightless_pendulum();
  e.v = Eigen::VectorXd::Constant(1, 1.0);
  EventAction call = of_kind(Act::call);
  double seen = 0;
  call.call = [&](double t, const Eigen::VectorXd& q, const Eigen::VectorXd&) {
    seen = q(0) - t;
    EventAction stop;
    return std::vector<EventAction>{stop};
  };
  e.events = {at_time("ask", 1.5, {call})};
  const auto run = simulate(e);
  EXPECT_NEAR(run.summary.t, 1.5, 1e-12);
  EXPECT_NEAR(seen, 0, 1e-9);
}

TEST(Events, WhatACallAsksForIsCheckedWhenItIsAskedFor) {
  Experiment e = weightless_pendulum();
  for (const int joint : {-1, 7, 0}) {
    EventAction call = of_kind(Act::call);
    call.call = [joint](double, const Eigen::VectorXd&, const Eigen::VectorXd&) {
      EventAction wrong = of_kind(Act::drive);
      wrong.joint = joint;
      wrong.drive = {DriveKind::effort, {}, {testing::formula("1"), testing::formula("2")}, {}};
      return std::vector<EventAction>{wrong};
    };
    e.events = {at_time("ask", 1.5, {call})};
    try {
      simulate(e);
      FAIL();
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("function of event 'ask' at t = 1.5 s"), std::string::npos) << text;
      EXPECT_NE(text.find(joint == 0 ? "2 functions of time" : "there is no joint"),
                std::string::npos)
          << text;
    }
  }
}

TEST(Events, FixedStepsThatDivergeSaySo) {
  Experiment e = weightless_pendulum();
  e.drives[0] = testing::pushed("0");
  e.drives[0].effort_formulas = {std::make_shared<VariableFormula>("1e6*v.hinge")};
  e.v = Eigen::VectorXd::Constant(1, 1.0);
  e.integrator.step = 0.01;
  for (const IntegratorMethod method : {IntegratorMethod::rk4, IntegratorMethod::semi_implicit}) {
    e.integrator.method = method;
    try {
      simulate(e);
      FAIL();
    } catch (const ComputationError& error) {
      EXPECT_NE(std::string(error.what()).find("a state that is not finite"), std::string::npos)
          << error.what();
    }
  }
}

TEST(Events, AJointThatIsLockedGivesItsMomentumToTheOthers) {
  // Two rods in a row without gravity: the impulse of the lock acts along its own joint alone.
  Robot robot = testing::double_pendulum();
  robot.gravity.setZero();
  Experiment e(frozen(robot));
  e.drives.resize(2);
  e.q = Eigen::Vector2d(0.3, 0.8);
  e.v = Eigen::Vector2d(0.5, 2);
  e.end = 1;
  EventAction lock = of_kind(Act::drive);
  lock.joint = 1;
  lock.drive.kind = DriveKind::locked;
  e.events = {at_time("lock", 0.5, {lock})};
  e.record.interval = 0.25;
  e.record.channels = {"momentum.ay", "v", "energy.balance"};
  const auto run = simulate(e);
  EXPECT_EQ(run.summary.v(1), 0);
  // About the axis of the first joint nothing acts.
  EXPECT_NEAR(run.values(4, 0), run.values(0, 0), 1e-8);
  EXPECT_LT(run.values.col(3).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(Events, AContactThatAnEventOpensIsAnEventItself) {
  // A mass falls from 0.5 m, rests, is pushed up after 0.2 s and so leaves the ground.
  Robot robot;
  robot.name = "mass";
  robot.bodies.push_back(
      testing::body("mass", {1, Vector3<double>::Zero(), Matrix3<double>::Identity()}));
  JointData joint;
  joint.name = "rail";
  joint.type = JointType::prismatic;
  joint.child = "mass";
  joint.axis = {0, 0, 1};
  robot.joints.push_back(joint);
  Experiment e(frozen(robot));
  e.drives.resize(1);
  e.q = Eigen::VectorXd::Constant(1, 0.5);
  e.end = 2;
  Contact foot;
  foot.name = "foot";
  foot.shape.body = e.model->body("mass");
  e.contacts = {foot};
  const auto on_contact = [](const std::string& name, Event::Direction direction) {
    Event event;
    event.name = name;
    event.channel = "contact.foot.mode";
    event.value = 0.5;
    event.direction = direction;
    event.stops = false;
    return event;
  };
  Event jump = at_time("jump", NAN, {of_kind(Act::drive)});
  jump.after = "landed";
  jump.delay = 0.2;
  jump.actions[0].joint = 0;
  jump.actions[0].drive = testing::pushed("20");
  Event left = on_contact("left", Event::Direction::falling);
  left.stops = true;
  e.events = {on_contact("landed", Event::Direction::rising), jump, left};
  const auto run = simulate(e);
  const double fall = std::sqrt(2 * 0.5 / testing::g);
  ASSERT_EQ(run.summary.events.size(), 3u);
  EXPECT_NEAR(run.summary.events[0].t, fall, 1e-8);
  EXPECT_NEAR(run.summary.events[1].t, fall + 0.2, 1e-8);
  EXPECT_EQ(run.summary.reason, "event 'left'");
  EXPECT_NEAR(run.summary.t, fall + 0.2, 1e-6);
}

TEST(Events, ACrankThatTurnsCarriesAPayloadFromNowOn) {
  Experiment e(frozen(read_robot("crank-rocker").robot));
  e.drives.resize(e.model->joints().size());
  e.drives[0] = testing::follows("0.3 + 4*t");
  e.end = 1;
  e.record.interval = 0.1;
  e.record.channels = {"closure", "energy.balance", "tau"};
  EventAction action = part("part", 0.5);
  action.payload.body = e.model->bodies()[2].name;
  action.payload.X_BL.position = {0.05, 0, 0};
  e.events = {at_time("pick", 0.45, {action})};
  const auto with = simulate(e);
  EXPECT_TRUE(with.summary.complete);
  EXPECT_LT(with.values.leftCols(2).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT(with.values.col(2).cwiseAbs().maxCoeff(), 1e-6);
  e.events.clear();
  const auto without = simulate(e);
  EXPECT_EQ(with.values(4, 3), without.values(4, 3));  // before it the same to the last bit
  EXPECT_GT(std::abs(with.values(8, 3) - without.values(8, 3)), 1e-3);
}

TEST(Events, MistakesAreNamed) {
  Experiment e = weightless_pendulum();
  Event lost = at_time("lost", NAN, {});
  lost.after = "nobody";
  EventAction wrong = of_kind(Act::drive);
  wrong.joint = 0;
  wrong.drive.kind = DriveKind::controller;
  e.events = {lost, at_time("early", -1, {wrong})};
  try {
    check(e);
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("no events have the name 'nobody'"), std::string::npos) << text;
    EXPECT_NE(text.find("it happens at -1 s"), std::string::npos) << text;
    EXPECT_NE(text.find("no controller lists joint 'hinge'"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace ulna
