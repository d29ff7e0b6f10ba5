// Joint motions that carry a frame along a path.

#include "ulna/motion/cartesian_motion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "motion/planar_arm.hpp"
#include "support/random_robot.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/motion/kernels/polynomial_345.hpp"
#include "ulna/motion/pose_path.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using ::testing::HasSubstr;
using testing::planar_arm;

Pose<double> pose_at(const Model& model, int frame, const Eigen::VectorXd& q) {
  Workspace work(model);
  update_poses(model, work, q);
  return frame_pose(model, work, frame);
}

/// The frame goes where it should, and q, v, a are derivatives of each other.
void expect_follows(const Model& model, int frame, const CartesianMotion& joints,
                    const PoseMotion& motion, bool position_only) {
  Workspace work(model);
  const int n = model.speeds();
  Eigen::VectorXd q(n), v(n), a(n), q1(n), v1(n), q2(n), v2(n), ignored(n);
  double speed = 0, force = 0;
  for (int k = 0; k <= 100; ++k) {
    const PoseMotionValue x = motion.at(motion.duration() * k / 100);
    speed = std::max(speed, x.twist.vector().norm());
    force = std::max(force, x.acceleration.vector().norm());
  }
  for (int k = 0; k <= 57; ++k) {
    const double t = motion.duration() * k / 57;
    joints.at(t, q, v, a);
    update_motions(model, work, q, v, a);
    const PoseMotionValue wish = motion.at(t);
    const Pose<double> X = frame_pose(model, work, frame);
    Vector6<double> V = frame_velocity(model, work, frame).vector() - wish.twist.vector();
    Vector6<double> A =
        frame_acceleration(model, work, frame).vector() - wish.acceleration.vector();
    if (position_only) V.head<3>().setZero(), A.head<3>().setZero();
    EXPECT_LT((X.position - wish.pose.position).norm(), 2e-10) << t;
    if (!position_only) {
      EXPECT_LT((X.rotation - wish.pose.rotation).norm(), 4e-10) << t;
    }
    EXPECT_LT(V.norm(), 1e-7 * speed) << t;
    EXPECT_LT(A.norm(), 1e-5 * (force + speed * speed)) << t;
    if (k == 0 || k == 57) continue;
    const double h = 1e-6;
    joints.at(t - h, q1, v1, ignored);
    joints.at(t + h, q2, v2, ignored);
    EXPECT_LT(((q2 - q1) / (2 * h) - v).norm(), 1e-8 * (1 + v.norm())) << t;
    EXPECT_LT(((v2 - v1) / (2 * h) - a).norm(), 1e-4 * (1 + a.norm())) << t;
  }
}

TEST(CartesianMotion, ThePumaFollowsLinesScrewsAndCircles) {
  const Model model(read_robot("puma560").robot);
  const int frame = model.tip_frame();
  Eigen::VectorXd start(6);
  start << 0.2, -0.5, 0.3, 0.4, 0.8, -0.2;
  const Pose<double> from = pose_at(model, frame, start);
  const Pose<double> to{from.rotation * rotation_x(0.4) * rotation_y(-0.3),
                        from.position + Vector3<double>(-0.1, 0.15, 0.1)};
  CartesianMotionOptions options;
  options.start = start;
  const std::vector<PosePathPtr> paths{
      std::make_shared<LinePath>(from, to), std::make_shared<ScrewPath>(from, to),
      std::make_shared<CirclePath>(from, from.position + Vector3<double>(0, 0.1, 0),
                                   Vector3<double>::UnitX(), 2 * M_PI)};
  for (const PosePathPtr& path : paths) {
    const PathMotion motion(path, std::make_shared<Polynomial345>(0, path->length(), 1.5));
    const CartesianMotion joints(model, frame, motion, options);
    EXPECT_LE(joints.pose_error(), options.tolerance);
    Eigen::VectorXd q(6), v(6), a(6);
    joints.at(0, q, v, a);
    EXPECT_LT((q - start).norm(), 1e-9) << "the branch of the start";
    expect_follows(model, frame, joints, motion, false);
  }
}

TEST(CartesianMotion, CornersOfAPolylineAreBreakpoints) {
  const Model model = planar_arm(2);
  const auto path = std::make_shared<PolylinePath>(
      std::vector<Vector3<double>>{{1.2, 0, 0}, {1.2, 0.8, 0}, {0.4, 1.1, 0}},
      Matrix3<double>::Identity(), 0.1);
  const PathMotion motion = constant_speed(path, 0.5, 0.2);
  CartesianMotionOptions options;
  options.position_only = true;
  options.start = Eigen::Vector2d(-0.5, 1);
  const CartesianMotion joints(model, model.frame("tip"), motion, options);
  EXPECT_EQ(joints.breakpoints().size(), motion.breakpoints().size());
  Workspace work(model);
  Eigen::VectorXd q(2), v(2), a(2);
  for (double t = 0.013; t < motion.duration(); t += 0.029) {
    joints.at(t, q, v, a);
    EXPECT_GT(q(1), 0) << "stays on the branch it started on";
    update_poses(model, work, q);
    EXPECT_LT(
        (frame_pose(model, work, model.frame("tip")).position - motion.at(t).pose.position).norm(),
        2e-10);
  }
  options.start(1) = -1;
  const CartesianMotion other(model, model.frame("tip"), motion, options);
  other.at(1, q, v, a);
  EXPECT_LT(q(1), 0) << "the other branch, from the other start";
}

