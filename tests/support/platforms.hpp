#pragma once
// Platforms for tests: the DDTS by the builder, random poses and rates around home.

#include <Eigen/Geometry>
#include <cmath>

#include "support/random_robot.hpp"
#include "ulna/kinematics/platform_kinematics.hpp"

namespace ulna::testing {

inline const double degree = M_PI / 180;

/// NASA's Dynamic Docking Test System after Lim, Freeman and Tesar 1989, without gravity.
inline PlatformData ddts_platform() {
  constexpr double angle[] = {0, 5, 120, 125, 240, 245};
  PlatformData data;
  data.name = "ddts";
  data.gravity.setZero();
  data.inertial.mass = 2250;
  data.inertial.inertia = Vector3<double>(2250, 2250, 4500).asDiagonal();
  data.home.rotation << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  data.home.position = {3, 0, 0};
  for (int k = 0; k < 6; ++k) {
    const double b = angle[k] * degree, p = angle[(k + 1) % 6] * degree;
    PlatformLeg leg;
    leg.name = "leg" + std::to_string(k + 1);
    leg.base = {0, 3 * std::cos(b), 3 * std::sin(b)};
    leg.platform = {2 * std::cos(p), 2 * std::sin(p), 0};
    leg.axis = {0, -std::sin(b), std::cos(b)};
    leg.zero = {1, 0, 0};
    leg.cross.mass = 10;
    leg.cross.inertia = Vector3<double>(0.018, 0.009, 0.009).asDiagonal();
    leg.cylinder = {200, {0, 0, 1.5}, Vector3<double>(150, 150, 0).asDiagonal()};
    leg.rod = {175, {0, 0, -1.5}, Vector3<double>(131.25, 131.25, 0).asDiagonal()};
    leg.drive.lower = 3;
    leg.drive.upper = 6;
    leg.radius = 0.06;
    data.legs.push_back(leg);
  }
  return data;
}

/// The pose of the DDTS turned about X by theta (rad).
inline Pose<double> ddts_pose(const Vector3<double>& U, double theta) {
  const Matrix3<double> turn =
      Eigen::AngleAxisd(theta, Vector3<double>::UnitX()).toRotationMatrix();
  return {turn * ddts_platform().home.rotation, U};
}

/// Within the platform's freedom, up to `length` metres and `angle` radians from home.
inline Pose<double> random_pose(Generator& g, const Platform& platform, double length,
                                double angle) {
  Eigen::VectorXd u = random_entries(g, platform.dof(), length);
  if (platform.freedom() == PlatformFreedom::spatial) u.head<3>() = random_entries(g, 3, angle);
  if (platform.freedom() == PlatformFreedom::planar) u(2) = uniform(g, -angle, angle);
  const Vector6<double> step = platform.basis() * u;
  Pose<double> pose = platform.data().home;
  pose.position += step.tail<3>();
  const double turn = step.head<3>().norm();
  if (turn > 0)
    pose.rotation =
        Eigen::AngleAxisd(turn, step.head<3>() / turn).toRotationMatrix() * pose.rotation;
  return pose;
}
inline Twist<double> random_twist(Generator& g, const Platform& platform, double size = 1) {
  return Twist<double>::from_vector(platform.basis() * random_entries(g, platform.dof(), size));
}

}  // namespace ulna::testing
