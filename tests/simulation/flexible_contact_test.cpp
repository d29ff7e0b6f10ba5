// Contacts and nonholonomic rows of robots that have flexible bodies: what sticks moves like a
// joint, energy is accounted for, stiff links hit like rigid ones, and a contact on a flexible body
// is that on a rigid one fixed to its section.

#include <gtest/gtest.h>

#include <cmath>

#include "support/flexible_robot.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

/// An arm in the x-z plane: a flexible upper arm of 1 m, a rigid forearm and hand of 0.5 m.
Robot flexible_arm(double stiffness) {
  Robot robot;
  robot.name = "arm";
  const char* names[] = {"upper", "fore", "hand"};
  for (int k = 0; k < 3; ++k) {
    BodyData body;
    body.name = names[k];
    if (k == 0) {
      testing::BeamRecipe recipe;
      recipe.bending_y = 0, recipe.bending_z = 2;
      body.beams = {testing::uniform_beam(1, 40 * stiffness, 1, recipe)};
    } else {
      body.inertial = {0.6, {0.25, 0, 0}, Vector3<double>(1e-3, 0.0125, 0.0125).asDiagonal()};
    }
    robot.bodies.push_back(body);
    JointData joint;
    joint.name = std::string("j") + names[k];
    joint.type = JointType::revolute;
    joint.child = names[k];
    joint.axis = {0, 1, 0};
    if (k > 0) joint.parent = names[k - 1], joint.X_PF.position = {k == 1 ? 1.0 : 0.5, 0, 0};
    robot.joints.push_back(joint);
  }
  return robot;
}

constexpr double q1 = -0.9, q2 = 0.9, q3 = 1.2;

/// Where its tip is when it is straight.
Vector3<double> tip() {
  const auto along = [](double angle, double length) {
    return Vector3<double>(length * std::cos(angle), 0, -length * std::sin(angle));
  };
  return along(q1, 1) + along(q1 + q2, 0.5) + along(q1 + q2 + q3, 0.5);
}

Experiment falling_arm(Robot robot, double end) {
  make_flexible(robot);
  Experiment e(std::make_shared<const Model>(robot));
  e.q = e.model->neutral();
  e.q.head<3>() << q1, q2, q3;
  e.v = Eigen::VectorXd::Zero(e.model->speeds());
  e.end = end;
  e.integrator.method = IntegratorMethod::dop853;
  e.integrator.tolerances = {1e-10, 1e-12};
  e.record.channels = {"q", "energy"};
  return e;
}

Contact touching(double friction, double restitution, double below) {
  Contact contact;
  contact.name = "tip";
  contact.shape.body = 3;
  contact.shape.point = {0.5, 0, 0};
  contact.plane.point = {0, 0, tip().z() - below};
  contact.friction = friction;
  contact.restitution = restitution;
  return contact;
}

TEST(FlexibleContact, ATipThatSticksMovesLikeOneOnAHingeAndLikeOneOnABlade) {
  Experiment touches = falling_arm(flexible_arm(1), 0.25);
  touches.contacts = {touching(5, 0, 0)};
  touches.record.channels.push_back("contact");
  const ulna::Run run = simulate(touches);
  ASSERT_TRUE(run.summary.complete) << run.summary.reason;
  ASSERT_EQ(run.column("contact.tip.mode").minCoeff(), 1);
  ASSERT_EQ(run.column("contact.tip.mode").maxCoeff(), 1);
  EXPECT_LT(run.summary.energy_balance, 1e-9 * run.summary.largest_energy);
  EXPECT_LT(run.column("contact.tip.gap").cwiseAbs().maxCoeff(), 1e-13);

  Robot hinged = flexible_arm(1);
  JointData hinge;
  hinge.name = "ground";
  hinge.type = JointType::revolute;
  hinge.axis = {0, 1, 0};
  hinge.child = "hand";
  hinge.X_PF.position = tip();
  hinge.X_MC.position = {-0.5, 0, 0};
  hinge.cut = true;
  hinged.joints.push_back(hinge);
  const ulna::Run loop = simulate(falling_arm(hinged, 0.25));

  Experiment blade = falling_arm(flexible_arm(1), 0.25);
  NonholonomicConstraint held;
  held.name = "tip";
  held.kind = NonholonomicConstraint::Kind::knife_edge;
  held.shape = touches.contacts[0].shape;
  held.directions = {Vector3<double>::UnitX(), Vector3<double>::UnitZ()};
  blade.nonholonomic = {held};
  const ulna::Run rows = simulate(blade);

  for (const std::string name : {"q.jupper", "q.jfore", "q.jhand"}) {
    const double end = run.column(name).tail(1)(0);
    EXPECT_GT(std::abs(end - run.column(name)(0)), 0.05) << name;  // it does move
    EXPECT_NEAR(loop.column(name).tail(1)(0), end, 1e-8) << name;
    // A blade does not keep positions: they drift by the errors of the steps.
    EXPECT_NEAR(rows.column(name).tail(1)(0), end, 1e-8) << name;
  }
}

