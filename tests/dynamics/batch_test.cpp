// Many states at once give what one at a time gives, for any number of them and of threads.

#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "ulna/dynamics/batch.hpp"

namespace ulna {
namespace {

TEST(Batch, EqualsSingleCallsForAnyNumberOfStates) {
  testing::Generator g(7);
  testing::RobotRecipe recipe;
  recipe.types = testing::all_moving_types;
  recipe.branches = recipe.friction = true;
  const Model model(testing::random_robot(g, recipe));
  Workspace work(model);
  for (int states : {0, 1, 3, 7, 8, 9, 17, 5000}) {
    StateRows q(states, model.coordinates()), v(states, model.speeds()), a = v, tau = v;
    for (int i = 0; i < states; ++i) {
      q.row(i) = model.random(g).transpose();
      v.row(i) = testing::random_entries(g, model.speeds()).transpose();
      a.row(i) = testing::random_entries(g, model.speeds()).transpose();
    }
    for (int threads : {1, 2, 0}) {
      tau.setConstant(NAN);
      inverse_dynamics_batch(model, q, v, a, tau, threads);
      for (int i = 0; i < states; ++i) {
        const Eigen::VectorXd qi = q.row(i), vi = v.row(i), ai = a.row(i);
        const Eigen::VectorXd one = inverse_dynamics(model, work, qi, vi, ai);
        // The same operations in the same order, but for how they are fused.
        ASSERT_LT((one.transpose() - tau.row(i)).cwiseAbs().maxCoeff(),
                  1e-12 * (1 + one.cwiseAbs().maxCoeff()));
      }
    }
  }
}

TEST(Batch, RefusesShapesThatDoNotFit) {
  testing::Generator g(1);
  const Model model(testing::general_chain(g, 3));
  StateRows q(4, 3), v(4, 2), a(4, 3), tau(4, 3);
  EXPECT_THROW(inverse_dynamics_batch(model, q, v, a, tau), InputError);
}

}  // namespace
}  // namespace ulna
