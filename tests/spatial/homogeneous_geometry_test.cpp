// Points, lines, planes, common normals and frames.

#include "ulna/spatial/homogeneous_geometry.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using Vector = Vector3<double>;
constexpr double geometry_rounding = 1e-13;  // numbers of size 1 to 10

Vector random_vector() {
  static std::mt19937 engine{5};
  std::normal_distribution<double> normal;
  return {normal(engine), normal(engine), normal(engine)};
}

TEST(HomogeneousGeometry, ProjectionsAreTheNearestPoints) {
  const Vector a = random_vector(), b = random_vector(), c = random_vector(), x = random_vector();
  const Line line = line_through(a, b);
  const Plane plane = plane_through(a, b, c);
  EXPECT_NEAR(distance(b, line), 0, geometry_rounding);
  EXPECT_NEAR(distance(c, plane), 0, geometry_rounding);
  EXPECT_NEAR((x - project(x, line)).dot(line.direction), 0, geometry_rounding);
  EXPECT_NEAR((x - project(x, line)).norm(), distance(x, line), geometry_rounding);
  EXPECT_NEAR((x - project(x, plane)).cross(plane.normal).norm(), 0, geometry_rounding);
  EXPECT_NEAR((x - project(x, plane)).norm(), std::abs(distance(x, plane)), geometry_rounding);
  EXPECT_NEAR(distance(a + 2 * plane.normal, plane), 2, geometry_rounding);
  EXPECT_NEAR((point_between(a, b) - (a + b) / 2).norm(), 0, geometry_rounding);
  EXPECT_EQ(point_between(a, b, 1), b);
  EXPECT_NEAR(angle_between({1, 0, 0}, {-1, 1e-9, 0}), M_PI - 1e-9, 1e-15);
}

TEST(HomogeneousGeometry, IntersectionsLieOnBoth) {
  const Plane a = plane_across(random_vector(), random_vector());
  const Plane b = plane_across(random_vector(), random_vector());
  const Line line = intersection(a, b);
  for (double s : {0.0, 3.0}) {
    EXPECT_NEAR(distance(line.point + s * line.direction, a), 0, geometry_rounding);
    EXPECT_NEAR(distance(line.point + s * line.direction, b), 0, geometry_rounding);
  }
  EXPECT_NEAR(line.point.dot(line.direction), 0, geometry_rounding);
  const Line other = line_along(random_vector(), random_vector());
  const Vector point = intersection(other, a);
  EXPECT_NEAR(distance(point, a), 0, geometry_rounding);
  EXPECT_NEAR(distance(point, other), 0, geometry_rounding);
}

TEST(HomogeneousGeometry, TheCommonNormalIsAcrossBothLines) {
  for (int i = 0; i < 20; ++i) {
    const Line a = line_along(random_vector(), random_vector());
    const Line b = line_along(random_vector(), random_vector());
    const CommonNormal n = common_normal(a, b);
    EXPECT_EQ(n.kind, LinePair::skew);
    EXPECT_NEAR(distance(n.foot_a, a), 0, 10 * geometry_rounding);
    EXPECT_NEAR(distance(n.foot_b, b), 0, 10 * geometry_rounding);
    EXPECT_NEAR((n.foot_b - n.foot_a - n.distance * n.direction).norm(), 0,
                100 * geometry_rounding);
    EXPECT_NEAR(n.direction.dot(a.direction), 0, 10 * geometry_rounding);
    EXPECT_NEAR(n.direction.dot(b.direction), 0, 10 * geometry_rounding);
  }
}

TEST(HomogeneousGeometry, SpecialPairsOfLinesAreTold) {
  const Line x = line_along({1, 0, 0}, {2, 0, 0});
  const CommonNormal crossing = common_normal(x, line_along({3, 4, 0}, {0, 1, 0}));
  EXPECT_EQ(crossing.kind, LinePair::crossing);
  EXPECT_EQ(crossing.foot_a, Vector(3, 0, 0));
  EXPECT_EQ(crossing.direction, Vector(0, 0, 1));
  const CommonNormal parallel = common_normal(x, line_along({5, 0, 2}, {-1, 0, 0}));
  EXPECT_EQ(parallel.kind, LinePair::parallel);
  EXPECT_EQ(parallel.distance, 2);
  EXPECT_EQ(parallel.foot_b, Vector(1, 0, 2));
  EXPECT_EQ(common_normal(x, line_along({-7, 0, 0}, {1, 0, 0})).kind, LinePair::same);
}

TEST(HomogeneousGeometry, FramesFollowTheirTwoVectors) {
  const Vector origin = random_vector(), a = random_vector(), b = random_vector();
  for (const char* axes : {"xy", "xz", "yx", "yz", "zx", "zy"}) {
    const PositionMatrix<double> M = frame_from_points(origin, a, b, {axes[0], axes[1]});
    EXPECT_TRUE(is_rotation(M.rotation()));
    EXPECT_EQ(M.origin(), origin);
    const Vector first = M.rotation().col(axes[0] - 'x'), second = M.rotation().col(axes[1] - 'x');
    EXPECT_NEAR((first - (a - origin).normalized()).norm(), 0, geometry_rounding);
    EXPECT_GT(second.dot(b - origin), 0);
    EXPECT_NEAR(first.cross(b - origin).dot(second), 0, geometry_rounding);
  }
}

TEST(HomogeneousGeometry, WhatDoesNotExistIsRefused) {
  const Vector a(1, 2, 3);
  EXPECT_THROW(line_through(a, a), ComputationError);
  EXPECT_THROW(plane_through(a, 2 * a, 3 * a), ComputationError);
  EXPECT_THROW(intersection(plane_across(a, a), plane_across(2 * a, a)), ComputationError);
  EXPECT_THROW(intersection(line_along(a, {1, 0, 0}), Plane{}), ComputationError);
  EXPECT_THROW(frame_from_vectors(a, a, -a), ComputationError);
  EXPECT_THROW(frame_from_vectors(a, a, Vector(1, 0, 0), {'x', 'x'}), InputError);
}

}  // namespace
}  // namespace ulna
