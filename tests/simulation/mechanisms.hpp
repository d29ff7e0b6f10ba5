#pragma once
// Mechanisms with loops for the tests of their simulation.

#include <memory>

#include "machines.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna::testing {

/// Cranks of one length on the ground, all pinned to one bar: parallelograms side by side. Every
/// crank beyond two closes a loop that says nothing new.
inline Robot parallelogram(int cranks) {
  Robot robot;
  robot.name = "parallelogram";
  robot.gravity = {0, -9.81, 0};
  const Matrix3<double> inertia = Vector3<double>(0.01, 0.1, 0.1).asDiagonal();
  robot.bodies.push_back(body("bar", {3, {0.5, 0, 0}, inertia}));
  for (int k = 0; k < cranks; ++k) {
    const std::string name = "crank" + std::to_string(k);
    robot.bodies.push_back(body(name, {1.0 + k, {0.2, 0, 0}, inertia}));
    JointData foot;
    foot.name = "foot" + std::to_string(k);
    foot.type = JointType::revolute;
    foot.child = name;
    foot.X_PF.position << 1.0 * k, 0, 0;
    foot.degrees.resize(1);
    JointData pin = foot;
    pin.name = "pin" + std::to_string(k);
    pin.parent = name;
    pin.child = "bar";
    pin.X_PF.position << 0.4, 0, 0;
    pin.X_MC.position << -1.0 * k, 0, 0;
    pin.cut = k > 0;
    robot.joints.push_back(foot);
    robot.joints.push_back(pin);
  }
  return robot;
}

/// All cranks at this angle.
inline Eigen::VectorXd posture_of_parallelogram(const Model& model, double angle) {
  Eigen::VectorXd q = Eigen::VectorXd::Zero(model.coordinates());
  for (int k = 0; k < model.speeds(); ++k)
    q(k) = model.speed_names()[k].starts_with("foot") ? angle : -angle;
  return q;
}
/// The cranks turn at 1 rad/s.
inline Eigen::VectorXd speed_of(const Model& model) { return posture_of_parallelogram(model, 1); }

/// Two arms of 0.25 m, 0.2 m apart, and two forearms of 0.3 m that meet; in the horizontal plane.
inline Robot five_bar() {
  Robot robot;
  robot.name = "five-bar";
  const auto link = [&](const std::string& name, double mass, double length) {
    const double I = mass * length * length / 12;
    robot.bodies.push_back(
        body(name, {mass, {length / 2, 0, 0}, Vector3<double>(0.1 * I, I, I).asDiagonal()}));
  };
  link("left_arm", 0.6, 0.25);
  link("right_arm", 0.6, 0.25);
  link("left_forearm", 0.4, 0.3);
  link("right_forearm", 0.3, 0.3);
  const auto hinge = [&](const std::string& name, const std::string& parent,
                         const std::string& child, double x) {
    JointData joint;
    joint.name = name;
    joint.type = JointType::revolute;
    joint.parent = parent;
    joint.child = child;
    joint.X_PF.position << x, 0, 0;
    joint.degrees.resize(1);
    robot.joints.push_back(joint);
  };
  hinge("left", "world", "left_arm", -0.1);
  hinge("right", "world", "right_arm", 0.1);
  hinge("left_elbow", "left_arm", "left_forearm", 0.25);
  hinge("right_elbow", "right_arm", "right_forearm", 0.25);
  hinge("tool", "left_forearm", "right_forearm", 0.3);
  robot.joints.back().X_MC.position << -0.3, 0, 0;
  robot.joints.back().cut = true;
  return robot;
}

/// How far the loops have opened in a run that recorded "closure": metres or radians.
inline double worst_closure(const ulna::Run& run) {
  return std::max(run.column("closure.length").maxCoeff(), run.column("closure.angle").maxCoeff());
}

}  // namespace ulna::testing
