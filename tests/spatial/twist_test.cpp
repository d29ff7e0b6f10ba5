// Twists, wrenches and momentum seen from different frames tell of the same motion.

#include "ulna/spatial/twist.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "random_spatial.hpp"
#include "ulna/spatial/rotation.hpp"
#include "ulna/spatial/wrench.hpp"

namespace ulna {
namespace {

using testing::Random;

// Numbers here are of size 1 to 10 and each result takes about ten roundings.
constexpr double twist_rounding = 100 * std::numeric_limits<double>::epsilon();

template <class T>
void expect_same(const T& a, const T& b) {
  EXPECT_LE((a.vector() - b.vector()).norm(), twist_rounding * (1 + b.vector().norm()));
}

TEST(Twist, TransformsCompose) {
  Random random(17, 2);
  for (int i = 0; i < 20; ++i) {
    const Pose<double> X_AB = random.pose(), X_BC = random.pose();
    const Twist<double> V_C = random.twist();
    expect_same(transform(X_AB, transform(X_BC, V_C)), transform(X_AB * X_BC, V_C));
    expect_same(transform_inverse(X_AB, V_C), transform(X_AB.inverse(), V_C));
    expect_same(transform_inverse(X_AB, transform(X_AB, V_C)), V_C);
    expect_same(Twist<double>::from_vector(adjoint(X_AB) * V_C.vector()), transform(X_AB, V_C));
  }
}

TEST(Twist, AMaterialPointHasOneVelocity) {
  Random random(17, 2);
  const Pose<double> X_AB = random.pose();
  const Twist<double> V_B = random.twist();
  const Vector3<double> point_B = random.vector();
  const Vector3<double> velocity_A = transform(X_AB, V_B).at(X_AB * point_B);
  EXPECT_LE((velocity_A - X_AB.rotation * V_B.at(point_B)).norm(), 10 * twist_rounding);
}

TEST(Twist, BracketIsAntisymmetricAndSatisfiesJacobi) {
  Random random(17, 2);
  const auto a = random.twist(), b = random.twist(), c = random.twist();
  expect_same(cross(a, b), -cross(b, a));
  const Twist<double> sum = cross(a, cross(b, c)) + cross(b, cross(c, a)) + cross(c, cross(a, b));
  EXPECT_LE(sum.vector().norm(), twist_rounding);
}

TEST(Twist, BracketIsTheRateOfACarriedTwist) {
  Random random(17, 2);
  const auto V = random.twist(), U = random.twist();
  const double h = 1e-5;
  const Twist<double> rate =
      (transform(exp_twist(V.vector() * h), U) - transform(exp_twist(V.vector() * -h), U)) *
      (0.5 / h);
  // Central difference: truncation and twist_rounding are both near 1e-10.
  EXPECT_LE((rate - cross(V, U)).vector().norm(), 1e-8);
}

TEST(Wrench, TransformsCompose) {
  Random random(17, 2);
  for (int i = 0; i < 20; ++i) {
    const Pose<double> X_AB = random.pose(), X_BC = random.pose();
    const Wrench<double> F_C = random.wrench();
    expect_same(transform(X_AB, transform(X_BC, F_C)), transform(X_AB * X_BC, F_C));
    expect_same(transform_inverse(X_AB, F_C), transform(X_AB.inverse(), F_C));
    expect_same(Wrench<double>::from_vector(adjoint(X_AB).transpose() * F_C.vector()),
                transform_inverse(X_AB, F_C));
  }
}

TEST(Wrench, PowerIsTheSameInEveryFrame) {
  Random random(17, 2);
  for (int i = 0; i < 20; ++i) {
    const Pose<double> X_AB = random.pose();
    const Twist<double> V_B = random.twist();
    const Wrench<double> F_B = random.wrench();
    EXPECT_NEAR(dot(transform(X_AB, V_B), transform(X_AB, F_B)), dot(V_B, F_B),
                10 * twist_rounding);
  }
}

TEST(Wrench, PowerOfAForceIsForceTimesVelocityOfItsPoint) {
  Random random(17, 2);
  const Vector3<double> point = random.vector(), force = random.vector();
  const Twist<double> V = random.twist();
  EXPECT_NEAR(dot(V, Wrench<double>::force_at(point, force)), force.dot(V.at(point)),
              twist_rounding);
}

TEST(Wrench, CrossDualIsTheNegativeTransposeOfCross) {
  Random random(17, 2);
  const auto V = random.twist(), U = random.twist();
  const auto F = random.wrench();
  EXPECT_NEAR(dot(cross(V, U), F), -dot(U, cross_dual(V, F)), twist_rounding);
  EXPECT_NEAR(dot(V, cross_dual(V, F)), 0, twist_rounding);  // so a turning frame does no work
}

TEST(Wrench, MomentumMatchesTheSixBySixMatrixInEveryFrame) {
  Random random(17, 2);
  for (int i = 0; i < 20; ++i) {
    const Pose<double> X_AB = random.pose();
    const Inertia<double> I_B = random.inertia();
    const Twist<double> V_B = random.twist();
    const Wrench<double> L_B = I_B * V_B;
    EXPECT_LE((L_B.vector() - I_B.matrix() * V_B.vector()).norm(), 10 * twist_rounding);
    expect_same(transform(X_AB, I_B) * transform(X_AB, V_B), transform(X_AB, L_B));
  }
}

TEST(Wrench, MomentumOfAPointMassIsThatOfItsVelocity) {
  const Vector3<double> point(1, -2, 0.5);
  const auto body = Inertia<double>::from_centre(3, point, Matrix3<double>::Zero());
  const Twist<double> V{{0.3, 1, -2}, {4, 0.1, -1}};
  expect_same(body * V, Wrench<double>::force_at(point, 3 * V.at(point)));
}

TEST(Wrench, TwistsAndWrenchesAreLinear) {
  Random random(17, 2);
  auto V = random.twist();
  const auto U = random.twist();
  expect_same(V + U - V, U);
  expect_same(2.0 * V, V + V);
  V *= -1;
  expect_same(-V + V, Twist<double>{});
  const auto F = random.wrench();
  expect_same(F * 3.0 - F - F, F);
}

}  // namespace
}  // namespace ulna
