// Motions of a frame: paths and their time laws.

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_robot.hpp"
#include "ulna/motion/kernels/polynomial_345.hpp"
#include "ulna/motion/pose_path.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using testing::Generator;
using testing::random_rotation;
using testing::random_vector;

Pose<double> random_pose(Generator& g) { return {random_rotation(g), random_vector(g, 1)}; }

void expect_pose(const Pose<double>& a, const Pose<double>& b, double tolerance) {
  EXPECT_LT((a.position - b.position).norm(), tolerance);
  EXPECT_LT((a.rotation - b.rotation).norm(), tolerance);
}

/// Twist and acceleration against central differences of the pose and the twist.
void expect_consistent(const PoseMotion& motion, double t) {
  const double h = 1e-5;
  const PoseMotionValue a = motion.at(t - h), b = motion.at(t + h), x = motion.at(t);
  const Vector3<double> w = log_rotation(b.pose.rotation * a.pose.rotation.transpose()) / (2 * h);
  EXPECT_LT((w - x.twist.angular).norm(), 1e-8) << t;
  EXPECT_LT(((b.pose.position - a.pose.position) / (2 * h) - x.twist.linear).norm(), 1e-8) << t;
  const Vector6<double> dV = (b.twist.vector() - a.twist.vector()) / (2 * h);
  // h^2/6 times the third derivative of the velocity, up to 24000 in the short ramps below.
  EXPECT_LT((dV - x.acceleration.vector()).norm(), 1e-6) << t;
  EXPECT_TRUE(is_rotation(x.pose.rotation, 1e-14));
}

ScalarMotionPtr law(const PosePath& path, double time) {
  return std::make_shared<Polynomial345>(0, path.length(), time);
}

TEST(LinePath, LeadsFromPoseToPose) {
  Generator g(1);
  for (int k = 0; k < 20; ++k) {
    const Pose<double> from = random_pose(g), to = random_pose(g);
    const auto path = std::make_shared<LinePath>(from, to);
    EXPECT_NEAR(path->length(), (to.position - from.position).norm(), 1e-15);
    const PathMotion motion(path, law(*path, 2));
    expect_pose(motion.at(0).pose, from, 1e-15);
    expect_pose(motion.at(2).pose, to, 1e-14);
    for (const double t : {0.3, 1.0, 1.6}) {
      expect_consistent(motion, t);
      const Vector3<double> off =
          (motion.at(t).pose.position - from.position).cross(to.position - from.position);
      EXPECT_LT(off.norm(), 1e-14) << "on the line";
    }
  }
  const Pose<double> from = random_pose(g);
  const auto turn = std::make_shared<LinePath>(
      from, Pose<double>{from.rotation * rotation_x(0.5), from.position});
  EXPECT_NEAR(turn->length(), 0.5, 1e-14) << "a turn on the spot is measured in radians";
  expect_consistent(PathMotion(turn, law(*turn, 1)), 0.4);
  EXPECT_THROW(LinePath(from, from), InputError);
}

TEST(ScrewPath, IsTheSameFromEveryPointAndFrame) {
  Generator g(2);
  for (int k = 0; k < 20; ++k) {
    const Pose<double> from = random_pose(g), to = random_pose(g), world = random_pose(g),
                       tool = random_pose(g);
    const auto path = std::make_shared<ScrewPath>(from, to);
    const PathMotion motion(path, law(*path, 2));
    expect_pose(motion.at(0).pose, from, 1e-14);
    expect_pose(motion.at(2).pose, to, 1e-13);
    for (const double t : {0.3, 1.0, 1.6}) expect_consistent(motion, t);
    const ScrewPath seen(world * from * tool, world * to * tool);
    expect_pose(seen.at(0.3).pose, world * path->at(0.3).pose * tool, 1e-13);
  }
}

TEST(CirclePath, KeepsItsRadiusAndComesRound) {
  Generator g(3);
  for (const auto rotation : {CirclePath::Rotation::fixed, CirclePath::Rotation::turning}) {
    const Pose<double> from = random_pose(g);
    const Vector3<double> centre = random_vector(g), axis = random_vector(g);
    const auto path = std::make_shared<CirclePath>(from, centre, axis, -2 * M_PI, rotation);
    const PathMotion motion(path, law(*path, 3));
    expect_pose(motion.at(3).pose, from, 1e-14);
    const double radius = (from.position - centre).cross(axis.normalized()).norm();
    EXPECT_NEAR(path->length(), 2 * M_PI * radius, 1e-14);
    for (const double t : {0.5, 1.5, 2.2}) {
      expect_consistent(motion, t);
      EXPECT_NEAR((motion.at(t).pose.position - centre).cross(axis.normalized()).norm(), radius,
                  1e-14);
    }
  }
  EXPECT_THROW(CirclePath(Pose<double>::identity(), {0, 0, 1}, {0, 0, 1}, 1), InputError);
  EXPECT_THROW(CirclePath(Pose<double>::identity(), {1, 0, 1}, {0, 0, 0}, 1), InputError);
}

