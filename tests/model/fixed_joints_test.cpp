// Fixed joints cost nothing: what they hold becomes one rigid thing. Names and frames stay.

#include <gtest/gtest.h>

#include "joints.hpp"
#include "naive_poses.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"

namespace ulna {
namespace {

using testing::expect_near;
using testing::Generator;
using testing::placed_joint;
using testing::random_entries;
using testing::random_inertial;
using testing::random_rotation;
using testing::random_vector;

TEST(FixedJoints, AreMergedWithoutLosingTheirFrames) {
  Generator g(3);
  Robot robot;
  robot.name = "merged";
  for (const char* name : {"plate", "arm", "flange", "camera"})
    robot.bodies.push_back({name, random_inertial(g), {}, {}});
  robot.joints = {placed_joint(g, "bolts", world_name, "plate", JointType::fixed),
                  placed_joint(g, "hinge", "plate", "arm"),
                  placed_joint(g, "weld", "arm", "flange", JointType::fixed),
                  placed_joint(g, "clamp", "flange", "camera", JointType::fixed)};
  robot.frames = {{"lens", "camera", {random_rotation(g), random_vector(g)}, {}}};
  const Model model(robot);
  EXPECT_EQ(model.speeds(), 1);
  EXPECT_EQ(model.topology().nodes.size(), 2u);  // the world and one moving thing
  EXPECT_EQ(model.bodies().size(), 5u);
  EXPECT_EQ(model.joints().size(), 4u);

  const double angle = 0.7;
  const auto X_PC = [&](int j, const Eigen::Isometry3d& motion) {
    return testing::isometry(robot.joints[j].X_PF) * motion *
           testing::isometry(robot.joints[j].X_MC);
  };
  const Eigen::Isometry3d still = Eigen::Isometry3d::Identity();
  const Eigen::Isometry3d turn(Eigen::AngleAxisd(angle, robot.joints[1].axis.normalized()));
  const Eigen::Isometry3d X_WPlate = X_PC(0, still);
  const Eigen::Isometry3d X_WArm = X_WPlate * X_PC(1, turn);
  const Eigen::Isometry3d X_WFlange = X_WArm * X_PC(2, still);
  const Eigen::Isometry3d X_WCamera = X_WFlange * X_PC(3, still);
  const Eigen::Isometry3d X_WLens = X_WCamera * testing::isometry(robot.frames[0].X_BF);
  Workspace work(model);
  update_poses(model, work, Eigen::VectorXd::Constant(1, angle));
  const auto pose = [&](const char* name) {
    return frame_pose(model, work, model.frame(name)).matrix();
  };
  expect_near(pose("plate"), X_WPlate.matrix(), 1e-15);
  expect_near(pose("arm"), X_WArm.matrix(), 1e-15);
  expect_near(pose("flange"), X_WFlange.matrix(), 1e-15);
  expect_near(pose("camera"), X_WCamera.matrix(), 1e-15);
  expect_near(pose("lens"), X_WLens.matrix(), 1e-15);
}

TEST(FixedJoints, GiveTheInertiaOfTheWhole) {
  Generator g(4);
  Robot parts;
  parts.name = "parts";
  parts.bodies = {{"arm", random_inertial(g), {}, {}}, {"tool", random_inertial(g), {}, {}}};
  parts.joints = {placed_joint(g, "ball", world_name, "arm", JointType::spherical),
                  placed_joint(g, "weld", "arm", "tool", JointType::fixed)};
  // The same by hand: centres weighted by mass, inertias moved to the common centre.
  const Pose<double> X_AT = parts.joints[1].X_PF * parts.joints[1].X_MC;
  const Inertial &arm = parts.bodies[0].inertial, &tool = parts.bodies[1].inertial;
  const Vector3<double> tool_centre = X_AT * tool.centre;
  Inertial sum;
  sum.mass = arm.mass + tool.mass;
  sum.centre = (arm.mass * arm.centre + tool.mass * tool_centre) / sum.mass;
  const auto moved = [&](double mass, const Vector3<double>& centre, const Matrix3<double>& I) {
    const Vector3<double> r = centre - sum.centre;
    return Matrix3<double>(
        I + mass * (r.squaredNorm() * Matrix3<double>::Identity() - r * r.transpose()));
  };
  sum.inertia =
      moved(arm.mass, arm.centre, arm.inertia) +
      moved(tool.mass, tool_centre, X_AT.rotation * tool.inertia * X_AT.rotation.transpose());
  Robot whole = parts;
  whole.bodies = {{"arm", sum, {}, {}}};
  whole.joints.pop_back();
  const Model one(parts), other(whole);
  Workspace work(one), other_work(other);
  const Eigen::VectorXd q = one.random(g), v = random_entries(g, 3), a = random_entries(g, 3);
  expect_near(inverse_dynamics(one, work, q, v, a), inverse_dynamics(other, other_work, q, v, a),
              1e-14);
  expect_near(mass_matrix(one, work, q), mass_matrix(other, other_work, q), 1e-14);
}

}  // namespace
}  // namespace ulna
