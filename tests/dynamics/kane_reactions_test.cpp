// Joint reactions by the auxiliary speeds of Kane's equations against those of Newton and Euler.

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_robot.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/state.hpp"

namespace ulna {
namespace {

double largest_difference(const Reactions& a, const Reactions& b, double& size) {
  double most = 0;
  for (std::size_t j = 0; j < a.joints.size(); ++j) {
    size = std::max(size, a.joints[j].vector().cwiseAbs().maxCoeff());
    most = std::max(most, (a.joints[j].vector() - b.joints[j].vector()).cwiseAbs().maxCoeff());
  }
  return most;
}

void expect_same(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                 const Eigen::VectorXd& a, const std::string& name) {
  Dynamics kane(model, {.method = "kane"}), recursion(model);
  const int last = static_cast<int>(model.bodies().size()) - 1;
  const std::vector<ExternalWrench> wrenches = {
      {.body = last, .force = {1, -2, 3}, .moment = {0.1, 0.2, -0.3}}};
  for (const ReactionQuery& query : {ReactionQuery{}, ReactionQuery{last, 0}}) {
    double size = 1;
    const Reactions expected = recursion.reactions(q, v, a, wrenches, query);
    const Reactions found = kane.reactions(q, v, a, wrenches, query);
    ASSERT_EQ(found.joints.size(), expected.joints.size()) << name;
    // Sums over all bodies beyond a joint, in another order.
    const double off = largest_difference(expected, found, size);
    EXPECT_LT(off, 1e-11 * size) << name;
  }
}

TEST(KaneReactions, OfFlexibleArmsAreThoseOfNewtonAndEuler) {
  for (const char* name : {"flexible-two-link", "flexible-3r", "flexible-single-link"}) {
    const Model model(read_robot(name).robot);
    Eigen::VectorXd v(model.speeds()), a(model.speeds());
    for (int k = 0; k < model.speeds(); ++k) {
      const bool mode = k >= model.joint_speeds();
      v(k) = (mode ? 0.1 : 1) * std::sin(1.3 * k + 0.4);
      a(k) = (mode ? 0.5 : 2) * std::cos(2.1 * k);
    }
    expect_same(model, model.integrate(model.neutral(), Eigen::VectorXd(0.05 * v)), v, a, name);
  }
}

TEST(KaneReactions, OfTreesWithEveryJointAreThoseOfNewtonAndEuler) {
  for (int seed = 1; seed <= 12; ++seed) {
    testing::Generator g(static_cast<unsigned>(seed));
    testing::RobotRecipe recipe;
    recipe.bodies = 3 + seed % 7;
    recipe.types = testing::all_moving_types;
    recipe.types.insert(recipe.types.end(), 3, JointType::fixed);
    recipe.branches = seed % 2 == 1;
    recipe.friction = seed % 3 != 0;
    recipe.mimic = seed % 5 == 1;
    recipe.reversed = seed % 5 >= 3;
    const Model model(testing::random_robot(g, recipe));
    const Eigen::VectorXd q = model.random(g);
    const Eigen::VectorXd v = testing::random_entries(g, model.speeds(), 2),
                          a = testing::random_entries(g, model.speeds(), 5);
    expect_same(model, q, v, a, "seed " + std::to_string(seed));
  }
}

TEST(KaneReactions, OfLoopsAreThoseOfNewtonAndEuler) {
  for (const char* name : {"four-bar", "stewart-6-6", "flexible-four-bar"}) {
    const Model model(read_robot(name).robot);
    const Eigen::VectorXd q = assembled(model), none = Eigen::VectorXd::Zero(model.speeds());
    expect_same(model, q, none, none, name);
  }
}

}  // namespace
}  // namespace ulna
