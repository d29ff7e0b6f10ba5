// Rotations in their different forms describe the same turn, at every angle from 1e-300 to pi.

#include "ulna/spatial/rotation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "support/near.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using std::numbers::pi;
using testing::epsilon;
using testing::largest;

const std::vector<double> angles = {1e-300, 1e-200,    1e-160,    1e-100,     1e-20,      1e-16,
                                    1e-12,  1e-8,      1e-7,      1e-5,       1e-3,       0.1,
                                    0.5,    1,         2,         2.5,        3,          3.1,
                                    3.14,   pi - 1e-5, pi - 1e-8, pi - 1e-12, pi - 1e-15, pi};

/// Axes along and close to the coordinate axes and diagonals, then random ones.
std::vector<Vector3<double>> unit_axes() {
  std::vector<Vector3<double>> axes = {
      {1, 0, 0},    {0, 1, 0},         {0, 0, 1},         {-1, 0, 0}, {0, -1, 0},
      {0, 0, -1},   {1, 1, 0},         {0, -1, 1},        {1, 1, 1},  {1, -1, 1},
      {1, 1e-9, 0}, {1e-17, 1, -1e-8}, {-1e-12, 1e-5, -1}};
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 50; ++i) axes.emplace_back(normal(random), normal(random), normal(random));
  for (auto& axis : axes) axis.normalize();
  return axes;
}

/// Distance of two rotation vectors over the angle; w and its continuation beyond a half turn
/// (length - 2 pi) are the same rotation.
double relative_distance(const Vector3<double>& a, const Vector3<double>& w) {
  const double angle = std::hypot(w.x(), w.y(), w.z());
  const Vector3<double> axis = w / angle;
  const Vector3<double> u = a / angle;
  return std::min((u - axis).norm(), (u - axis * ((angle - 2 * pi) / angle)).norm());
}

TEST(Rotation, MatrixOfAnAxisTurnsTheOtherTwoRightHanded) {
  const Vector3<double> x(1, 0, 0), y(0, 1, 0), z(0, 0, 1);
  EXPECT_LE((rotation_x(pi / 2) * y - z).norm(), epsilon);
  EXPECT_LE((rotation_y(pi / 2) * z - x).norm(), epsilon);
  EXPECT_LE((rotation_z(pi / 2) * x - y).norm(), epsilon);
  for (const double a : {-2.0, 0.3, 3.0}) {
    EXPECT_LE(largest(rotation_about(x, a) - rotation_x(a)), 2 * epsilon);
    EXPECT_LE(largest(rotation_about(y, a) - rotation_y(a)), 2 * epsilon);
    EXPECT_LE(largest(rotation_about(z, a) - rotation_z(a)), 2 * epsilon);
  }
}

TEST(Rotation, LogarithmInvertsExponentialAtEveryAngle) {
  for (const auto& axis : unit_axes()) {
    for (const double angle : angles) {
      const Vector3<double> w = axis * angle;
      // Measured at most 3.2 epsilon over 1.2 million rotations; exp itself errs by a few.
      EXPECT_LE(relative_distance(log_rotation(exp_rotation(w)), w), 5 * epsilon) << angle;
      EXPECT_LE(relative_distance(log_quaternion(exp_quaternion(w)), w), 4 * epsilon) << angle;
      EXPECT_LE(relative_distance(log_quaternion(-exp_quaternion(w)), w), 4 * epsilon) << angle;
    }
  }
  EXPECT_EQ(log_rotation(Matrix3<double>::Identity()), Vector3<double>::Zero());
  EXPECT_EQ(exp_rotation(Vector3<double>::Zero()), Matrix3<double>::Identity());
}

TEST(Rotation, AllFormsGiveTheSameMatrix) {
  for (const auto& axis : unit_axes()) {
    for (const double angle : angles) {
      const Vector3<double> w = axis * angle;
      const Matrix3<double> R = exp_rotation(w);
      EXPECT_TRUE(is_rotation(R, 16 * epsilon)) << angle;
      EXPECT_LE(largest(rotation_about(axis, angle) - R), 16 * epsilon) << angle;
      EXPECT_LE(largest(rotation_from_quaternion(exp_quaternion(w)) - R), 16 * epsilon) << angle;
      EXPECT_LE(largest(rotation_from_quaternion(quaternion_from_rotation(R)) - R), 16 * epsilon);
      const AxisAngle turn = axis_angle_from_rotation(R);
      EXPECT_NEAR(turn.axis.norm(), 1, 4 * epsilon);
      EXPECT_LE(largest(rotation_about(turn.axis, turn.angle) - R), 16 * epsilon) << angle;
    }
  }
}

