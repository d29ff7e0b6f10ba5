// Frames of robots with loops led along paths: the driven joints carry them, the loops follow.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/inverse_kinematics.hpp"
#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/motion/cartesian_motion.hpp"
#include "ulna/motion/pose_path.hpp"
#include "ulna/motion/program.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using ::testing::HasSubstr;

/// Coordinates of driven speeds.
std::vector<int> coordinates_of(const Model& model, const std::vector<int>& speeds) {
  std::vector<int> list;
  for (const int k : speeds)
    for (const Joint& joint : model.joints())
      if (k >= joint.v && k < joint.v + joint.speeds) list.push_back(joint.q + k - joint.v);
  return list;
}

/// With the driven joints where the motion says and the loops closed from the posture before, the
/// frame is where it should be.
void expect_frame_follows(const Model& model, int frame, const CartesianMotion& joints,
                          const PoseMotion& motion, bool position_only) {
  Workspace work(model);
  const int m = joints.size();
  Eigen::VectorXd q(m), v(m), a(m);
  AssemblyOptions options;
  options.start = joints.start();
  options.held = coordinates_of(model, joints.driven());
  options.restarts = 0;
  options.tolerance = 1e-12;
  for (int k = 0; k <= 57; ++k) {
    const double t = motion.duration() * k / 57;
    joints.at(t, q, v, a);
    for (int i = 0; i < m; ++i) options.start(options.held[static_cast<std::size_t>(i)]) = q(i);
    options.start = assembled(model, options);
    update_poses(model, work, options.start);
    const Pose<double> X = frame_pose(model, work, frame), wish = motion.at(t).pose;
    EXPECT_LT((X.position - wish.position).norm(), 4e-10) << t;
    if (!position_only) {
      EXPECT_LT((X.rotation - wish.rotation).norm(), 8e-10) << t;
    }
    // The rates are those of the twist.
    const JointRates whole =
        joint_rates(model, work, options.start, frame, motion.at(t).twist.vector(), position_only);
    for (int i = 0; i < m; ++i)
      EXPECT_NEAR(v(i), whole.value(joints.driven()[static_cast<std::size_t>(i)]),
                  1e-6 * (1 + whole.value.norm()))
          << t;
  }
}

TEST(LoopMotion, AFiveBarLeadsItsToolAlongALine) {
  const Model model(read_robot("five-bar").robot);
  CartesianMotionOptions options;
  options.position_only = true;
  Eigen::VectorXd near(4);
  near << 2.2, 0.9, -1.6, 1.65;
  AssemblyOptions assembly;
  assembly.start = near;
  options.start = assembled(model, assembly);
  const int frame = model.frame("tool");
  Workspace work(model);
  update_poses(model, work, options.start);
  const Pose<double> from = frame_pose(model, work, frame);
  Pose<double> to = from;
  to.position += Vector3<double>(0.08, -0.05, 0);
  const auto path = std::make_shared<LinePath>(from, to);
  const PathMotion motion(path, program_named("poly345", 0, path->length(), 0.8));
  const CartesianMotion pivoted(model, frame, motion, options);
  EXPECT_EQ(pivoted.size(), 2);
  expect_frame_follows(model, frame, pivoted, motion, true);
  options.driven = {model.joints()[static_cast<std::size_t>(model.joint("left"))].v,
                    model.joints()[static_cast<std::size_t>(model.joint("right"))].v};
  const CartesianMotion arms(model, frame, motion, options);
  EXPECT_EQ(arms.driven(), options.driven);
  expect_frame_follows(model, frame, arms, motion, true);
  // Both are one motion of the mechanism.
  EXPECT_LT((arms.start() - pivoted.start()).norm(), 1e-9);
}

TEST(LoopMotion, APlatformGoesRoundACircleOnItsSixDrives) {
  const Model model(read_robot("ddts").robot);
  CartesianMotionOptions options;
  // In the middle of the strokes; from the home pose short legs would end the circle early.
  const Platform platform(platform_of(model));
  Pose<double> middle = platform.data().home;
  middle.position.x() = 3.6;
  middle.rotation = exp_rotation(Vector3<double>(-M_PI / 3, 0, 0)) * middle.rotation;
  options.start = platform_posture(model, platform, middle);
  const int frame = model.tip_frame();
  EXPECT_EQ(model.frames()[static_cast<std::size_t>(frame)].name, "platform");
  Workspace work(model);
  update_poses(model, work, options.start);
  const Pose<double> from = frame_pose(model, work, frame);
  const auto path =
      std::make_shared<CirclePath>(from, from.position + Vector3<double>(0.1, 0, 0),
                                   Vector3<double>::UnitZ(), 0.6, CirclePath::Rotation::turning);
  const PathMotion motion(path, program_named("poly345", 0, path->length(), 2));
  const CartesianMotion joints(model, frame, motion, options);
  EXPECT_EQ(joints.size(), 6);
  expect_frame_follows(model, frame, joints, motion, false);
}

TEST(LoopMotion, WhatCannotBeFollowedSaysWhy) {
  const Model model(read_robot("five-bar").robot);
  CartesianMotionOptions options;
  options.position_only = true;
  Eigen::VectorXd near(4);
  near << 2.2, 0.9, -1.6, 1.65;
  AssemblyOptions assembly;
  assembly.start = near;
  options.start = assembled(model, assembly);
  const int frame = model.frame("tool");
  Workspace work(model);
  update_poses(model, work, options.start);
  const Pose<double> from = frame_pose(model, work, frame);
  const auto along = [&](const Vector3<double>& way) {
    Pose<double> to = from;
    to.position += way;
    const auto path = std::make_shared<LinePath>(from, to);
    return PathMotion(path, program_named("poly345", 0, path->length(), 1));
  };
  const auto says = [&](const PathMotion& motion, const char* text) {
    try {
      CartesianMotion(model, frame, motion, options);
      ADD_FAILURE() << "followed";
    } catch (const std::exception& error) {
      EXPECT_THAT(error.what(), HasSubstr(text));
    }
  };
  says(along({0, 1, 0}), "cannot be carried along its motion beyond");
  options.driven = {0};
  says(along({0.02, 0, 0}), "do not determine where frame 'tool' is");
  options.driven = {0, 1, 2};
  says(along({0.02, 0, 0}), "at most 2");
}

}  // namespace
}  // namespace ulna
