// Cases with closed answers: bounces, cradles by three impact laws, a jammed rod, falling discs.

#include <gtest/gtest.h>

#include "simulation/cases/cases.hpp"

namespace ulna {
namespace {

using testing::at;
using testing::frozen;
using testing::g;
using testing::place;
using testing::planar_body;
using testing::with;

/// n equal masses on one line, each with a face that the next one's point touches, no gravity.
Experiment cradle(int n, double restitution, ImpactLaw law, double gap = 0) {
  Robot robot;
  robot.name = "cradle";
  robot.gravity.setZero();
  for (int k = 0; k < n; ++k) {
    const std::string name = "m" + std::to_string(k);
    robot.bodies.push_back(testing::body(
        name, {1, Vector3<double>::Zero(), Vector3<double>::Constant(0.1).asDiagonal()}));
    JointData joint;
    joint.name = "x" + std::to_string(k);
    joint.type = JointType::prismatic;
    joint.child = name;
    joint.axis = {1, 0, 0};
    robot.joints.push_back(joint);
  }
  Experiment e = with(robot, 1);
  // The first comes from 0.5 m; the others stand 1 m apart, in touch or with a gap.
  for (int k = 0; k < n; ++k) e.q(k) = k == 0 ? -0.5 : k * (1 + gap);
  e.q(0) = -0.5;
  e.v(0) = 1;
  for (int k = 0; k + 1 < n; ++k) {
    Contact contact = at("c" + std::to_string(k), Vector3<double>::Zero(), restitution, 0, k + 2);
    contact.plane.body = k + 1;
    contact.plane.point = {1, 0, 0};
    contact.plane.normal = {1, 0, 0};
    e.contacts.push_back(contact);
  }
  e.impact_law = law;
  return e;
}

TEST(Cases, ACradleInSequencePassesTheImpulseToItsLastBall) {
  for (const int n : {3, 5}) {
    const RunSummary summary = simulate(cradle(n, 1, ImpactLaw::sequential)).summary;
    for (int k = 0; k < n; ++k) EXPECT_NEAR(summary.v(k), k == n - 1 ? 1 : 0, 1e-12) << n;
  }
}

TEST(Cases, ACradleByPoissonGivesBackTheImpulsesOfCompression) {
  // Three equal balls: compression to 1/3 each, impulses 2/3 and 1/3; with both again -1/3, 2/3,
  // 2/3.
  const RunSummary summary = simulate(cradle(3, 1, ImpactLaw::poisson)).summary;
  EXPECT_NEAR(summary.v(0), -1.0 / 3, 1e-12);
  EXPECT_NEAR(summary.v(1), 2.0 / 3, 1e-12);
  EXPECT_NEAR(summary.v(2), 2.0 / 3, 1e-12);
  EXPECT_NEAR(summary.works(2), 0, 1e-12);
}

TEST(Cases, ALossyCradleInSequenceLosesByEveryPair) {
  // e = 0.5: each pair hands on (1 + e)/2 and keeps (1 - e)/2, and those behind catch up.
  const RunSummary summary = simulate(cradle(3, 0.5, ImpactLaw::sequential, 0.2)).summary;
  EXPECT_NEAR(summary.v.sum(), 1, 1e-12) << "momentum";
  const RunSummary touching = simulate(cradle(3, 0.5, ImpactLaw::sequential)).summary;
  EXPECT_NEAR(touching.v.sum(), 1, 1e-12);
  EXPECT_LT(touching.v(0), touching.v(1));
  EXPECT_LT(touching.v(1), touching.v(2));
}

TEST(Cases, TwoBallsMeetAlikeByAllLaws) {
  for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::sequential}) {
    const RunSummary summary = simulate(cradle(2, 0.6, law)).summary;
    EXPECT_NEAR(summary.v(0), 0.2, 1e-12) << name_of(law);
    EXPECT_NEAR(summary.v(1), 0.8, 1e-12) << name_of(law);
    EXPECT_NEAR(summary.works(2), 0.5 * (1 - 0.04 - 0.64), 1e-12);
  }
}