TEST(CartesianMotion, RedundantArmsMoveWithRatesOfLeastNorm) {
  const Model model = planar_arm(4);
  const int tip = model.frame("tip");
  const Eigen::Vector4d start(0.3, 0.5, 0.4, 0.6);
  const Vector3<double> p = pose_at(model, tip, start).position;
  const auto path = std::make_shared<LinePath>(
      Pose<double>::translation(p), Pose<double>::translation(p + Vector3<double>(0.8, -0.5, 0)));
  const PathMotion motion(path, std::make_shared<Polynomial345>(0, path->length(), 2));
  CartesianMotionOptions options;
  options.position_only = true;
  options.start = start;
  const CartesianMotion joints(model, tip, motion, options);
  expect_follows(model, tip, joints, motion, true);
  Workspace work(model);
  Eigen::VectorXd q(4), v(4), a(4);
  double off = 0;
  for (double t = 0.2; t < 1.8; t += 0.0137) {
    joints.at(t, q, v, a);
    const Eigen::MatrixXd J = jacobian(model, work, q, {tip}).middleRows(3, 2);
    const Eigen::VectorXd least = J.transpose() * (J * J.transpose()).inverse() * (J * v);
    off = std::max(off, (v - least).norm() / v.norm());
  }
  // At the nodes exactly, between them by the error of the joined pieces. Accelerations of least
  // norm, which are not the derivative of rates of least norm, would leave 5e-5.
  EXPECT_LT(off, 1e-6);
}

TEST(CartesianMotion, TurnsAreCountedNotLost) {
  // Twice round the base: the first joint, without limits, ends two turns further.
  const Model model = planar_arm(2);
  const auto path =
      std::make_shared<CirclePath>(Pose<double>::translation({1.3, 0, 0}), Vector3<double>::Zero(),
                                   Vector3<double>::UnitZ(), 4 * M_PI);
  const PathMotion motion(path, std::make_shared<Polynomial345>(0, path->length(), 4));
  CartesianMotionOptions options;
  options.position_only = true;
  options.start = Eigen::Vector2d(-0.5, 1);
  const CartesianMotion joints(model, model.frame("tip"), motion, options);
  Eigen::VectorXd q0(2), q1(2), v(2), a(2);
  joints.at(0, q0, v, a);
  joints.at(4, q1, v, a);
  EXPECT_NEAR(q1(0) - q0(0), 4 * M_PI, 1e-9);
  EXPECT_NEAR(q1(1), q0(1), 1e-9);
}

std::string reason(const Model& model, const PathMotion& motion, const Eigen::VectorXd& start,
                   double& time) {
  CartesianMotionOptions options;
  options.position_only = true;
  options.start = start;
  try {
    CartesianMotion ignored(model, model.frame("tip"), motion, options);
  } catch (const ComputationError& error) {
    time = error.measure();
    return error.what();
  }
  return "no error";
}

TEST(CartesianMotion, SaysWhenAndWhyItCannotFollow) {
  const auto line = [](double x0, double y0, double x1, double y1) {
    const auto path = std::make_shared<LinePath>(Pose<double>::translation({x0, y0, 0}),
                                                 Pose<double>::translation({x1, y1, 0}));
    return PathMotion(path, std::make_shared<Polynomial345>(0, path->length(), 1));
  };
  double time = 0;
  // Out of the reach of 2 m, which the line x = 1 leaves at y = sqrt 3.
  const PathMotion out = line(1, 0, 1, 2.5);
  const std::string far = reason(planar_arm(2), out, Eigen::Vector2d(-1, 1), time);
  EXPECT_THAT(far, HasSubstr("'tip'"));
  EXPECT_THAT(far, HasSubstr("s: "));
  EXPECT_NEAR(out.at(time).pose.position.y(), std::sqrt(3), 1e-3) << far;
  // A joint limit: the elbow would have to bend beyond 1.2 rad.
  const PathMotion in = line(1.8, 0, 0.5, 0);
  const std::string held = reason(planar_arm(2, 1.2), in, Eigen::Vector2d(-0.4, 0.8), time);
  EXPECT_NEAR(in.at(time).pose.position.x(), 2 * std::cos(0.6), 1e-3) << held;
  // Nowhere near at the start.
  EXPECT_THAT(reason(planar_arm(2), line(5, 0, 6, 0), Eigen::Vector2d(0, 0), time),
              HasSubstr("cannot reach"));
  EXPECT_EQ(time, 0);
}

TEST(CartesianMotion, ATwistTheJointsCannotMakeIsNamed) {
  const Model model = planar_arm(3);
  const Pose<double> from = pose_at(model, model.frame("tip"), Eigen::Vector3d(0.2, 0.5, 0.3));
  const Pose<double> to{rotation_x(0.5) * from.rotation, from.position};  // out of the plane
  const auto path = std::make_shared<LinePath>(from, to);
  const PathMotion motion(path, std::make_shared<Polynomial345>(0, path->length(), 1));
  CartesianMotionOptions options;
  options.start = Eigen::Vector3d(0.2, 0.5, 0.3);
  EXPECT_THROW(CartesianMotion(model, model.frame("tip"), motion, options), ComputationError);
}

TEST(CartesianMotion, BadInputIsRefused) {
  const auto path = std::make_shared<LinePath>(Pose<double>::translation({1, 0, 0}),
                                               Pose<double>::translation({1, 1, 0}));
  const PathMotion motion(path, std::make_shared<Polynomial345>(0, path->length(), 1));
  CartesianMotionOptions options;
  options.start = Eigen::VectorXd::Zero(5);
  EXPECT_THROW(CartesianMotion(planar_arm(2), 1, motion, options), InputError);
  EXPECT_THROW(CartesianMotion(planar_arm(2), 99, motion), InputError);
  testing::Generator g(3);
  testing::RobotRecipe recipe;
  recipe.types = {JointType::spherical};
  recipe.bodies = 2;
  const Model balls(testing::random_robot(g, recipe));
  EXPECT_THROW(CartesianMotion(balls, 1, motion), InputError);
}

}  // namespace
}  // namespace ulna
