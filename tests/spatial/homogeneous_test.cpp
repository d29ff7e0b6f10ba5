// The 4x4 matrices tell the same as twists, wrenches and inertias, in every frame.

#include "ulna/spatial/homogeneous.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "random_spatial.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/spatial/homogeneous_screw.hpp"
#include "ulna/spatial/internal/homogeneous_derivatives.hpp"

namespace ulna {
namespace {

using testing::Random;

// Numbers here are of size 1 to 30 and each result takes some tens of roundings.
constexpr double matrix_rounding = 1000 * std::numeric_limits<double>::epsilon();

void expect_equal(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b,
                  double tolerance = matrix_rounding) {
  EXPECT_LE((a - b).norm(), tolerance * (1 + b.norm())) << a << "\n---\n" << b;
}

TEST(HomogeneousMatrix, ConvertsToVectorsAndBack) {
  Random random(29);
  const Pose<double> X = random.pose();
  const Twist<double> V = random.twist(), A = random.twist();
  const Wrench<double> F = random.wrench();
  const Inertia<double> I = random.inertia();
  expect_equal(PositionMatrix<double>(X).pose().matrix(), X.matrix());
  expect_equal(PositionMatrix<double>(X).inverse().matrix, X.inverse().matrix());
  expect_equal(VelocityMatrix<double>(V).twist().vector(), V.vector());
  expect_equal(ScrewMatrix<double>(V).twist().vector(), V.vector());
  expect_equal(AccelerationMatrix<double>(V, A).rate(VelocityMatrix<double>(V)).vector(),
               A.vector());
  expect_equal(ActionMatrix<double>(F).wrench().vector(), F.vector());
  expect_equal(MomentumMatrix<double>(F).momentum().vector(), F.vector());
  expect_equal(InertiaMatrix<double>(I).inertia().matrix(), I.matrix());
}

TEST(HomogeneousMatrix, EachKindChangesFrameLikeItsVector) {
  Random random(29);
  for (int i = 0; i < 20; ++i) {
    const Pose<double> X = random.pose();
    const PositionMatrix<double> M(X);
    const Twist<double> V = random.twist(), A = random.twist();
    const Wrench<double> F = random.wrench();
    const Inertia<double> I = random.inertia();
    const VelocityMatrix<double> W(V);
    const AccelerationMatrix<double> H(V, A);
    expect_equal(transform(M, W).twist().vector(), transform(X, V).vector());
    expect_equal(transform(M, ScrewMatrix<double>(V)).twist().vector(), transform(X, V).vector());
    expect_equal(transform(M, H).rate(transform(M, W)).vector(), transform(X, A).vector());
    expect_equal(transform(M, ActionMatrix<double>(F)).wrench().vector(), transform(X, F).vector());
    expect_equal(transform(M, MomentumMatrix<double>(F)).momentum().vector(),
                 transform(X, F).vector());
    expect_equal(transform(M, InertiaMatrix<double>(I)).inertia().matrix(),
                 transform(X, I).matrix());
    expect_equal(transform_inverse(M, transform(M, H)).matrix, H.matrix);
    const InertiaMatrix<double> J(I);
    expect_equal(transform_inverse(M, transform(M, J)).matrix, J.matrix);
  }
}

TEST(HomogeneousMatrix, MomentumRateAndEnergyAreThoseOfSpatialVectors) {
  Random random(29);
  const Twist<double> V = random.twist(), A = random.twist();
  const Inertia<double> I = random.inertia();
  const VelocityMatrix<double> W(V);
  const InertiaMatrix<double> J(I);
  expect_equal(momentum(W, J).momentum().vector(), (I * V).vector());
  const Wrench<double> rate = I * A + cross_dual(V, I * V);
  expect_equal(action(AccelerationMatrix<double>(V, A), J).wrench().vector(), rate.vector());
  EXPECT_NEAR(kinetic_energy(W, J), dot(V, I * V) / 2, matrix_rounding * 100);
  const Vector3<double> g(1, -2, 3);
  const AccelerationMatrix<double> Hg = AccelerationMatrix<double>::gravity(g);
  EXPECT_NEAR(potential_energy(Hg, J), -g.dot(I.first_moment), matrix_rounding * 100);
  expect_equal(action(Hg, J).wrench().force, g * I.mass);
  const ScrewMatrix<double> L(random.twist());
  EXPECT_NEAR(trace_product(L, J, ScrewMatrix<double>(V)), dot(L.twist(), I * V),
              matrix_rounding * 100);
}

TEST(HomogeneousMatrix, PseudoProductIsThePowerInEveryFrame) {
  Random random(29);
  const PositionMatrix<double> M(random.pose());
  const Twist<double> V = random.twist();
  const Wrench<double> F = random.wrench();
  const VelocityMatrix<double> W(V);
  const ActionMatrix<double> Phi(F);
  EXPECT_NEAR(pseudo_product(Phi, W), dot(V, F), matrix_rounding);
  EXPECT_NEAR(pseudo_product(transform(M, Phi), transform(M, W)), dot(V, F), 10 * matrix_rounding);
}

TEST(HomogeneousMatrix, CompositionIsTheDerivativeOfTheProductOfPositions) {
  // M_02 = exp(L1 q1) B exp(L2 q2) with q linear and quadratic in time: differences of M give W and
  // H; the step balances truncation h^2 against matrix_rounding eps/h^2.
  Random random(29);
  const ScrewMatrix<double> L1(random.twist()), L2(random.twist());
  const PositionMatrix<double> B(random.pose());
  const double q1 = 0.3, v1 = 0.7, a1 = -0.4, q2 = -0.5, v2 = 1.1, a2 = 0.6;
  const auto M = [&](double t) {
    return (displacement(L1, q1 + v1 * t + a1 * t * t / 2) * B *
            displacement(L2, q2 + v2 * t + a2 * t * t / 2));
  };
  const PositionMatrix<double> M1 = displacement(L1, q1) * B;
  const ScrewMatrix<double> L2_0 = transform(M1, L2);
  const VelocityMatrix<double> W1 = velocity(L1, v1), W2 = velocity(L2_0, v2);
  const AccelerationMatrix<double> H1 = acceleration(L1, v1, a1), H2 = acceleration(L2_0, v2, a2);
  const VelocityMatrix<double> W = compose(W1, W2);
  const AccelerationMatrix<double> H = compose(H1, W1, H2, W2);
  const double h = 1e-4;
  const Matrix4<double> inverse = M(0).inverse().matrix;
  expect_equal((M(h).matrix - M(-h).matrix) / (2 * h) * inverse, W.matrix, 1e-6);
  expect_equal((M(h).matrix - 2 * M(0).matrix + M(-h).matrix) / (h * h) * inverse, H.matrix, 1e-6);
  expect_equal(relative(H, W, H1, W1).matrix, H2.matrix);
}

TEST(HomogeneousMatrix, DerivativesAgreeWithDifferences) {
  Random random(29);
  const ScrewMatrix<double> L(random.twist()), L_behind(random.twist());
  const PositionMatrix<double> M(random.pose());
  const InertiaMatrix<double> J(random.inertia());
  const VelocityMatrix<double> W_behind = velocity(L_behind, 1.3);
  const double h = 1e-5;
  const auto moved = [&](double q) { return displacement(L, q); };
  using M4 = Matrix4<double>;
  const auto difference = [&](const auto& f) -> M4 { return (f(h) - f(-h)) / (2 * h); };
  expect_equal(difference([&](double q) { return M4((moved(q) * M).matrix); }), position_by(L, M),
               1e-8);
  expect_equal(difference([&](double q) { return M4((moved(q) * M).inverse().matrix); }),
               inverse_position_by(L, M), 1e-8);
  expect_equal(difference([&](double q) { return M4(transform(moved(q), L_behind).matrix); }),
               screw_by(L, L_behind), 1e-8);
  expect_equal(difference([&](double q) { return M4(transform(moved(q), W_behind).matrix); }),
               velocity_by(L, W_behind), 1e-8);
  expect_equal(difference([&](double q) { return M4(transform(moved(q), J).matrix); }),
               inertia_by(L, J), 1e-8);
  const VelocityMatrix<double> W = velocity(L, 2);  // twice as fast as the coordinate
  expect_equal(position_rate(W, M), 2 * position_by(L, M));
  expect_equal(inverse_position_rate(W, M), 2 * inverse_position_by(L, M));
  expect_equal(screw_rate(W, L_behind), 2 * screw_by(L, L_behind));
  expect_equal(inertia_rate(W, J), 2 * inertia_by(L, J));
}

TEST(HomogeneousMatrix, PositiveSemiDefiniteInertiaIsAPossibleBody) {
  Random random(29);
  EXPECT_EQ(why_impossible(InertiaMatrix<double>(random.inertia())), "");
  const Matrix3<double> too_long = Vector3<double>(1, 1, 3).asDiagonal();
  EXPECT_NE(why_impossible(InertiaMatrix<double>::from_centre(1, {0.1, 0, 0}, too_long)), "");
}

TEST(HomogeneousScrew, DisplacementsAndTheirAxesAreInverse) {
  Random random(29);
  for (double angle : {1e-3, 0.4, 2.0, 3.0, M_PI}) {
    FiniteScrew screw{random.vector().normalized(), angle, 0.7, random.vector()};
    const PositionMatrix<double> Q = displacement(screw);
    const FiniteScrew found = screw_of(Q);
    expect_equal(displacement(found).matrix, Q.matrix);
    EXPECT_NEAR(found.angle, angle, matrix_rounding);
    EXPECT_NEAR(std::abs(found.slide), 0.7, matrix_rounding);
    EXPECT_NEAR(found.axis.dot(found.point), 0, matrix_rounding / angle);
    // A point of the axis only slides.
    expect_equal(Q.pose() * found.point - found.point, found.axis * found.slide,
                 matrix_rounding / angle);
  }
  const FiniteScrew shift = screw_of(PositionMatrix<double>(Pose<double>::translation({0, 3, 4})));
  EXPECT_EQ(shift.angle, 0);
  EXPECT_DOUBLE_EQ(shift.slide, 5);
  expect_equal(shift.axis, Vector3<double>(0, 0.6, 0.8));
  EXPECT_EQ(screw_of(PositionMatrix<double>()).slide, 0);
}

TEST(HomogeneousScrew, VelocityIsATurnAboutItsAxisAndASlideAlongIt) {
  Random random(29);
  const VelocityMatrix<double> W(random.twist());
  const InstantScrew screw = screw_of(W);
  expect_equal(velocity(screw).matrix, W.matrix);
  expect_equal(W.at(screw.point), screw.axis * screw.slide_speed);
  const ScrewMatrix<double> L = unit_screw(W);
  expect_equal(L.matrix, ScrewMatrix<double>::screw(screw.axis, screw.point, screw.pitch()).matrix);
  expect_equal(velocity(L, screw.angular_speed).matrix, W.matrix);
  EXPECT_THROW(unit_screw(VelocityMatrix<double>()), ComputationError);
}

TEST(HomogeneousScrew, OrthonormalisedMovesNoFurtherThanNeeded) {
  Random random(29);
  const PositionMatrix<double> M(random.pose());
  Matrix4<double> disturbed = M.matrix;
  disturbed(0, 0) += 1e-4, disturbed(1, 2) -= 1e-4, disturbed(3, 1) = 1e-5;
  const PositionMatrix<double> clean = orthonormalised(disturbed);
  EXPECT_TRUE(is_rotation(clean.rotation()));
  expect_equal(clean.matrix, M.matrix, 2e-4);
  EXPECT_EQ(clean.matrix.row(3), Eigen::RowVector4d(0, 0, 0, 1));
}

TEST(FreeBody, AnySixOfTwelveQuantitiesFollowFromTheOthers) {
  Random random(29);
  const Inertia<double> I = random.inertia();
  const Twist<double> V = random.twist();
  FreeBody truth;
  truth.rate = random.twist();
  truth.action = I * truth.rate + cross_dual(V, I * V);
  const InertiaMatrix<double> J(I);
  const VelocityMatrix<double> W(V);
  const std::array<int, 6> choices[] = {
      {0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}, {0, 7, 2, 9, 4, 11}, {6, 1, 8, 3, 10, 5}};
  for (const std::array<int, 6>& unknown : choices) {
    const FreeBody found = solve_free_body(J, truth, unknown, W);
    expect_equal(found.rate.vector(), truth.rate.vector(), 1e-11);
    expect_equal(found.action.vector(), truth.action.vector(), 1e-11);
  }
}

TEST(FreeBody, UnknownsThatAreNotDeterminedAreRefused) {
  const InertiaMatrix<double> point =
      InertiaMatrix<double>::from_centre(2, Vector3<double>::Zero(), Matrix3<double>::Zero());
  EXPECT_THROW(solve_free_body(point, {}), ComputationError);
  EXPECT_THROW(solve_free_body(point, {}, {0, 0, 1, 2, 3, 4}), InputError);
}

}  // namespace
}  // namespace ulna
