// A crank whose tip is a ball in the tube of a yoke, which slides across the tube: x = L
// cos(angle). The mechanism is the same whichever of its joints closes the loop.

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/dynamics/dynamics.hpp"
#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

constexpr double L = 0.3, centre = 0.1, crank_mass = 2, yoke_mass = 5, inertia = 0.04, g = 9.81;

Robot scotch_yoke(const std::string& cut) {
  Robot robot;
  robot.name = "scotch yoke";
  robot.gravity << 0, -g, 0;
  BodyData crank, yoke;
  crank.name = "crank";
  crank.inertial = {crank_mass, {centre, 0, 0}, inertia * Matrix3<double>::Identity()};
  yoke.name = "yoke";
  yoke.inertial = {yoke_mass, {0.1, 0.2, 0.3}, inertia * Matrix3<double>::Identity()};
  robot.bodies = {crank, yoke};
  JointData hinge, rail, groove;
  hinge.name = "hinge";
  hinge.type = JointType::revolute;
  hinge.child = "crank";
  rail.name = "rail";
  rail.type = JointType::prismatic;
  rail.axis << 1, 0, 0;
  rail.child = "yoke";
  groove.name = "groove";
  groove.type = JointType::sphere_in_groove;
  groove.axis << 0, 1, 0;
  groove.parent = "yoke";
  groove.child = "crank";
  groove.X_MC.position << -L, 0, 0;
  robot.joints = {hinge, rail, groove};
  for (JointData& joint : robot.joints) joint.cut = joint.name == cut;
  return robot;
}

constexpr double angle = 0.7, rate = 1.3;

/// From the kinetic energy (I + m c^2 + M L^2 sin^2) rate^2 / 2 and the weight of the crank.
double acceleration_of_crank() {
  const double s = std::sin(angle), c = std::cos(angle);
  const double J = inertia + crank_mass * centre * centre + yoke_mass * L * L * s * s;
  return -(yoke_mass * L * L * s * c * rate * rate + crank_mass * g * centre * c) / J;
}
double acceleration_of_yoke() {
  return -L * (std::sin(angle) * acceleration_of_crank() + std::cos(angle) * rate * rate);
}

TEST(ScotchYoke, ClosedByItsGrooveMovesAsItsEnergySays) {
  const Model model(scotch_yoke("groove"));
  ASSERT_EQ(model.loops().size(), 1u);
  EXPECT_EQ(model.loops()[0].rows, 2);
  const Eigen::Vector2d q(angle, L * std::cos(angle)), v(rate, -L * std::sin(angle) * rate);
  Dynamics dynamics(model);
  const Eigen::VectorXd a = dynamics.forward(q, v, Eigen::Vector2d::Zero());
  EXPECT_NEAR(a(0), acceleration_of_crank(), 1e-11);
  EXPECT_NEAR(a(1), acceleration_of_yoke(), 1e-11);
  // The ball's own coordinates: along the tube, and the turn of the crank in the yoke.
  LoopClosure closure(model);
  Workspace work(model);
  const ClosingJointState ball = closure.closing_state(work, 0, q, v, a);
  EXPECT_NEAR(ball.q(0), L * std::sin(angle), 1e-15);
  EXPECT_NEAR(ball.q(1), std::cos(angle / 2), 1e-15);
  EXPECT_NEAR(ball.q(4), std::sin(angle / 2), 1e-15);
  EXPECT_NEAR(ball.v(0), L * std::cos(angle) * rate, 1e-14);
  EXPECT_NEAR(ball.v(3), rate, 1e-14);
  EXPECT_NEAR(ball.a(3), a(0), 1e-11);
}

TEST(ScotchYoke, ClosedByItsHingeMovesTheSameWay) {
  const Model model(scotch_yoke("hinge"));
  ASSERT_EQ(model.loops().size(), 1u);
  ASSERT_EQ(model.coordinates(), 6);
  Eigen::VectorXd q(6), v(5);
  q << L * std::cos(angle), L * std::sin(angle), std::cos(angle / 2), 0, 0, std::sin(angle / 2);
  v << -L * std::sin(angle) * rate, L * std::cos(angle) * rate, 0, 0, rate;
  Dynamics dynamics(model);
  const Eigen::VectorXd a = dynamics.forward(q, v, Eigen::VectorXd::Zero(5));
  EXPECT_NEAR(a(0), acceleration_of_yoke(), 1e-11);
  EXPECT_NEAR(a(4), acceleration_of_crank(), 1e-11);
}

}  // namespace
}  // namespace ulna