TEST(FlexibleContact, ImpactsTakeEnergyAndNeverGiveAny) {
  Experiment e = falling_arm(flexible_arm(1), 0.5);
  e.contacts = {touching(0.4, 0.5, 0.05)};
  e.record.interval = 0.005;
  const ulna::Run run = simulate(e);
  ASSERT_TRUE(run.summary.complete) << run.summary.reason;
  EXPECT_GT(run.summary.contacts[0].impacts, 1);
  EXPECT_LT(run.summary.energy_balance, 1e-8 * run.summary.largest_energy);
  const Eigen::VectorXd lost = run.column("energy.dissipated");
  for (Eigen::Index i = 1; i < lost.size(); ++i) EXPECT_GE(lost(i), lost(i - 1) - 1e-10) << i;
  EXPECT_GT(lost.tail(1)(0), 0.01);
}

TEST(FlexibleContact, AStiffArmHitsLikeARigidOne) {
  // No friction, no bounce: after the impact the tip slides. The difference falls with the
  // stiffness.
  const auto at_end = [](const Robot& robot) {
    Experiment e = falling_arm(robot, 0.2);
    e.contacts = {touching(0, 0, 0.02)};
    return Eigen::VectorXd(simulate(e).summary.q.head<3>());
  };
  Robot rigid = flexible_arm(1);
  rigid.bodies[0].beams[0].flexible.reset();
  const Eigen::VectorXd wanted = at_end(rigid);
  const double soft = (at_end(flexible_arm(20)) - wanted).norm(),
               stiff = (at_end(flexible_arm(320)) - wanted).norm();
  EXPECT_LT(stiff, 0.3 * soft);
  EXPECT_LT(stiff, 5e-3);
}

/// The arm with a pad fixed to its upper arm at `x`, and a ball that falls freely beside it.
Robot padded_arm(double x) {
  Robot robot = flexible_arm(1);
  robot.bodies.push_back({});
  robot.bodies.back().name = "pad";
  robot.bodies.back().inertial = {0.2, {0.01, 0, 0.02}, 1e-4 * Matrix3<double>::Identity()};
  JointData weld;
  weld.name = "weld";
  weld.type = JointType::fixed;
  weld.parent = "upper";
  weld.child = "pad";
  weld.X_PF.position = {x, 0, 0};
  robot.joints.push_back(weld);
  robot.bodies.push_back({});
  robot.bodies.back().name = "ball";
  robot.bodies.back().inertial = {0.4, {0, 0, 0}, 1e-4 * Matrix3<double>::Identity()};
  JointData lift;
  lift.name = "lift";
  lift.type = JointType::prismatic;
  lift.child = "ball";
  lift.axis = {0, 0, 1};
  lift.X_PF.position = {0.62 * x, 0, 0.8 * x + 0.15};
  robot.joints.push_back(lift);
  return robot;
}

Experiment padded(double x) {
  Experiment e = falling_arm(padded_arm(x), 0.4);
  e.record.channels.push_back("contact");
  e.record.interval = 0.02;
  return e;
}

