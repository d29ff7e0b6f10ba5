// Facts of mechanics that hold for every robot, checked on random trees of all joint types.

#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "support/near.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

using testing::expect_near;
using testing::Generator;
using testing::random_entries;
using testing::random_vector;

struct State {
  Eigen::VectorXd q, v, a;
};

class EveryRobot : public ::testing::TestWithParam<int> {
 protected:
  EveryRobot() : g(GetParam()), model(make()), work(model) {
    q = model.random(g);
    v = random_entries(g, model.speeds());
    a = random_entries(g, model.speeds());
  }
  Model make() {
    const int kind = GetParam() % 6;
    testing::RobotRecipe recipe;
    recipe.bodies = 2 + GetParam() % 9;
    if (kind >= 1) recipe.types = testing::all_moving_types;
    recipe.branches = kind >= 2;
    recipe.friction = kind >= 3;
    recipe.mimic = kind == 4;
    recipe.reversed = kind == 5;
    return Model(testing::random_robot(g, recipe));
  }

  Generator g;
  Model model;
  Workspace work;
  Eigen::VectorXd q, v, a;
};

TEST_P(EveryRobot, ForwardDynamicsUndoesInverseDynamics) {
  const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
  const bool coupled = model.topology().shared_speeds;
  const ForwardMethod recursive =
      coupled ? ForwardMethod::automatic : ForwardMethod::articulated_body;
  expect_near(forward_dynamics(model, work, q, v, tau, {}, recursive), a, 1e-9);
  expect_near(forward_dynamics(model, work, q, v, tau, {}, ForwardMethod::composite_body), a, 1e-9);
}

TEST_P(EveryRobot, EffortsAreMassMatrixTimesAccelerationPlusBias) {
  const Eigen::MatrixXd M = mass_matrix(model, work, q);
  expect_near(M, M.transpose(), 1e-15);
  const Eigen::VectorXd bias = bias_efforts(model, work, q, v);
  expect_near(inverse_dynamics(model, work, q, v, a), M * a + bias, 1e-12);
}

TEST_P(EveryRobot, KineticEnergyIsTheQuadraticFormOfTheMassMatrix) {
  const double kinetic = energy(model, work, q, v).kinetic;
  EXPECT_NEAR(kinetic, 0.5 * v.dot(mass_matrix(model, work, q) * v), 1e-12 * (1 + kinetic));
}

TEST_P(EveryRobot, EnergyChangesByTheWorkOfTheEfforts) {
  // Central difference of the energy along the motion against the power of what is not
  // conservative.
  const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
  double power = v.dot(tau);
  for (const DegreeTerms& t : model.degree_terms()) {
    const double rate = t.multiplier * v(t.v);
    power -= rate * (t.damping * rate + t.friction * (rate > 0 ? 1 : -1));
  }
  const double h = 1e-5;
  const auto total = [&](double t) {
    const Energy e = energy(model, work, model.integrate(q, t * v + 0.5 * t * t * a), v + t * a);
    return e.kinetic + e.potential;
  };
  const double rate = (total(h) - total(-h)) / (2 * h);
  EXPECT_NEAR(rate, power, 1e-6 * (1 + std::abs(power) + std::abs(total(0))));
}

TEST_P(EveryRobot, VirtualWorkOfAnExternalWrenchIsJacobianTransposeTimesWrench) {
  const int body = static_cast<int>(model.bodies().size()) - 1;
  ExternalWrench wrench{body, random_vector(g), random_vector(g), random_vector(g), 0};
  const Eigen::VectorXd without = inverse_dynamics(model, work, q, v, a);
  const Eigen::VectorXd with = inverse_dynamics(model, work, q, v, a, {&wrench, 1});
  const Jacobian J = jacobian(model, work, q, {body, wrench.point});
  Vector6<double> w;
  w << wrench.moment, wrench.force;
  expect_near(without - with, J.transpose() * w, 1e-12);
  const Eigen::VectorXd back = forward_dynamics(model, work, q, v, with, {&wrench, 1});
  expect_near(back, a, 1e-9);
}

TEST_P(EveryRobot, CoriolisMatrixGivesTheEffortsAndMakesMassRateMinusTwiceItSkew) {
  const Eigen::MatrixXd C = coriolis_matrix(model, q, v);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  const Eigen::VectorXd passive = passive_efforts(model, work, q, v);
  const Eigen::VectorXd bias = bias_efforts(model, work, q, v);
  const Eigen::VectorXd gravity = gravity_efforts(model, work, q);
  expect_near(C * v, bias - gravity - passive, 1e-11);
  const double h = 1e-5;
  const Eigen::MatrixXd ahead = mass_matrix(model, work, model.integrate(q, h * v));
  const Eigen::MatrixXd behind = mass_matrix(model, work, model.integrate(q, -h * v));
  const Eigen::MatrixXd rate = (ahead - behind) / (2 * h);
  expect_near(rate, C + C.transpose(), 1e-7);
}

TEST_P(EveryRobot, DerivativesOfInverseDynamicsAgreeWithDifferences) {
  DerivativeWorkspace d(model);
  const InverseDerivatives& exact = inverse_dynamics_derivatives(model, work, d, q, v, a);
  const double h = 1e-6;
  Eigen::MatrixXd dq(model.speeds(), model.speeds()), dv = dq;
  for (int k = 0; k < model.speeds(); ++k) {
    const Eigen::VectorXd e = h * Eigen::VectorXd::Unit(model.speeds(), k);
    const Eigen::VectorXd up = inverse_dynamics(model, work, model.integrate(q, e), v, a);
    dq.col(k) = (up - inverse_dynamics(model, work, model.integrate(q, -e), v, a)) / (2 * h);
    const Eigen::VectorXd fast = inverse_dynamics(model, work, q, v + e, a);
    dv.col(k) = (fast - inverse_dynamics(model, work, q, v - e, a)) / (2 * h);
  }
  expect_near(exact.dtau_dq, dq, 2e-7);
  expect_near(exact.dtau_dv, dv, 2e-7);
  expect_near(exact.mass_matrix, mass_matrix(model, work, q), 1e-12);
}

TEST_P(EveryRobot, DerivativesOfForwardDynamicsAgreeWithDifferences) {
  DerivativeWorkspace d(model);
  const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
  const ForwardDerivatives exact = forward_dynamics_derivatives(model, work, d, q, v, tau);
  const double h = 1e-6;
  Eigen::MatrixXd dq(model.speeds(), model.speeds()), dv = dq;
  for (int k = 0; k < model.speeds(); ++k) {
    const Eigen::VectorXd e = h * Eigen::VectorXd::Unit(model.speeds(), k);
    const Eigen::VectorXd up = forward_dynamics(model, work, model.integrate(q, e), v, tau);
    dq.col(k) = (up - forward_dynamics(model, work, model.integrate(q, -e), v, tau)) / (2 * h);
    const Eigen::VectorXd fast = forward_dynamics(model, work, q, v + e, tau);
    dv.col(k) = (fast - forward_dynamics(model, work, q, v - e, tau)) / (2 * h);
  }
  expect_near(exact.acceleration, a, 1e-9);
  expect_near(exact.da_dq, dq, 1e-5);
  expect_near(exact.da_dv, dv, 1e-5);
  expect_near(exact.da_dtau * mass_matrix(model, work, q),
              Eigen::MatrixXd::Identity(model.speeds(), model.speeds()), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Seeds, EveryRobot, ::testing::Range(1, 61));

}  // namespace
}  // namespace ulna