TEST(Rotation, TurnsBeyondAHalfTurnComeBackAsTheShortestOne) {
  const Vector3<double> axis = Vector3<double>(1, -2, 3).normalized();
  const Vector3<double> w = log_rotation(exp_rotation(axis * (pi + 0.5)));
  EXPECT_LE((w + axis * (pi - 0.5)).norm(), 16 * epsilon);
  const Vector3<double> v = log_rotation(exp_rotation(axis * (20 * pi + 0.5)));
  EXPECT_LE((v - axis * 0.5).norm(), 20 * pi * 4 * epsilon);
}

TEST(Rotation, QuaternionOfAHalfTurnHasAPositiveFirstComponent) {
  const Matrix3<double> about_y = Vector3<double>(-1, 1, -1).asDiagonal();
  EXPECT_EQ(quaternion_from_rotation(about_y), Quaternion<double>(0, 0, 1, 0));
  const Vector3<double> u = Vector3<double>(0, -0.6, 0.8);
  const Matrix3<double> R = 2 * u * u.transpose() - Matrix3<double>::Identity();
  EXPECT_LE((quaternion_from_rotation(R) - Quaternion<double>(0, 0, 0.6, -0.8)).norm(),
            4 * epsilon);
  EXPECT_NEAR(log_rotation(R).norm(), pi, 4 * epsilon);
}

TEST(Rotation, QuaternionsMultiplyLikeMatrices) {
  const Quaternion<double> q_AB = exp_quaternion({0.3, -1, 0.4});
  const Quaternion<double> q_BC = exp_quaternion({-2, 0.1, 0.7});
  const Matrix3<double> R_AC = rotation_from_quaternion(q_AB) * rotation_from_quaternion(q_BC);
  const Quaternion<double> q_AC = quaternion_product(q_AB, q_BC);
  EXPECT_LE(largest(rotation_from_quaternion(q_AC) - R_AC), 8 * epsilon);
  EXPECT_LE((quaternion_product(q_AB, quaternion_conjugate(q_AB)) - Quaternion<double>(1, 0, 0, 0))
                .norm(),
            4 * epsilon);
}

TEST(Rotation, QuaternionRateFollowsAConstantAngularVelocity) {
  // q(t) = q exp(w t) with w in body axes, so the rate is the central difference of that.
  const Quaternion<double> q = exp_quaternion({0.3, -1, 0.4});
  const Vector3<double> w_body(0.5, 2, -1);
  const double h = 1e-5;
  const Quaternion<double> difference = (quaternion_product(q, exp_quaternion(w_body * h)) -
                                         quaternion_product(q, exp_quaternion(w_body * -h))) /
                                        (2 * h);
  // Truncation |w|^3 h^2 / 48 and rounding epsilon / h are both near 1e-11.
  EXPECT_LE((quaternion_rate(q, w_body) - difference).norm(), 1e-10);
  EXPECT_NEAR(q.dot(quaternion_rate(q, w_body)), 0, 4 * epsilon);  // the length does not change
}

TEST(Rotation, PoseOfATwistInvertsAtEveryAngle) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const auto& axis : unit_axes()) {
    for (const double angle : angles) {
      Vector6<double> twist;
      twist << axis * angle, normal(random), normal(random), normal(random);
      const Pose<double> X = exp_twist(twist);
      const Vector6<double> back = log_pose(X);
      const double length = twist.tail<3>().norm();
      EXPECT_LE(relative_distance(back.head<3>(), twist.head<3>()), 5 * epsilon) << angle;
      if (angle < 3.14159) {
        EXPECT_LE((back - twist).tail<3>().norm(), 16 * epsilon * length) << angle;
      }
      // Beside a half turn another twist may come out; it must lead to the same pose.
      const Pose<double> again = exp_twist(back);
      EXPECT_LE((again.position - X.position).norm(), 16 * epsilon * length) << angle;
      EXPECT_LE(largest(again.rotation - X.rotation), 24 * epsilon) << angle;
    }
  }
}

