#pragma once
// A planar arm: n uniform rods of 1 m and 1 kg, turning about z, with the frame "tip".

#include <cmath>
#include <string>

#include "ulna/model/model.hpp"

namespace ulna::testing {

inline Model planar_arm(int links, double limit = DegreeData::unlimited) {
  Robot robot;
  robot.name = "planar";
  robot.gravity = {0, -9.81, 0};
  for (int k = 1; k <= links; ++k) {
    BodyData body;
    body.name = "link" + std::to_string(k);
    body.inertial.mass = 1;
    body.inertial.centre = {0.5, 0, 0};
    body.inertial.inertia = Vector3<double>(1e-3, 1.0 / 12, 1.0 / 12).asDiagonal();
    robot.bodies.push_back(body);
    JointData joint;
    joint.name = "joint" + std::to_string(k);
    joint.type = JointType::revolute;
    if (k > 1) {
      joint.parent = "link" + std::to_string(k - 1);
      joint.X_PF = Pose<double>::translation({1, 0, 0});
    }
    joint.child = body.name;
    DegreeData degree;
    degree.lower = -limit;
    degree.upper = limit;
    joint.degrees = {degree};
    robot.joints.push_back(joint);
  }
  FrameData tip;
  tip.name = "tip";
  tip.body = "link" + std::to_string(links);
  tip.X_BF = Pose<double>::translation({1, 0, 0});
  robot.frames = {tip};
  return Model(robot);
}

}  // namespace ulna::testing
