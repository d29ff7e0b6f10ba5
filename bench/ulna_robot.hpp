// A robot for Ulna made of the plain numbers that all contestants are given.
#pragma once

#include <Eigen/Geometry>
#include <string>

#include "contestant.hpp"
#include "ulna/model/robot.hpp"

namespace ulna::bench {

inline Robot robot_of(const ChainSpec& spec) {
  using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  Robot robot;
  robot.name = spec.name;
  robot.gravity = Eigen::Map<const Eigen::Vector3d>(spec.gravity.data());
  for (std::size_t i = 0; i < spec.links.size(); ++i) {
    const Link& link = spec.links[i];
    BodyData body;
    body.name = "b" + std::to_string(i);
    body.inertial = {link.mass, Eigen::Map<const Eigen::Vector3d>(link.p_BBcm.data()),
                     Eigen::Map<const RowMajor>(link.I_BBcm.data())};
    JointData joint;
    joint.name = "j" + std::to_string(i);
    joint.type = JointType::revolute;
    joint.parent = link.parent < 0 ? world_name : "b" + std::to_string(link.parent);
    joint.child = body.name;
    joint.X_PF = {Eigen::Map<const RowMajor>(link.R_PJ.data()),
                  Eigen::Map<const Eigen::Vector3d>(link.p_PJ.data())};
    robot.bodies.push_back(body);
    robot.joints.push_back(joint);
  }
  return robot;
}

}  // namespace ulna::bench
