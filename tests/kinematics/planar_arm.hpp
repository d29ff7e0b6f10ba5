#pragma once

#include <string>

#include "ulna/model/robot.hpp"

namespace ulna::testing {

/// A planar arm of unit links with hinges about z and a frame "hand" at its end.
inline Robot planar_arm(int links) {
  Robot robot;
  robot.name = "planar arm";
  for (int i = 0; i < links; ++i) {
    const std::string name = "link" + std::to_string(i);
    robot.bodies.push_back({name, {}, {}, {}});
    JointData hinge;
    hinge.name = "hinge" + std::to_string(i);
    hinge.type = JointType::revolute;
    hinge.parent = i == 0 ? world_name : "link" + std::to_string(i - 1);
    hinge.child = name;
    hinge.X_PF.position << (i == 0 ? 0 : 1), 0, 0;
    robot.joints.push_back(hinge);
  }
  robot.frames = {{"hand", robot.bodies.back().name, Pose<double>::translation({1, 0, 0}), {}}};
  return robot;
}

}  // namespace ulna::testing
