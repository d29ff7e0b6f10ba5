#pragma once
// Random chains that one joint of any type closes.

#include "support/random_robot.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna::testing {

/// A chain of bodies from the world and back to it by a joint of the given type, closed at a
/// random posture by construction: the joint's frame on the last body is where it must be.
struct Ring {
  Robot robot;
  Eigen::VectorXd closed;
};
inline Ring ring(Generator& g, JointType type) {
  RobotRecipe recipe;
  recipe.bodies = 6;
  recipe.types = {JointType::revolute, JointType::spherical, JointType::prismatic};
  Ring r{random_robot(g, recipe), {}};
  const Model tree(r.robot);
  r.closed = tree.random(g);
  Workspace work(tree);
  update_poses(tree, work, r.closed);
  JointData closing;
  closing.name = "closing";
  closing.type = type;
  closing.parent = r.robot.bodies.back().name;
  closing.child = world_name;
  closing.axis = random_vector(g);
  closing.axis2 = closing.axis.cross(random_vector(g));
  closing.pitch = 0.6;
  closing.cut = true;
  closing.X_PF = {random_rotation(g), random_vector(g)};
  // X_WF X_FM X_MC = 1 at the closed posture with the joint at zero.
  const Pose<double> X_WF = frame_pose(tree, work, tree.body(closing.parent)) * closing.X_PF;
  closing.X_MC = X_WF.inverse();
  r.robot.joints.push_back(closing);
  return r;
}

inline const JointType closing_types[] = {
    JointType::fixed,       JointType::revolute,  JointType::prismatic, JointType::screw,
    JointType::cylindrical, JointType::universal, JointType::spherical, JointType::planar};

}  // namespace ulna::testing
