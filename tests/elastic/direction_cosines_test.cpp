// Five ways to the axes of a member: they agree, on the two members printed in the thesis too.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "ulna/elastic/internal/direction_cosines.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::elastic {
namespace {

using Way = Matrix3<double> (*)(const Vec3&, const Vec3&, const Vec3&);
constexpr Way ways[] = {member_axes_euler, member_axes_one_rotation, member_axes_orthogonality,
                        member_axes_angle, member_axes_plane};

void expect_all(const Vec3& A, const Vec3& B, const Vec3& P, double tolerance = 1e-12) {
  const Matrix3<double> R = member_axes(A, B, P);
  for (const Way way : ways)
    EXPECT_LT((way(A, B, P) - R).norm(), tolerance) << "way " << &way - ways << "\n"
                                                    << way(A, B, P);
  EXPECT_GT((R.transpose() * (P - A)).y(), 0);
  EXPECT_NEAR((R.transpose() * (P - A)).z(), 0, 1e-12 * (P - A).norm());
}

TEST(DirectionCosines, OfTheMembersOfTheThesis) {
  const Vec3 A(10, 10, 8.5), B(0, 0, 0), P(10, 10, 0);
  expect_all(A, B, P);
  // Printed to three digits; with P on the +y side, y and z have the other sign than printed.
  Matrix3<double> printed;
  printed << -0.606, 0.364, 0.707, -0.606, 0.364, -0.707, -0.515, -0.857, 0;
  EXPECT_LT((member_axes(A, B, P) - printed).cwiseAbs().maxCoeff(), 7e-4);

  const Vec3 C(0.543, 0.068, 0.856), D(2, 0.25, 0.5), Q(0, 10, 0);
  expect_all(C, D, Q);
  printed << 0.964, -0.139, 0.225, 0.120, 0.988, 0.096, -0.236, -0.066, 0.970;
  EXPECT_LT((member_axes(C, D, Q) - printed).cwiseAbs().maxCoeff(), 1e-3);
  const RotationAxis turn = rotation_axis(C, D, Q);
  EXPECT_NEAR(std::abs(turn.angle), 0.28, 5e-3);
  EXPECT_NEAR(turn.axis.y() * (turn.angle > 0 ? 1 : -1), 0.834, 5e-3);
}

TEST(DirectionCosines, OfVerticalMembersAndMembersAlongTheAxes) {
  for (const Vec3& d : {Vec3(0, 1, 0), Vec3(0, -1, 0), Vec3(0, 0, 1), Vec3(0, 0, -1),
                        Vec3(-1, 0, 0), Vec3(1, 0, 0)})
    for (const Vec3& r : {Vec3(0.3, 0.4, 1), Vec3(1, 0.2, 0.1), Vec3(0, 0.5, -1)}) {
      if (d.cross(r).norm() < 1e-9) continue;
      expect_all(Vec3(1, 2, 3), Vec3(1, 2, 3) + 2 * d, Vec3(1, 2, 3) + r, 1e-9);
    }
}

TEST(DirectionCosines, OfRandomMembers) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> u(-1, 1);
  const auto point = [&] { return Vec3(u(random), u(random), u(random)); };
  for (int k = 0; k < 200; ++k) expect_all(point(), point(), point(), 1e-8);
}

TEST(DirectionCosines, RefuseAMemberWithoutLengthOrReference) {
  EXPECT_THROW(member_axes(Vec3(1, 1, 1), Vec3(1, 1, 1), Vec3(0, 0, 0)), InputError);
  EXPECT_THROW(member_axes(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(3, 0, 0)), InputError);
}

}  // namespace
}  // namespace ulna::elastic
