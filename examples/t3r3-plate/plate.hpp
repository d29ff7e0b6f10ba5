#pragma once
// The cut of a square plate by the T3R3 arm, point by point (docs/theory/inverse-kinematics.md; the
// exact equations are those of the thesis that the arm is from, with their misprints corrected).

#include <Eigen/LU>
#include <cmath>
#include <vector>

#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/closed_form.hpp"
#include "ulna/kinematics/inverse_kinematics.hpp"

namespace plate {

struct Point {
  int number;
  Eigen::Vector3d position, velocity;
  Eigen::VectorXd q, v, a;           // by the general route
  Eigen::Vector3d exact_v, exact_a;  // by the 3x3 equations
};

constexpr double side = 0.5, speed = 1.27, step = 0.05;

/// The place and direction of motion at point k = 0 .. 39, from the upper corner on; at a corner
/// the edge that begins there counts.
inline void place(int k, Eigen::Vector3d& position, Eigen::Vector3d& direction) {
  const int edge = k / 10;
  const double along = (k % 10) * step;
  const Eigen::Vector3d corners[] = {{2, 0.25, 0.5}, {2, -0.25, 0.5}, {2, -0.25, 0}, {2, 0.25, 0}};
  direction = (corners[(edge + 1) % 4] - corners[edge]) / side;
  position = corners[edge] + along * direction;
}

/// Rates and accelerations of the arm for a tip that moves at a constant velocity.
inline void exact(const Eigen::VectorXd& q, const Eigen::Vector3d& velocity, Eigen::Vector3d& d,
                  Eigen::Vector3d& dd) {
  constexpr double l2 = 1.016, l3 = 1.5113;
  const double s1 = std::sin(q(0)), c1 = std::cos(q(0)), s2 = std::sin(q(1)), c2 = std::cos(q(1)),
               s23 = std::sin(q(1) + q(2)), c23 = std::cos(q(1) + q(2));
  const double R = l2 * c2 + l3 * c23, Z = l2 * s2 + l3 * s23;
  Eigen::Matrix3d V;
  V << -R * s1, -Z * c1, -l3 * s23 * c1, R * c1, -Z * s1, -l3 * s23 * s1, 0, R, l3 * c23;
  const Eigen::PartialPivLU<Eigen::Matrix3d> solver(V);
  d = solver.solve(velocity);
  const double d1 = d(0), d2 = d(1), d3 = d(2);
  const Eigen::Vector3d rest(
      2 * s1 * Z * d1 * d2 + 2 * l3 * s1 * s23 * d1 * d3 - 2 * l3 * c23 * c1 * d2 * d3 -
          R * c1 * (d1 * d1 + d2 * d2) - l3 * c23 * c1 * d3 * d3,
      -2 * Z * c1 * d1 * d2 - 2 * l3 * s23 * c1 * d1 * d3 - 2 * l3 * c23 * s1 * d2 * d3 -
          R * s1 * (d1 * d1 + d2 * d2) - l3 * c23 * s1 * d3 * d3,
      -Z * d2 * d2 - 2 * l3 * s23 * d2 * d3 - l3 * s23 * d3 * d3);
  dd = solver.solve(-rest);
}

/// All forty points, on the branch with the elbow up that the printed table follows.
inline std::vector<Point> cut(const ulna::Model& model) {
  ulna::Workspace work(model);
  const int tip = model.frame("tip");
  std::vector<Point> points;
  // 7.125, 57.436 and 288.929 degrees: where the table begins.
  Eigen::VectorXd last = Eigen::Vector3d(0.12435, 1.00244, -1.24044);
  for (int k = 0; k < 40; ++k) {
    Point point;
    point.number = k + 1;
    Eigen::Vector3d direction;
    place(k, point.position, direction);
    point.velocity = speed * direction;
    double nearest = 1e9;
    for (Eigen::VectorXd q : ulna::closed_form_positions(model, tip, point.position)) {
      for (int j = 0; j < 3; ++j) q(j) = last(j) + std::remainder(q(j) - last(j), 2 * M_PI);
      if ((q - last).norm() < nearest) point.q = q, nearest = (q - last).norm();
    }
    last = point.q;
    ulna::Vector6<double> twist = ulna::Vector6<double>::Zero(), none = twist;
    twist.tail<3>() = point.velocity;
    point.v = ulna::joint_rates(model, work, point.q, tip, twist, true).value;
    point.a = ulna::joint_accelerations(model, work, point.q, point.v, tip, none, true).value;
    exact(point.q, point.velocity, point.exact_v, point.exact_a);
    points.push_back(point);
  }
  return points;
}

}  // namespace plate
