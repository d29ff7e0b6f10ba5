// Inertias add, move between frames as their matrices do, and are refused when no body can have
// them.

#include "ulna/spatial/inertia.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "ulna/spatial/rotation.hpp"
#include "ulna/spatial/twist.hpp"

namespace ulna {
namespace {

using Mat3 = Matrix3<double>;
using Vec3 = Vector3<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();
// Entries are of size 100; each is a sum of about ten products.
constexpr double inertia_rounding = 1000 * std::numeric_limits<double>::epsilon();

Mat3 diagonal(double a, double b, double c) { return Vec3(a, b, c).asDiagonal(); }

Inertia<double> some_body() {
  Mat3 about_centre;
  about_centre << 2, 0.1, -0.2, 0.1, 1.5, 0.3, -0.2, 0.3, 1.2;
  return Inertia<double>::from_centre(4, Vec3(0.5, -1, 2), about_centre);
}

bool mentions(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

TEST(Inertia, TransformIsTheCongruenceOfTheSixBySixMatrix) {
  const Inertia<double> I_B = some_body();
  for (int i = 0; i < 10; ++i) {
    const Pose<double> X_AB{exp_rotation(Vec3(0.3 * i, 1 - 0.4 * i, 0.7)), Vec3(i, 2, -0.5 * i)};
    const Matrix6<double> adjoint_BA = adjoint(X_AB.inverse());
    const Matrix6<double> expected = adjoint_BA.transpose() * I_B.matrix() * adjoint_BA;
    EXPECT_LE((transform(X_AB, I_B).matrix() - expected).norm(),
              inertia_rounding * expected.norm());
  }
}

TEST(Inertia, TransformsComposeAndInvert) {
  const Pose<double> X_AB{rotation_x(0.4), Vec3(1, 2, 3)}, X_BC{rotation_z(2.0), Vec3(-1, 0, 2)};
  const Inertia<double> I_C = some_body();
  EXPECT_LE((transform(X_AB, transform(X_BC, I_C)).matrix() - transform(X_AB * X_BC, I_C).matrix())
                .norm(),
            inertia_rounding);
  EXPECT_LE((transform(X_AB.inverse(), transform(X_AB, I_C)).matrix() - I_C.matrix()).norm(),
            inertia_rounding);
}

TEST(Inertia, PseudoInertiaTransformsWithThePoseMatrix) {
  const Pose<double> X_AB{exp_rotation(Vec3(1, 2, -0.5)), Vec3(0.3, -2, 1)};
  const Matrix4<double> X = X_AB.matrix();
  const Matrix4<double> expected = X * some_body().pseudo() * X.transpose();
  EXPECT_LE((transform(X_AB, some_body()).pseudo() - expected).norm(),
            inertia_rounding * expected.norm());
}

TEST(Inertia, OfTwoPointsIsTheSumAndTheSameAboutTheCommonCentre) {
  const Vec3 a(1, 0, 0), b(-1, 2, 0);
  Inertia<double> sum = Inertia<double>::from_centre(1, a, Mat3::Zero());
  sum += Inertia<double>::from_centre(3, b, Mat3::Zero());
  const Vec3 centre = (a + 3 * b) / 4;
  const Mat3 about_centre =
      Inertia<double>::parallel_axis(1, a - centre) + Inertia<double>::parallel_axis(3, b - centre);
  const auto whole = Inertia<double>::from_centre(4, centre, about_centre);
  EXPECT_LE((sum.matrix() - whole.matrix()).norm(), inertia_rounding);
}

TEST(Inertia, MasslessPointRodAndLaminaArePossible) {
  EXPECT_EQ(why_impossible(0, Mat3::Zero()), "");
  EXPECT_EQ(why_impossible(2, Mat3::Zero()), "");
  EXPECT_EQ(why_impossible(2, diagonal(1, 1, 0)), "");      // rod along z
  EXPECT_EQ(why_impossible(2, diagonal(0.3, 0.7, 1)), "");  // lamina in the xy plane
  EXPECT_EQ(why_impossible(2, diagonal(1, 1, 1)), "");
  const Mat3 R = exp_rotation(Vec3(0.5, 1, -2));
  const Mat3 lamina = R * diagonal(0.3, 0.7, 1) * R.transpose();
  EXPECT_EQ(why_impossible(2, lamina), "");
}

TEST(Inertia, RoundedTablesPass) {
  EXPECT_EQ(why_impossible(1, diagonal(0.3333333333, 0.6666666666, 1.0)), "");
}

TEST(Inertia, WhatIsImpossibleIsNamed) {
  EXPECT_TRUE(mentions(why_impossible(-1, diagonal(1, 1, 1)), "mass -1 is negative"));
  EXPECT_TRUE(mentions(why_impossible(1, diagonal(-0.5, 1, 1)), "principal moment -0.5"));
  const std::string triangle = why_impossible(1, diagonal(1, 5, 2));
  EXPECT_TRUE(mentions(triangle, "triangle inequality: 1 + 2 < 5")) << triangle;
  EXPECT_TRUE(mentions(why_impossible(infinity, Mat3::Zero()), "mass is inf"));
  Mat3 broken = diagonal(1, 1, 1);
  broken(0, 2) = 0.5;
  EXPECT_TRUE(mentions(why_impossible(1, broken), "not symmetric"));
  broken(0, 2) = infinity;
  EXPECT_TRUE(mentions(why_impossible(1, broken), "not a finite number"));
}

TEST(Inertia, TheTriangleIsThatOfThePrincipalMoments) {
  // Each diagonal entry passes the triangle inequality, the principal moments 0.1, 1.9, 2.5 do not.
  const Mat3 R = rotation_z(0.7) * rotation_x(1.1);
  const Mat3 turned = R * diagonal(0.1, 1.9, 2.5) * R.transpose();
  const double a = turned(0, 0), b = turned(1, 1), c = turned(2, 2);
  EXPECT_TRUE(a + b > c && b + c > a && c + a > b);
  EXPECT_TRUE(mentions(why_impossible(1, turned), "triangle inequality"));
}

}  // namespace
}  // namespace ulna