TEST(Rotation, HalfATwistTwiceIsTheWholeTwist) {
  Vector6<double> twist;
  twist << 0.4, -1.1, 0.8, 2, -0.3, 1;
  const Pose<double> half = exp_twist(twist / 2), whole = exp_twist(twist);
  EXPECT_LE(largest((half * half).matrix() - whole.matrix()), 16 * epsilon);
  // A screw about z through a point: the axis stays, the pitch is the shift along it.
  Vector6<double> screw;
  screw << 0, 0, pi / 2, 0, -pi / 2, 0.7;  // axis through (1, 0, 0)
  EXPECT_LE((exp_twist(screw) * Vector3<double>(1, 0, 0) - Vector3<double>(1, 0, 0.7)).norm(),
            4 * epsilon);
}

TEST(Rotation, ShortestTurnBetweenTwoDirectionsIsAboutTheirCommonNormal) {
  for (const Vector3<double>& u : unit_axes()) {
    const Vector3<double> x = u.unitOrthogonal(), y = u.cross(x);
    for (const double angle : angles) {
      const Vector3<double> a = x, b = std::cos(angle) * x + std::sin(angle) * y;
      const Matrix3<double> R = turn_between(3 * a, 0.1 * b);
      EXPECT_TRUE(is_rotation(R, 16 * epsilon)) << angle;
      EXPECT_LE((R * a.normalized() - b.normalized()).norm(), 4 * epsilon) << angle;
      // Rounding of a and b by epsilon turns their normal by epsilon over the sine of their angle.
      const double sine = std::sin(angle);
      if (sine < 1e-14) continue;
      EXPECT_LE(largest(R - rotation_about(u, angle)), 8 * epsilon * (1 + 1 / sine)) << angle;
    }
  }
}

TEST(Rotation, ShortestTurnBetweenCoordinateAxesIsExact) {
  const Vector3<double> x(1, 0, 0), y(0, 1, 0), z(0, 0, 1);
  for (const auto& a : {x, y, z}) {
    EXPECT_EQ(turn_between(a, a), (Matrix3<double>::Identity()));
    for (const auto& b : {x, y, z}) EXPECT_EQ(turn_between(a, b) * a, b);
    EXPECT_EQ(turn_between(a, -a) * a, -a);
  }
  // Opposite vectors leave the axis open; from z to -z it is x.
  EXPECT_EQ(turn_between(z, -z) * x, x);
  // The least inclination decides it: z and (1e-20, 0, -1) are perpendicular to y.
  EXPECT_EQ(turn_between(z, {1e-20, 0, -1}) * y, y);
}

TEST(Rotation, NearestRotationUndoesAStretch) {
  const Matrix3<double> R = exp_rotation({1, -0.7, 2});
  Matrix3<double> stretch;
  stretch << 1.3, 0.2, 0.1, 0.2, 0.8, -0.1, 0.1, -0.1, 2;
  EXPECT_LE(largest(nearest_rotation(R * stretch) - R), 16 * epsilon);
  EXPECT_TRUE(is_rotation(nearest_rotation(R * stretch), 16 * epsilon));
  EXPECT_LE(largest(nearest_rotation(R) - R), 16 * epsilon);
}

TEST(Rotation, NearestRotationOfAReflectionIsProperAndNearest) {
  const Matrix3<double> flip = Vector3<double>(1, 0.9, -0.5).asDiagonal();
  const Matrix3<double> R = nearest_rotation(flip);
  EXPECT_LE(largest(R - Matrix3<double>::Identity()), 16 * epsilon);
  EXPECT_FALSE(is_rotation(Vector3<double>(1, 1, -1).asDiagonal()));
}

TEST(Rotation, NearestRotationSaysWhenItIsNotUnique) {
  const Vector3<double> u(1, 2, 3);
  EXPECT_THROW(nearest_rotation(u * u.transpose()), ComputationError);
  EXPECT_THROW(nearest_rotation(Matrix3<double>::Zero()), ComputationError);
  EXPECT_THROW(nearest_rotation(-Matrix3<double>::Identity()), ComputationError);
  Matrix3<double> broken = Matrix3<double>::Identity();
  broken(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(nearest_rotation(broken), ComputationError);
  EXPECT_FALSE(is_rotation(broken));
}

}  // namespace
}  // namespace ulna
