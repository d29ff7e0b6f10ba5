// What the algorithms use: no memory after the workspace is made, and nothing of another thread's.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "../support/random_robot.hpp"
#include "support/allocations.hpp"
#include "ulna/dynamics/centroidal.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/reactions.hpp"
#include "ulna/dynamics/torque_regressor.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

using testing::Generator;
using testing::random_entries;

Model tree_with_friction(unsigned seed) {
  Generator g(seed);
  testing::RobotRecipe recipe;
  recipe.bodies = 10;
  recipe.types = testing::all_moving_types;
  recipe.branches = true;
  recipe.friction = true;
  return Model(testing::random_robot(g, recipe));
}

TEST(Resources, NothingIsAllocatedAfterTheWorkspaceIsMade) {
  const Model model = tree_with_friction(3);
  Generator g(3);
  Workspace work(model);
  DerivativeWorkspace derivatives(model);
  JointReactions reactions(model);
  TorqueRegressor regressor(model, RegressorTerms::all());
  Kane kane(model);
  const Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds()),
                        a = random_entries(g, model.speeds());
  const ExternalWrench wrench{1, {0.1, 0.2, 0.3}, {1, 2, 3}, {4, 5, 6}, 0};
  const int frame = model.tip_frame();
  const auto everything = [&] {
    update_motions(model, work, q, v, a);
    frame_pose(model, work, frame);
    frame_acceleration(model, work, frame);
    jacobian(model, work, q, {frame, {1, 2, 3}, 1, frame});
    inverse_dynamics(model, work, q, v, a, {&wrench, 1});
    kane.inverse(work, q, v, a, {&wrench, 1});
    mass_matrix(model, work, q);
    forward_dynamics(model, work, q, v, a, {&wrench, 1});
    forward_dynamics(model, work, q, v, a, {}, ForwardMethod::composite_body);
    gravity_efforts(model, work, q);
    energy(model, work, q, v);
    reactions.compute(work, q, v, a, {&wrench, 1}, {.at = frame, .expressed_in = {}});
    centroidal_momentum_matrix(model, work, q);
    centre_of_mass_motion(model, work, q, v);
    inverse_dynamics_derivatives(model, work, derivatives, q, v, a);
    forward_dynamics_derivatives(model, work, derivatives, q, v, a);
    regressor(work, q, v, a);
    regressor.energy(work, q, v);
  };
  everything();  // once for what is made on first use (the choice of kernels)
  EXPECT_EQ(testing::allocations_of(everything), 0);
}

TEST(Resources, ThreadsShareOneModel) {
  const Model model = tree_with_friction(4);
  Generator g(4);
  const Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds()),
                        a = random_entries(g, model.speeds());
  Workspace work(model);
  const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
  const Eigen::VectorXd back = forward_dynamics(model, work, q, v, tau);
  std::atomic<int> wrong{0};
  const auto run = [&] {
    Workspace own(model);
    DerivativeWorkspace derivatives(model);
    for (int k = 0; k < 200; ++k) {
      if (inverse_dynamics(model, own, q, v, a) != tau) ++wrong;
      if (forward_dynamics(model, own, q, v, tau) != back) ++wrong;
      jacobian(model, own, q, {model.tip_frame()});
      forward_dynamics_derivatives(model, own, derivatives, q, v, tau);
    }
  };
  std::thread one(run), two(run);
  one.join();
  two.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace ulna
