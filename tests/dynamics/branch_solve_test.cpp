// Derivatives of forward dynamics of long and of branched robots, where the mass matrix is solved
// along the tree: M da/dx = -dtau/dx at the accelerations that forward dynamics gives.

#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "support/near.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"

namespace ulna {
namespace {

using testing::expect_near;
using testing::Generator;
using testing::random_entries;

void expect_solved(const Robot& robot, Generator& g) {
  const Model model(robot);
  Workspace work(model);
  DerivativeWorkspace d(model);
  const int n = model.speeds();
  const Eigen::VectorXd q = model.random(g), v = random_entries(g, n),
                        tau = random_entries(g, n, 50);
  const ForwardDerivatives forward = forward_dynamics_derivatives(model, work, d, q, v, tau);
  const Eigen::MatrixXd M = mass_matrix(model, work, q);
  const InverseDerivatives inverse =
      inverse_dynamics_derivatives(model, work, d, q, v, forward.acceleration);

  // Residuals of a backward stable solution: rounding of the products, 1e-12 of them for a hundred
  // joints.
  const auto small = [&](const Eigen::MatrixXd& residual, const Eigen::MatrixXd& x) {
    EXPECT_LE(residual.norm(), 1e-12 * M.norm() * (1 + x.norm())) << n << " degrees of freedom";
  };
  small(M * forward.da_dtau - Eigen::MatrixXd::Identity(n, n), forward.da_dtau);
  small(M * forward.da_dq + inverse.dtau_dq, forward.da_dq);
  small(M * forward.da_dv + inverse.dtau_dv, forward.da_dv);
  expect_near(inverse.mass_matrix, M, 1e-12);
  const Eigen::VectorXd a = forward_dynamics(model, work, q, v, tau);
  EXPECT_LE((M * (forward.acceleration - a)).norm(), 1e-12 * M.norm() * a.norm());
}

TEST(DerivativesOfForwardDynamics, OfChainsOfAnyLengthSolveTheMassMatrix) {
  Generator g(5);
  for (const int links : {1, 2, 7, 8, 9, 16, 17, 20, 21, 22, 23, 33, 64, 96})
    expect_solved(testing::general_chain(g, links), g);
}

TEST(DerivativesOfForwardDynamics, OfBranchedRobotsOfAllJointTypesSolveTheMassMatrix) {
  Generator g(6);
  for (int trial = 0; trial < 30; ++trial) {
    testing::RobotRecipe recipe;
    recipe.bodies = 3 + 2 * trial;
    recipe.types = testing::all_moving_types;
    recipe.branches = trial % 3 != 0;
    recipe.friction = trial % 2 == 1;
    recipe.mimic = trial % 5 == 4;
    expect_solved(testing::random_robot(g, recipe), g);
  }
}

}  // namespace
}  // namespace ulna
