#pragma once
// The robots of the simulation tests.

#include <memory>

#include "ulna/model/model.hpp"

namespace ulna::testing {

constexpr double g = 9.81;

inline BodyData body(const std::string& name, const Inertial& inertial) {
  BodyData data;
  data.name = name;
  data.inertial = inertial;
  return data;
}

/// A point mass on a massless rod of length 1 that turns about the world's y axis.
inline Robot pendulum(double mass = 1) {
  Robot robot;
  robot.name = "pendulum";
  robot.bodies.push_back(body("rod", {mass, {0, 0, -1}, Matrix3<double>::Zero()}));
  JointData joint;
  joint.name = "hinge";
  joint.type = JointType::revolute;
  joint.child = "rod";
  joint.axis = {0, 1, 0};
  robot.joints.push_back(joint);
  return robot;
}

/// Two such rods in a row.
inline Robot double_pendulum() {
  Robot robot = pendulum();
  robot.name = "double";
  robot.bodies.push_back(body("rod2", {0.7, {0, 0, -0.8}, Matrix3<double>::Zero()}));
  JointData joint = robot.joints[0];
  joint.name = "elbow";
  joint.parent = "rod";
  joint.child = "rod2";
  joint.X_PF.position = {0, 0, -1};
  robot.joints.push_back(joint);
  return robot;
}

/// A symmetric top on a ball joint, its centre 0.3 m along its axis.
inline Robot top() {
  Robot robot;
  robot.name = "top";
  robot.bodies.push_back(
      body("rotor", {1.5, {0, 0, 0.3}, Vector3<double>(0.004, 0.004, 0.006).asDiagonal()}));
  JointData joint;
  joint.name = "ball";
  joint.type = JointType::spherical;
  joint.child = "rotor";
  robot.joints.push_back(joint);
  return robot;
}

inline std::shared_ptr<const Model> frozen(Robot robot) {
  return std::make_shared<const Model>(std::move(robot));
}

}  // namespace ulna::testing
