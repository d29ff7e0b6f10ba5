// Linear systems near a state, equilibria, and gains.

#include <gtest/gtest.h>

#include <cmath>

#include "../support/random_robot.hpp"
#include "machines.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/simulation/equilibrium.hpp"
#include "ulna/simulation/linearize.hpp"
#include "ulna/simulation/simulate.hpp"
#include "ulna/simulation/state_feedback.hpp"

namespace ulna {
namespace {

TEST(Linearize, PolesOfAPendulumHangingAndStanding) {
  const Model model(testing::pendulum());
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
  const double w = std::sqrt(9.81);
  const Eigen::VectorXcd hanging = poles(linearize(model, zero, zero, zero).A);
  EXPECT_NEAR(std::abs(hanging(0).imag()), w, 1e-12);
  EXPECT_NEAR(hanging(0).real(), 0, 1e-12);
  const Eigen::VectorXd up = Eigen::VectorXd::Constant(1, M_PI);
  const Eigen::VectorXcd standing = poles(linearize(model, up, zero, zero).A);
  EXPECT_NEAR(standing(0).real(), w, 1e-12);
  EXPECT_NEAR(standing(1).real(), -w, 1e-12);
}

TEST(Linearize, NeighbouringMotionsOfAnyRobotSeparateAsALinearSystemDoes) {
  // Two runs from states that differ by x: after a short time they differ by exp(A t) x,
  // quaternions and moving axes included.
  testing::Generator g(8);
  testing::RobotRecipe recipe;
  recipe.bodies = 4;
  recipe.types = {JointType::revolute, JointType::spherical, JointType::free, JointType::prismatic};
  for (int round = 0; round < 5; ++round) {
    Experiment base(testing::frozen(testing::random_robot(g, recipe)));
    const Model& model = *base.model;
    const int n = model.speeds();
    base.end = 1e-3;
    base.integrator.tolerances = {1e-13, 1e-14};
    base.q = model.random(g);
    base.v = testing::random_entries(g, n, 2);
    const Eigen::VectorXd x = 1e-5 * testing::random_entries(g, 2 * n);
    Experiment changed = base, opposite = base;
    changed.q = model.integrate(base.q, x.head(n));
    changed.v += x.tail(n);
    opposite.q = model.integrate(base.q, -x.head(n));
    opposite.v -= x.tail(n);
    const auto reference = simulate(base).summary;
    const auto plus = simulate(changed).summary, minus = simulate(opposite).summary;
    Eigen::VectorXd difference(2 * n);
    difference << 0.5 * (model.difference(reference.q, plus.q) -
                         model.difference(reference.q, minus.q)),
        0.5 * (plus.v - minus.v);
    const LinearSystem linear = linearize(model, base.q, base.v, Eigen::VectorXd::Zero(n));
    const Eigen::VectorXd rate = (difference - x) / base.end;
    // The change of A along the millisecond is of first order in it.
    EXPECT_LT((rate - linear.A * x).norm(), 0.02 * rate.norm());
  }
}

TEST(Equilibrium, IsWhereNoEffortIsMissing) {
  const Model model(testing::double_pendulum());
  const Eigen::Vector2d tau(3, -1);
  const Equilibrium found = find_equilibrium(model, Eigen::Vector2d(0.3, -0.2), tau);
  ASSERT_TRUE(found.found) << found.reason;
  EXPECT_TRUE(found.stable);
  Workspace work(model);
  EXPECT_LT((gravity_efforts(model, work, found.q) - tau).norm(), 1e-9);
  const Equilibrium upright =
      find_equilibrium(model, Eigen::Vector2d(3.1, 0.05), Eigen::Vector2d(0, 0));
  ASSERT_TRUE(upright.found);
  EXPECT_FALSE(upright.stable);
}

TEST(Equilibrium, JointsAlongGravityStayWhereTheyAre) {
  const Model model(read_robot("intelledex605").robot);
  const Eigen::VectorXd start = Eigen::VectorXd::LinSpaced(6, 0.1, 0.6);
  const Equilibrium found = find_equilibrium(model, start, Eigen::VectorXd::Zero(6));
  ASSERT_TRUE(found.found) << found.reason;
  EXPECT_NEAR(found.q(5), 0.6, 1e-9);  // the last joint feels no gravity
  EXPECT_LT((found.q - start).cwiseAbs().maxCoeff(), 7);
}

TEST(Equilibrium, MoreEffortThanGravityHasNone) {
  const Model model(testing::pendulum());
  EXPECT_FALSE(
      find_equilibrium(model, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, 20)).found);
}

LinearSystem standing_double_pendulum() {
  const Model model(testing::double_pendulum());
  return linearize(model, Eigen::Vector2d(M_PI, 0), Eigen::Vector2d(0, 0), Eigen::Vector2d(0, 0));
}

TEST(StateFeedback, TheRegulatorSolvesItsRiccatiEquationAndStabilises) {
  LinearSystem s = standing_double_pendulum();
  s.B = s.B.leftCols(1).eval();  // only the shoulder has a motor
  const Eigen::MatrixXd Q = Eigen::Vector4d(10, 10, 1, 1).asDiagonal();
  const Eigen::MatrixXd R = Eigen::MatrixXd::Constant(1, 1, 0.1);
  const Regulator r = linear_quadratic_regulator(s.A, s.B, Q, R);
  const Eigen::MatrixXd residual =
      s.A.transpose() * r.P + r.P * s.A - r.P * s.B * dense::Lu(R).solve(s.B.transpose() * r.P) + Q;
  EXPECT_LT(residual.norm(), 1e-11 * r.P.norm() * s.A.norm());
  EXPECT_LT(poles(s.A - s.B * r.K)(0).real(), 0);
}

TEST(StateFeedback, PolesAreWhereTheyWereAskedFor) {
  LinearSystem s = standing_double_pendulum();
  for (const int motors : {1, 2}) {
    const Eigen::MatrixXd B = s.B.leftCols(motors);
    Eigen::VectorXcd wanted(4);
    wanted << -2.0, -3.0, std::complex<double>(-4, 2), std::complex<double>(-4, -2);
    const Eigen::MatrixXd K = place_poles(s.A, B, wanted);
    const Eigen::VectorXcd found = poles(s.A - B * K);
    Eigen::VectorXcd sorted(4);
    sorted << -2.0, -3.0, std::complex<double>(-4, 2), std::complex<double>(-4, -2);
    EXPECT_LT((found - sorted).cwiseAbs().maxCoeff(), 1e-6) << motors;
  }
}

TEST(StateFeedback, WhatCannotBeReachedIsRefused) {
  Eigen::MatrixXd A = Eigen::Vector2d(1, 2).asDiagonal(), B(2, 1);
  B << 1, 0;  // the second mode grows and feels no effort
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(2, 2);
  EXPECT_THROW(linear_quadratic_regulator(A, B, one, Eigen::MatrixXd::Identity(1, 1)),
               ComputationError);
  EXPECT_THROW(place_poles(A, B, Eigen::VectorXcd::LinSpaced(2, -1, -2)), ComputationError);
  EXPECT_THROW(place_poles(A, B, Eigen::VectorXcd::Zero(3)), InputError);
}

}  // namespace
}  // namespace ulna
