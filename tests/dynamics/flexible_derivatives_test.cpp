// Derivatives, momentum and its balance, centroidal momentum of robots with flexible bodies.

#include <gtest/gtest.h>

#include "support/flexible_robot.hpp"
#include "ulna/dynamics/centroidal.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/dynamics/internal/momentum_balance.hpp"

namespace ulna {
namespace {

using testing::all_moving_types;
using testing::BeamRecipe;
using testing::Generator;
using testing::random_entries;
using testing::random_flexible_robot;
using testing::RobotRecipe;

Model tree(unsigned seed) {
  Generator g(seed);
  RobotRecipe recipe;
  recipe.bodies = 4;
  recipe.types = all_moving_types;
  recipe.branches = true;
  return Model(
      random_flexible_robot(g, recipe, BeamRecipe{2, 1, 1, 0, ModeFamily::clamped_free, 0.02}));
}

TEST(FlexibleDerivatives, AreTheSlopesOfTheDynamics) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = tree(seed);
    Workspace work(model);
    DerivativeWorkspace derivatives(model);
    Generator g(seed);
    const Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds()),
                          tau = random_entries(g, model.speeds());
    const ForwardDerivatives d = forward_dynamics_derivatives(model, work, derivatives, q, v, tau);
    const double h = 1e-6;
    for (int k = 0; k < model.speeds(); ++k) {
      const Eigen::VectorXd e = h * Eigen::VectorXd::Unit(model.speeds(), k);
      const auto a = [&](const Eigen::VectorXd& at, const Eigen::VectorXd& rate) {
        return Eigen::VectorXd(forward_dynamics(model, work, at, rate, tau));
      };
      const Eigen::VectorXd in_q =
          (a(model.integrate(q, e), v) - a(model.integrate(q, -e), v)) / (2 * h);
      const Eigen::VectorXd in_v = (a(q, v + e) - a(q, v - e)) / (2 * h);
      // Differences of accelerations of size |a| over 2 h: some 1e-16 / 1e-6 of them is rounding.
      const double slack = 1e-7 * (1 + d.acceleration.norm()) + 1e-6 * d.da_dq.col(k).norm();
      EXPECT_LT((d.da_dq.col(k) - in_q).norm(), slack) << k;
      EXPECT_LT((d.da_dv.col(k) - in_v).norm(), slack) << k;
    }
  }
}

TEST(FlexibleMomentum, ChangesByWhatActs) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = tree(seed);
    Workspace work(model);
    Generator g(seed);
    const Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds()),
                          a = random_entries(g, model.speeds());
    const ExternalWrench push{1, {0, 0, 0}, {3, -2, 1}, {0.1, 0.2, 0.3}};
    const double size = momentum_rate(model, q, v, a).norm();
    EXPECT_LT(momentum_balance(model, work, q, v, a, {&push, 1}).norm(), 1e-12 * (1 + size));
  }
}

TEST(FlexibleMomentum, CentroidalMatrixTimesSpeedsIsTheMomentumAboutTheCentre) {
  const Model model = tree(3);
  Workspace work(model);
  Generator g(3);
  const Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds());
  const Jacobian A = centroidal_momentum_matrix(model, work, q);
  const Vector6<double> h = centroidal_momentum(model, work, q, v);
  EXPECT_LT((A * v - h).norm(), 1e-12 * h.norm());
  const CentreOfMass centre = centre_of_mass_motion(model, work, q, v);
  EXPECT_LT((h.tail<3>() - centre.mass * centre.velocity).norm(), 1e-12 * h.norm());
  // The centre moves as its velocity says.
  const double step = 1e-6;
  const Vector3<double> ahead =
      centre_of_mass_motion(model, work, model.integrate(q, step * v), v).position;
  EXPECT_LT(((ahead - centre.position) / step - centre.velocity).norm(),
            1e-4 * (1 + centre.velocity.norm()));
}

}  // namespace
}  // namespace ulna