/// A uniform rod of length 2 l in the x-z plane whose lower end slides on the ground.
Experiment rod(double angle, double mu, double slide) {
  const double m = 1, l = 1, I = m * l * l / 3;
  Experiment e = with(planar_body(m, I), 0.05);
  // Coordinates x, -z and the turn about y; the rod is along its own x.
  e.q << 0, -l * std::sin(angle), -angle;
  e.v << slide, 0, 0;
  e.contacts = {at("tip", {-l, 0, 0}, 0, mu)};
  e.record.channels = {"q", "v", "contact", "energy"};
  return e;
}

TEST(Cases, APainleveRodStopsInAnImpactWithoutCollision) {
  // D_nn - mu D_nt < 0 for mu > 4/3: at 55 degrees 1/m (1 + 3 cos^2 - mu 3 sin cos) with mu = 2 is
  // below zero, and gravity presses: no force satisfies Coulomb's law while it slides.
  const double angle = 55 * testing::pi / 180, mu = 2;
  ASSERT_LT(1 + 3 * std::pow(std::cos(angle), 2) - mu * 3 * std::sin(angle) * std::cos(angle), 0);
  int jams = 0;
  for (const double slide : {2.0, -2.0}) {
    Experiment e = rod(angle, mu, slide);
    e.end = 1e-6;
    const RunSummary summary = simulate(e).summary;
    ASSERT_TRUE(summary.complete) << summary.reason;
    if (summary.contacts[0].impacts == 0) continue;
    ++jams;
    // The tip stands, and the moment of momentum about it stays: w = 3/4 v sin(angle) / l, upwards.
    // After that gravity slows the turn about the tip by 3/4 g cos(angle) / l; to first order in
    // the end time, which leaves 1e-11.
    EXPECT_NEAR(std::abs(summary.v(2)),
                0.75 * (2 * std::sin(angle) - testing::g * std::cos(angle) * e.end), 1e-10);
    EXPECT_GT(summary.works(2), 0);
  }
  EXPECT_EQ(jams, 1) << "pushed ahead it jams, dragged behind it does not";
}

TEST(Cases, APainleveRodStopsAlikeBesideContactsThatRestElsewhere) {
  // A box on its four corners, at rest or sliding, feels nothing of the impact, and a rod on two
  // tips side by side is the rod on one.
  const double angle = 55 * testing::pi / 180;
  for (const double restitution : {0.0, 0.3}) {
    Experiment alone = rod(angle, 2, -2);
    alone.contacts[0].restitution = restitution;
    alone.end = 1e-3;
    const RunSummary one = simulate(alone).summary;
    ASSERT_TRUE(one.complete) << one.reason;
    ASSERT_EQ(one.contacts[0].impacts, 1);

    Experiment twice = alone;
    twice.contacts[0].shape.point.y() = -0.1;
    twice.contacts.push_back(twice.contacts[0]);
    twice.contacts[1].name = "other";
    twice.contacts[1].shape.point.y() = 0.1;
    EXPECT_NEAR((simulate(twice).summary.v - one.v).norm(), 0, 1e-9);

    for (const double slide : {0.0, 0.5}) {
      Robot robot = alone.model->robot();
      Robot box = testing::free_body(2, {0.02, 0.03, 0.04});
      box.bodies[0].name = box.joints[0].child = "box";
      robot.bodies.push_back(box.bodies[0]);
      robot.joints.push_back(box.joints[0]);
      Experiment e = with(robot, alone.end);
      e.q.head<3>() = alone.q;
      e.v.head<3>() = alone.v;
      e.q.tail<3>() << 0, 3, 0.1;
      e.v.tail<3>() << slide, 0, 0;
      e.contacts = alone.contacts;
      for (int k = 0; k < 4; ++k)
        e.contacts.push_back(at("c" + std::to_string(k),
                                {k & 1 ? 0.2 : -0.2, k & 2 ? 0.15 : -0.15, -0.1}, 0, 0.3, 2));
      const RunSummary summary = simulate(e).summary;
      ASSERT_TRUE(summary.complete) << summary.reason;
      EXPECT_NEAR((summary.v.head<3>() - one.v).norm(), 0, 1e-9) << slide;
      EXPECT_NEAR(summary.v(6), std::max(0.0, slide - 0.3 * g * e.end), 1e-9);
      EXPECT_EQ(summary.contacts[0].impacts, 1);
    }
  }
}