void expect_same_run(const Experiment& on_beam, const Experiment& on_pad) {
  const ulna::Run a = simulate(on_beam), b = simulate(on_pad);
  ASSERT_TRUE(a.summary.complete) << a.summary.reason;
  ASSERT_EQ(a.t.size(), b.t.size());
  EXPECT_GT(a.summary.contacts[0].impacts, 0);
  EXPECT_EQ(a.summary.contacts[0].impacts, b.summary.contacts[0].impacts);
  EXPECT_LT(a.summary.energy_balance, 1e-7 * a.summary.largest_energy);
  // Rounding only; impacts multiply it.
  EXPECT_LT((a.summary.q - b.summary.q).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((a.column("contact.c.normal") - b.column("contact.c.normal")).cwiseAbs().maxCoeff(),
            1e-4);
}

TEST(FlexibleContact, APointOrBallOnABeamTouchesLikeOneOnABodyFixedToItsSection) {
  for (const double x : {1.0, 0.4})
    for (const double radius : {0.0, 0.05}) {
      SCOPED_TRACE(std::to_string(x) + ", " + std::to_string(radius));
      Experiment on_beam = padded(x);
      Contact contact;
      contact.name = "c";
      contact.shape.body = 1;
      contact.shape.point = {x, 0, 0.03};
      contact.shape.radius = radius;
      contact.plane.point = {0, 0, 0.7 * x - radius};
      contact.friction = 0.3;
      contact.restitution = 0.4;
      on_beam.contacts = {contact};
      Experiment on_pad = padded(x);
      contact.shape.body = on_pad.model->body("pad");
      contact.shape.point = {0, 0, 0.03};
      on_pad.contacts = {contact};
      expect_same_run(on_beam, on_pad);
    }
}

TEST(FlexibleContact, APlaneOnABeamIsThatOfABodyFixedToItsSection) {
  for (const double x : {1.0, 0.4}) {
    SCOPED_TRACE(x);
    Experiment on_beam = padded(x);
    Contact contact;
    contact.name = "c";
    contact.shape.body = on_beam.model->body("ball");
    contact.shape.radius = 0.02;
    contact.plane.body = 1;
    contact.plane.point = {x, 0, 0};
    contact.plane.normal = {0, 0, 1};
    contact.friction = 0.3;
    contact.restitution = 0.2;
    on_beam.contacts = {contact};
    Experiment on_pad = padded(x);
    contact.plane.body = on_pad.model->body("pad");
    contact.plane.point.setZero();
    on_pad.contacts = {contact};
    expect_same_run(on_beam, on_pad);
  }
}

TEST(FlexibleContact, ARodThatDropsOnItsEndsGivesEnergyToItsModes) {
  // Free in the plane, it hits with both ends at once: what is lost is at most the kinetic energy
  // of the fall, and the middle goes on for a while.
  Robot robot;
  robot.name = "rod";
  BodyData rod;
  rod.name = "rod";
  testing::BeamRecipe recipe;
  recipe.bending_y = 0, recipe.bending_z = 3;
  rod.beams = {testing::uniform_beam(1, 40, 1, recipe)};
  robot.bodies = {rod};
  JointData lift;
  lift.name = "lift";
  lift.type = JointType::prismatic;
  lift.axis = {0, 0, 1};
  lift.child = "rod";
  robot.joints = {lift};
  make_flexible(robot);
  Experiment e(std::make_shared<const Model>(robot));
  e.q = e.model->neutral();
  e.q(0) = 0.1;
  e.v = Eigen::VectorXd::Zero(e.model->speeds());
  e.end = 0.3;
  e.integrator.tolerances = {1e-10, 1e-12};
  e.record.channels = {"q", "energy", "contact"};
  Contact tip;
  tip.name = "tip";
  tip.shape.body = 1;
  tip.shape.point = {1, 0, 0};
  e.contacts = {tip};
  const ulna::Run run = simulate(e);
  ASSERT_TRUE(run.summary.complete) << run.summary.reason;
  EXPECT_LT(run.summary.energy_balance, 1e-8 * run.summary.largest_energy);
  EXPECT_GT(run.column("energy.dissipated").tail(1)(0), 1e-3);
  const Eigen::VectorXd gap = run.column("contact.tip.gap");
  EXPECT_GT(gap.minCoeff(), -1e-9);
  // The root goes below the ground while the tip is held up: the rod bends.
  EXPECT_LT(run.column("q.lift").minCoeff(), -0.01);
}

TEST(FlexibleContact, WhatCannotBeIsRefusedWithItsReason) {
  const auto refused = [](const Experiment& e, const std::string& text) {
    try {
      check(e);
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  Experiment e = falling_arm(flexible_arm(1), 1);
  e.contacts = {touching(0, 0, 0.1)};
  e.contacts[0].shape.body = 1;
  refused(e, "nothing is fixed at 0.5 m along flexible body 'upper'");
  e.contacts[0].shape.body = 3;
  e.contacts[0].plane.body = 1;
  e.contacts[0].plane.point = {0.3, 0, 0};
  refused(e, "nothing is fixed at 0.3 m along flexible body 'upper'");
  e.contacts[0].plane.body = 0;
  EXPECT_NO_THROW(check(e));
  e.elastic = ElasticLevel::ruthless;
  refused(e, "level exact");
  e.elastic = ElasticLevel::exact;
  e.integrator.method = IntegratorMethod::ida;
  refused(e, "ida is for loops");
}

}  // namespace
}  // namespace ulna