const std::vector<Vector3<double>> corner{{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {1, 2, 3}};

TEST(PolylinePath, ArcsTouchBothLegs) {
  const PolylinePath path(corner, Matrix3<double>::Identity(), 0.3);
  // Right angles: radius 0.3, each corner cuts 2 * 0.3 - 0.3 pi/2 off the way.
  EXPECT_NEAR(path.length(), 6 - 2 * (0.6 - 0.15 * M_PI), 1e-14);
  EXPECT_NEAR(path.smallest_radius(), 0.3, 1e-15);
  for (const double s : path.breaks()) {
    const PoseMotionValue a = path.at(s - 1e-12), b = path.at(s + 1e-12);
    EXPECT_LT((a.pose.position - b.pose.position).norm(), 1e-11);
    EXPECT_LT((a.twist.linear - b.twist.linear).norm(), 1e-10) << "the direction does not jump";
  }
  for (double s = 0; s <= path.length(); s += 0.05)
    EXPECT_NEAR(path.at(s).twist.linear.norm(), 1, 1e-14);
  EXPECT_LT((path.at(path.length()).pose.position - corner.back()).norm(), 1e-14);
}

TEST(PolylinePath, ConstantSpeedHasTheAccelerationOfTheArc) {
  const auto path = std::make_shared<PolylinePath>(corner, Matrix3<double>::Identity(), 0.3);
  const PathMotion motion = constant_speed(path, 2, 0.1);
  EXPECT_NEAR(motion.duration(), path->length() / 2 + 0.1, 1e-14);
  EXPECT_NEAR(motion.at(0).twist.linear.norm(), 0, 1e-15);
  const double t = 0.05 + path->corners()[0] / 2;
  EXPECT_NEAR(motion.at(t).twist.linear.norm(), 2, 1e-14);
  EXPECT_NEAR(motion.at(t).acceleration.linear.norm(), 4 / 0.3, 1e-12);
  EXPECT_EQ(motion.breakpoints().size(), 6u) << "both ends, two arcs";
  for (const double x : {0.05, 0.3, t, 1.0, 2.6}) expect_consistent(motion, x);
  expect_pose(motion.at(motion.duration()).pose, {Matrix3<double>::Identity(), corner.back()},
              1e-14);
}

TEST(PolylinePath, WithARampHasATrapezoidOfSpeedOnEachLeg) {
  const std::vector<Vector3<double>> points = {{0, 0, 0}, {1, 0, 0}, {1, 0.05, 0}, {1, 0.05, 2}};
  const auto path = std::make_shared<PolylinePath>(points, Matrix3<double>::Identity());
  // 0.5 m/s after 0.4 s: 1.25 m/s^2; the short leg turns round before it reaches the speed.
  const PathMotion motion = trapezoids_between_corners(path, 0.5, 0.4);
  const double first = 1 / 0.5 + 0.4, second = 2 * std::sqrt(0.05 / 1.25), third = 2 / 0.5 + 0.4;
  EXPECT_NEAR(motion.duration(), first + second + third, 1e-14);
  EXPECT_LT((motion.at(first).pose.position - points[1]).norm(), 1e-14);
  EXPECT_LT(motion.at(first - 1e-9).twist.linear.norm(), 1e-8);
  EXPECT_LT((motion.at(0.2).acceleration.linear - Vector3<double>(1.25, 0, 0)).norm(), 1e-13);
  EXPECT_LT((motion.at(1).twist.linear - Vector3<double>(0.5, 0, 0)).norm(), 1e-13);
  EXPECT_LT((motion.at(first - 0.1).acceleration.linear + Vector3<double>(1.25, 0, 0)).norm(),
            1e-13);
  double fastest = 0;
  for (double t = 0; t < motion.duration(); t += 1e-3)
    fastest = std::max(fastest, motion.at(t).twist.linear.norm());
  EXPECT_NEAR(fastest, 0.5, 1e-13);
}

TEST(PolylinePath, StopsAtSharpCorners) {
  const auto path = std::make_shared<PolylinePath>(corner, Matrix3<double>::Identity());
  EXPECT_THROW(constant_speed(path, 1), InputError);
  const PathMotion motion = stop_at_corners(path, 1);
  EXPECT_NEAR(motion.duration(), 1.875 * 6, 1e-13) << "peak speed 1 on legs of 1, 2 and 3 m";
  for (const double t : {1.875, 3 * 1.875}) EXPECT_LT(motion.at(t).twist.linear.norm(), 1e-13);
  EXPECT_LT((motion.at(1.875).pose.position - corner[1]).norm(), 1e-14);
  expect_consistent(motion, 1.0);
}

TEST(PolylinePath, BadInputIsRefused) {
  const Matrix3<double> I = Matrix3<double>::Identity();
  EXPECT_THROW(PolylinePath({{0, 0, 0}}, I), InputError);
  EXPECT_THROW(PolylinePath({{0, 0, 0}, {0, 0, 0}}, I), InputError);
  EXPECT_THROW(PolylinePath({{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}, I, 0.1), InputError);
  EXPECT_THROW(PolylinePath(corner, I, -1), InputError);
  EXPECT_THROW(PolylinePath(corner, 2 * I), InputError);
  EXPECT_THROW(PolylinePath({{0, 0, 0}, {NAN, 0, 0}}, I), InputError);
  const auto path = std::make_shared<PolylinePath>(corner, I, 0.1);
  EXPECT_THROW(PathMotion(path, std::make_shared<Polynomial345>(0, 100, 1)), InputError);
  EXPECT_THROW(constant_speed(path, 0), InputError);
  EXPECT_THROW(constant_speed(path, 1, 100), InputError);
  const PolylinePath straight({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, I);
  EXPECT_TRUE(straight.sharp_corners().empty()) << "a point on a straight line is no corner";
}

}  // namespace
}  // namespace ulna
