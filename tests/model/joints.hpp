#pragma once
// Joints between named bodies, for the tests of what the builder makes of them.

#include <string>

#include "../support/random_robot.hpp"

namespace ulna::testing {

inline JointData joint(const std::string& name, const std::string& parent, const std::string& child,
                       JointType type = JointType::revolute) {
  JointData data;
  data.name = name;
  data.type = type;
  data.parent = parent;
  data.child = child;
  return data;
}

/// The same with random poses and a random axis.
inline JointData placed_joint(Generator& g, const std::string& name, const std::string& parent,
                              const std::string& child, JointType type = JointType::revolute) {
  JointData data = joint(name, parent, child, type);
  data.X_PF = {random_rotation(g), random_vector(g)};
  data.X_MC = {random_rotation(g), random_vector(g)};
  data.axis = random_vector(g);
  return data;
}

/// Three bodies between hinges, the first and the last on the world.
inline Robot four_bar() {
  Robot robot;
  robot.name = "four-bar";
  for (const char* name : {"crank", "coupler", "rocker"}) {
    Inertial inertial;
    inertial.mass = 1;
    inertial.inertia = 0.1 * Matrix3<double>::Identity();
    robot.bodies.push_back({name, inertial, {}, {}});
  }
  robot.joints = {joint("A", world_name, "crank"), joint("B", "crank", "coupler"),
                  joint("C", "coupler", "rocker"), joint("D", world_name, "rocker")};
  for (JointData& data : robot.joints) data.X_PF.position << 1, 0, 0;
  return robot;
}

}  // namespace ulna::testing
