#pragma once
// Rates of anything along a motion, by differences, on random trees of all joint types.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "support/near.hpp"
#include "support/random_robot.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna::testing {

/// df/dt at t = 0 by five points. With h = 1e-3 the error is about h^4/30 = 3e-14 times the fifth
/// derivative, and 1e-12 times f for rounding.
template <class Function>
auto rate(Function&& f, double h = 1e-3) {
  return ((8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)).eval();
}

/// The vector of a skew matrix that differences have made a little less so.
inline Vector3<double> unskew(const Matrix3<double>& W) {
  return 0.5 * Vector3<double>(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1));
}

/// A random tree with a frame on every body, in a random state. Seeds alternate between chains and
/// trees, and between one type of joint and all of them.
class RandomTree : public ::testing::TestWithParam<int> {
 protected:
  Model make() {
    const int types = static_cast<int>(all_moving_types.size());
    const int kind = GetParam() % (types + 2);
    RobotRecipe recipe;
    recipe.bodies = 2 + GetParam() % 7;
    if (kind < types)
      recipe.types = {all_moving_types[static_cast<std::size_t>(kind)]};
    else
      recipe.types = all_moving_types;
    if (kind >= types) recipe.types.push_back(JointType::fixed);
    recipe.branches = GetParam() % 3 != 0;
    Robot robot = random_robot(g, recipe);
    for (const BodyData& body : robot.bodies)
      robot.frames.push_back(
          {"on " + body.name, body.name, {random_rotation(g), random_vector(g)}, {}});
    if (kind == types + 1 && robot.joints.size() > 3) {
      // Followers too.
      robot.joints[1].type = JointType::revolute;
      robot.joints[3].type = JointType::prismatic;
      robot.joints[3].mimic = Mimic{robot.joints[1].name, -0.7, 0.2};
    }
    return Model(robot);
  }
  int any_frame() {
    const int count = static_cast<int>(model.frames().size());
    return std::uniform_int_distribution<int>(0, count - 1)(g);
  }
  /// Poses of a frame along q integrated with t v + t^2 a/2.
  Pose<double> pose_at(int frame, double t, const Eigen::VectorXd& speed) {
    update_poses(model, work, model.integrate(q, t * speed));
    return frame_pose(model, work, frame);
  }

  Generator g{static_cast<std::uint64_t>(GetParam())};
  Model model = make();
  Workspace work{model};
  Eigen::VectorXd q = model.random(g);
  // Of unit length, so that the fifth derivatives stay small.
  Eigen::VectorXd v = random_entries(g, model.speeds()).normalized();
  Eigen::VectorXd a = random_entries(g, model.speeds()).normalized();
};

}  // namespace ulna::testing
