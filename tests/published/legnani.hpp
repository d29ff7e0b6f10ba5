#pragma once
// Numbers of Legnani et al. from tests/data, as matrices and arms.

#include <string>

#include "support/json_data.hpp"
#include "ulna/model/parts/placement.hpp"
#include "ulna/model/robot.hpp"

namespace ulna::testing::legnani {

using Vector = Vector3<double>;

template <int Rows, int Columns>
Eigen::Matrix<double, Rows, Columns> matrix(const Json& numbers) {
  Eigen::Matrix<double, Rows, Columns> m;
  for (int k = 0; k < Rows * Columns; ++k) m(k / Columns, k % Columns) = numbers.at(k);
  return m;
}

inline Vector vector(const Json& numbers) { return matrix<3, 1>(numbers); }
inline Matrix4<double> matrix4(const Json& numbers) { return matrix<4, 4>(numbers); }

/// Another body at the end of an arm.
inline void add_link(Robot& robot, JointType type, const Placement& place,
                     const Inertial& inertial) {
  const std::string number = std::to_string(robot.bodies.size() + 1);
  JointData joint;
  joint.name = "joint" + number;
  joint.type = type;
  joint.parent = robot.bodies.empty() ? world_name : robot.bodies.back().name;
  joint.child = "link" + number;
  joint.X_PF = place.X_PF;
  joint.X_MC = place.X_MC;
  BodyData body;
  body.name = joint.child;
  body.inertial = inertial;
  robot.bodies.push_back(body);
  robot.joints.push_back(joint);
}

}  // namespace ulna::testing::legnani
