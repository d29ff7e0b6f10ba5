// Cases with closed answers: discs on inclines.

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "simulation/cases/cases.hpp"

namespace ulna::discs_on_inclines_test {
namespace {

using testing::at;
using testing::g;
using testing::pi;
using testing::place;
using testing::planar_body;
using testing::with;

constexpr double radius = 0.2;

Contact rim(double friction, double restitution, const Vector3<double>& normal) {
  Contact contact = at("rim", Vector3<double>::Zero(), restitution, friction);
  contact.shape.radius = radius;
  contact.shape.axis = {0, 0, 1};
  contact.plane.normal = normal;
  return contact;
}

/// A thin disc, its axis in the plane x-z, that falls flat on a slope.
Experiment disc_on_slope(double slope, double tilt, double friction, double restitution) {
  const double m = 1, above = 0.01 + radius * std::abs(std::sin(tilt));
  Experiment e = with(planar_body(m, 0.25 * m * radius * radius), 1.5);
  const Vector3<double> normal(std::sin(slope), 0, std::cos(slope));
  e.q << above * normal.x(), -above * normal.z(), slope - tilt;
  e.contacts = {rim(friction, restitution, normal)};
  return e;
}

TEST(DiscsOnInclines, FallFlatAndRestBelowTheAngleOfFriction) {
  for (const double slope : {-0.2, 0.3})
    for (const double tilt : {0.1, 0.6, -0.5})
      for (const double restitution : {0.0, 0.3}) {
        SCOPED_TRACE(std::to_string(slope) + ", " + std::to_string(tilt));
        const Experiment e = disc_on_slope(slope, tilt, 0.6, restitution);
        const RunSummary summary = simulate(e).summary;
        ASSERT_TRUE(summary.complete) << summary.reason;
        EXPECT_NEAR(std::remainder(summary.q(2) - slope, pi), 0, 1e-6) << "flat";
        EXPECT_NEAR(std::sin(slope) * summary.q(0) - std::cos(slope) * summary.q(1), 0, 1e-7);
        EXPECT_NEAR(summary.v.norm(), 0, 1e-6);
        EXPECT_LT(summary.energy_balance, 1e-6);
      }
}

TEST(DiscsOnInclines, SlideFlatAboveTheAngleOfFriction) {
  // Flat, with g (sin - mu cos) down the slope.
  const double slope = 0.5;
  for (const double friction : {0.0, 0.2})
    for (const double tilt : {0.1, -0.4}) {
      Experiment e = disc_on_slope(slope, tilt, friction, 0);
      const auto speed_at = [&](double end) {
        e.end = end;
        const RunSummary summary = simulate(e).summary;
        EXPECT_TRUE(summary.complete) << summary.reason;
        EXPECT_NEAR(std::remainder(summary.q(2) - slope, pi), 0, 1e-6) << "flat";
        return std::cos(slope) * summary.v(0) + std::sin(slope) * summary.v(1);
      };
      const double before = speed_at(1.5), after = speed_at(2);
      EXPECT_NEAR(after - before, 0.5 * g * (std::sin(slope) - friction * std::cos(slope)), 1e-7)
          << friction << " " << tilt;
    }
}

/// A disc in space that stands upright on a slope and may roll straight down it.
Experiment upright_disc(double slope, double friction) {
  const double m = 1.5, I = 0.25 * m * radius * radius;
  Experiment e = with(testing::free_body(m, {I, I, 2 * I}), 1);
  // Its axis along y.
  const Eigen::Quaterniond turn(
      Eigen::AngleAxisd(-0.5 * pi, Eigen::Vector3d::UnitX()).toRotationMatrix());
  e.q.head<4>() << turn.w(), turn.x(), turn.y(), turn.z();
  const Vector3<double> normal(std::sin(slope), 0, std::cos(slope));
  place(e) = radius * normal;
  e.contacts = {rim(friction, 0, normal)};
  return e;
}

TEST(DiscsOnInclines, RollWithTwoThirdsOfTheSlide) {
  const double slope = 0.4;
  Experiment e = upright_disc(slope, 0.5);
  const RunSummary summary = simulate(e).summary;
  ASSERT_TRUE(summary.complete) << summary.reason;
  EXPECT_NEAR(summary.q.tail<3>().x() * std::cos(slope) - summary.q.tail<3>().z() * std::sin(slope),
              0.5 * 2.0 / 3 * g * std::sin(slope), 1e-7);
  EXPECT_NEAR(summary.works(2), 0, 1e-9) << "it does not slip";
}

TEST(DiscsOnInclines, RollAlikeBesideAPrescribedMotion) {
  // Then the forces of contacts enter a second solution as wrenches.
  const double slope = 0.4;
  const Experiment alone = upright_disc(slope, 0.5);
  Robot robot = alone.model->robot();
  robot.bodies.push_back(
      testing::body("wheel", {1, Vector3<double>::Zero(), Matrix3<double>::Identity()}));
  JointData axle;
  axle.name = "axle";
  axle.type = JointType::revolute;
  axle.child = "wheel";
  robot.joints.push_back(axle);
  Experiment e = with(robot, alone.end);
  e.q.head<7>() = alone.q;
  e.contacts = alone.contacts;
  e.drives.resize(2);
  e.drives[1] = testing::follows("t^2");
  const RunSummary summary = simulate(e).summary;
  ASSERT_TRUE(summary.complete) << summary.reason;
  EXPECT_NEAR(summary.q(4) * std::cos(slope) - summary.q(6) * std::sin(slope),
              0.5 * 2.0 / 3 * g * std::sin(slope), 1e-7);
}

TEST(DiscsOnInclines, SlipWhileTheyRollWhereFrictionIsLessThanAThirdOfTheSlope) {
  // mu < tan / 3: slides with g (sin - mu cos) and turns with mu g cos / (r / 2).
  const double slope = 0.6, friction = 0.1;
  Experiment e = upright_disc(slope, friction);
  const RunSummary summary = simulate(e).summary;
  ASSERT_TRUE(summary.complete) << summary.reason;
  EXPECT_NEAR(summary.q.tail<3>().x() * std::cos(slope) - summary.q.tail<3>().z() * std::sin(slope),
              0.5 * g * (std::sin(slope) - friction * std::cos(slope)), 1e-7);
  EXPECT_NEAR(std::abs(summary.v(2)), 2 * friction * g * std::cos(slope) / radius, 1e-7);
}

/// A thin disc in space that is tilted about a line in the slope; `turn` of that line from the
/// direction across the slope.
Experiment tilted_disc(double slope, double tilt, double turn, double friction, double rolling) {
  const double m = 1, I = 0.25 * m * radius * radius;
  Experiment e = with(testing::free_body(m, {I, I, 2 * I}), 1);
  e.integrator.tolerances = {1e-8, 1e-10};
  const Eigen::AngleAxisd lean(slope, Eigen::Vector3d::UnitY());
  const Eigen::Quaterniond turned(lean * Eigen::AngleAxisd(turn, Eigen::Vector3d::UnitZ()) *
                                  Eigen::AngleAxisd(tilt, Eigen::Vector3d::UnitY()));
  e.q.head<4>() << turned.w(), turned.x(), turned.y(), turned.z();
  const Vector3<double> normal(std::sin(slope), 0, std::cos(slope));
  place(e) = (0.01 + radius * std::sin(tilt)) * normal;
  e.contacts = {rim(friction, 0, normal)};
  e.contacts[0].rolling_resistance = rolling;
  return e;
}

TEST(DiscsOnInclines, InSpaceNoneChangesItsStateWithoutEnd) {
  // Near the ground the lowest point runs around the rim, presses with hundreds of times the weight
  // and turns the slip within nanoseconds.
  for (const double turn : {0.0, 0.7, 2.5, 3.14, 4.2}) {
    SCOPED_TRACE(turn);
    Experiment e = tilted_disc(0.15, 0.3, turn, 0.8, 0);
    e.end = 0.45;
    const RunSummary summary = simulate(e).summary;
    ASSERT_TRUE(summary.complete) << summary.reason;
    EXPECT_LT(summary.energy_balance, 1e-6);
    EXPECT_GT(summary.works(2), 0) << "friction and impacts only take energy";
  }
}

TEST(DiscsOnInclines, InSpaceRestBelowTheAngleOfFriction) {
  const double slope = 0.15;
  const Vector3<double> normal(std::sin(slope), 0, std::cos(slope));
  for (const double turn : {0.7, 2.5}) {
    SCOPED_TRACE(turn);
    Experiment e = tilted_disc(slope, 0.3, turn, 0.8, 0.02);
    const RunSummary summary = simulate(e).summary;
    ASSERT_TRUE(summary.complete) << summary.reason;
    EXPECT_NEAR(summary.q.tail<3>().dot(normal), 0, 1e-7) << "it lies on the slope";
    EXPECT_NEAR(summary.v.norm(), 0, 1e-9);
    EXPECT_EQ(summary.contacts[0].state, ContactState::sticks);
  }
}

}  // namespace
}  // namespace ulna::discs_on_inclines_test