/// A thin disc with its axis in the plane x-z.
Experiment falling_disc(double tilt, double mu, double restitution, double height = 0) {
  const double m = 1, r = 0.2;
  Experiment e = with(planar_body(m, 0.25 * m * r * r), 2);
  e.q << 0, -(height + r * std::abs(std::sin(tilt))), -tilt;
  Contact rim = at("rim", Vector3<double>::Zero(), restitution, mu);
  rim.shape.radius = r;
  rim.shape.axis = {0, 0, 1};
  e.contacts = {rim};
  e.record.channels = {"q", "v", "contact", "energy"};
  return e;
}

TEST(Cases, ADiscFallsFlatAndLies) {
  for (const double tilt : {0.05, 0.4, 1.2, -0.7})
    for (const double mu : {0.0, 0.5})
      for (const double restitution : {0.0, 0.3}) {
        const RunSummary summary = simulate(falling_disc(tilt, mu, restitution, 0.01)).summary;
        ASSERT_TRUE(summary.complete) << summary.reason;
        EXPECT_NEAR(summary.q(1), 0, 1e-7) << tilt << " " << mu << " " << restitution;
        EXPECT_NEAR(std::remainder(summary.q(2), testing::pi), 0, 1e-6);
        EXPECT_NEAR(std::abs(summary.v(1)) + std::abs(summary.v(2)), 0, 1e-6);
        EXPECT_LT(summary.energy_balance, 1e-6);
      }
}

TEST(Cases, ADiscThatFallsFlatFromAboveKeepsItsWeightOnTheGround) {
  Experiment e = falling_disc(0, 0.3, 0, 0.1);
  const auto run = simulate(e);
  EXPECT_EQ(run.summary.contacts[0].state, ContactState::sticks);
  EXPECT_NEAR(run.column("contact.rim.normal")(run.values.rows() - 1), g, 1e-8);
}

TEST(Cases, AFallingDiscTurnsAboutItsRimByItsEnergy) {
  // Frictionless: the centre falls straight, m z'^2/2 + I w^2/2 + m g z conserved, z = r sin(tilt).
  const double m = 1, r = 0.2, I = 0.25 * m * r * r, tilt = 1.0;
  Experiment e = falling_disc(tilt, 0, 0);
  e.end = 0.1;
  const RunSummary summary = simulate(e).summary;
  const double now = std::abs(summary.q(2)), w = std::abs(summary.v(2));
  const double z_rate = r * std::cos(now) * w;
  EXPECT_NEAR(m * z_rate * z_rate / 2 + I * w * w / 2, m * g * r * (std::sin(tilt) - std::sin(now)),
              1e-8);
}

TEST(Cases, ASlidingDiscThatIsPushedAtItsCentreDoesNotTip) {
  // Flat, thrown along the ground: it slides v^2 / (2 mu g) and stops without tilting.
  const double mu = 0.3, v = 1.2;
  Experiment e = falling_disc(0, mu, 0);
  e.v(0) = v;
  const RunSummary summary = simulate(e).summary;
  ASSERT_TRUE(summary.complete) << summary.reason;
  EXPECT_NEAR(summary.q(0), v * v / (2 * mu * g), 1e-6);
  EXPECT_NEAR(summary.q(2), 0, 1e-8);
}

TEST(Cases, ABoxOnTwoCornersTipsBeyondTheAngleOfItsDiagonal) {
  // Planar box 0.2 x 0.6 on an edge: its centre is above the edge at atan(0.2 / 0.6).
  const double m = 2, a = 0.1, b = 0.3, I = m * (a * a + b * b) / 3;
  const double balance = std::atan(a / b);
  for (const double beside : {-0.05, 0.05}) {
    Experiment e = with(planar_body(m, I), 10);
    const double tilt = balance + beside;
    // The edge (a, -b) stays at the origin when the box has turned by `tilt` about y.
    e.q << -(a * std::cos(tilt) - b * std::sin(tilt)), -(a * std::sin(tilt) + b * std::cos(tilt)),
        tilt;
    for (const double x : {-a, a})
      for (const double z : {-b, b})
        e.contacts.push_back(at("c" + std::to_string(e.contacts.size()), {x, 0, z}, 0, 2));
    const RunSummary summary = simulate(e).summary;
    ASSERT_TRUE(summary.complete) << summary.reason;
    EXPECT_NEAR(summary.q(2), beside < 0 ? 0 : testing::pi / 2, 1e-6);
  }
}

}  // namespace
}  // namespace ulna
