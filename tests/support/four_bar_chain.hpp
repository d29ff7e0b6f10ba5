#pragma once
// Four-bars in a row, coupled: the rocker of each is the crank of the next. One degree of freedom,
// however many they are.

#include "ulna/model/model.hpp"

namespace ulna::testing {

inline Robot four_bar_chain(int count) {
  Robot robot;
  robot.name = "chain of four-bars";
  robot.gravity = {0, -9.81, 0};
  const auto add = [&](const std::string& name, double mass, double length) {
    BodyData body;
    body.name = name;
    const double I = mass * length * length / 12;
    body.inertial = {mass, {length / 2, 0, 0}, Vector3<double>(0.1 * I, I, I).asDiagonal()};
    robot.bodies.push_back(body);
  };
  const auto hinge = [&](const std::string& name, const std::string& parent,
                         const std::string& child, double x) {
    JointData joint;
    joint.name = name;
    joint.type = JointType::revolute;
    joint.parent = parent;
    joint.child = child;
    joint.X_PF.position << x, 0, 0;
    robot.joints.push_back(joint);
  };
  for (int k = 0; k <= count; ++k) {
    const std::string n = std::to_string(k);
    add("rocker" + n, 1, 0.4);
    hinge("foot" + n, world_name, "rocker" + n, 1.0 * k);
  }
  for (int k = 0; k < count; ++k) {
    const std::string n = std::to_string(k), next = std::to_string(k + 1);
    add("coupler" + n, 1.5, 1.0);
    hinge("pin" + n, "rocker" + n, "coupler" + n, 0.4);
    hinge("close" + n, "coupler" + n, "rocker" + next, 1.0);
    robot.joints.back().X_MC.position << -0.4, 0, 0;
    robot.joints.back().cut = true;
  }
  return robot;
}

/// Near a posture with all rockers at this angle: close it before use.
inline Eigen::VectorXd posture_of_chain(const Model& model, double angle) {
  Eigen::VectorXd q(model.coordinates());
  for (int k = 0; k < model.speeds(); ++k)
    q(k) = model.speed_names()[k].starts_with("foot") ? angle : -angle;
  return q;
}

}  // namespace ulna::testing
