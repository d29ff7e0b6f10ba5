#pragma once
// Robots as they are built: axes parallel or at right angles to each other, gravity along a
// coordinate axis (or none). Lengths and bodies are random, so that nothing else is special.

#include "random_robot.hpp"

namespace ulna::testing {

inline Robot aligned_robot(Generator& g, int bodies, bool branches, bool weightless) {
  RobotRecipe recipe;
  recipe.bodies = bodies;
  recipe.types = {JointType::revolute, JointType::prismatic, JointType::revolute,
                  JointType::screw,    JointType::prismatic, JointType::cylindrical,
                  JointType::planar,   JointType::spherical};
  if (uniform(g, 0, 1) < 0.5) recipe.types.resize(3);
  recipe.branches = branches;
  recipe.friction = true;
  Robot robot = random_robot(g, recipe);
  // Mostly the same axis again: runs of parallel axes are the special case.
  const auto pick = [&] { return std::max(0, std::uniform_int_distribution<int>(-2, 2)(g)); };
  robot.gravity = weightless ? Vector3<double>(0, 0, 0) : -9.81 * Vector3<double>::Unit(pick());
  for (JointData& joint : robot.joints) {
    joint.X_PF.rotation.setIdentity();
    joint.X_MC.rotation.setIdentity();
    const int k = pick();
    joint.axis = Vector3<double>::Unit(k);
    joint.axis2 = Vector3<double>::Unit((k + 1) % 3);
  }
  return robot;
}

}  // namespace ulna::testing
