// The compact form gives the same efforts whatever the plan: moving masses along axes, sliding
// origins and leaving vectors unturned change operations, not mechanics.
#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/kernels/compact_newton_euler.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/symbolic/graph.hpp"
#include "ulna/symbolic/internal/evaluate.hpp"

namespace ulna {
namespace {

using testing::Generator;
using testing::random_entries;

// Parallel and perpendicular axes, as real arms have them, as well as any.
Robot arm_like(Generator& g, int bodies) {
  Robot robot = testing::random_robot(
      g, {.bodies = bodies,
          .types = {JointType::revolute, JointType::prismatic, JointType::screw, JointType::planar},
          .branches = true,
          .friction = true,
          .mimic = true});
  for (JointData& joint : robot.joints) {
    if (testing::uniform(g, 0, 1) < 0.3) continue;
    joint.X_PF.rotation = Matrix3<double>::Identity();
    joint.X_MC.rotation = Matrix3<double>::Identity();
    joint.axis = Vector3<double>::Unit(static_cast<int>(g() % 3)) * (g() % 2 == 0 ? 1 : -1);
    joint.axis2 = joint.axis.unitOrthogonal();
  }
  return robot;
}

CompactPlan random_plan(Generator& g, std::size_t nodes) {
  CompactPlan plan(nodes);
  for (CompactChoice& c : plan) {
    c.by_gravity = g() % 2 == 0;
    c.slides = g() % 2 == 0, c.turns = g() % 2 == 0, c.rod = g() % 2 == 0, c.aligns = g() % 2 == 0;
    c.mass = static_cast<Clears>(g() % parent_targets);
    c.moment = static_cast<Clears>(g() % parent_targets);
    c.axial = static_cast<Clears>(g() % all_targets);
  }
  return plan;
}

TEST(CompactNewtonEuler, GivesTheEffortsOfThePlainRecursion) {
  for (int trial = 0; trial < 200; ++trial) {
    Generator g(trial);
    const Model model(arm_like(g, 2 + trial % 8));
    Workspace work(model);
    const Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds()),
                          a = random_entries(g, model.speeds());
    const Eigen::VectorXd expected = inverse_dynamics(model, work, q, v, a);
    const Eigen::VectorXd found = inverse_dynamics_compact(model, q, v, a);
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff())
        << "trial " << trial;
  }
}

TEST(CompactNewtonEuler, DoesNotDependOnThePlan) {
  for (int trial = 0; trial < 200; ++trial) {
    Generator g(1000 + trial);
    const Model model(arm_like(g, 2 + trial % 6));
    const int n = model.speeds();
    Graph graph;
    Graph::Scope scope(graph);
    std::vector<Expression> state[3];
    std::vector<double> in;
    const Eigen::VectorXd q = model.random(g), v = random_entries(g, n), a = random_entries(g, n);
    const Eigen::VectorXd* values[] = {&q, &v, &a};
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < values[k]->size(); ++i) {
        state[k].push_back(graph.input(std::string(1, "qva"[k]) + std::to_string(i)));
        in.push_back((*values[k])(i));
      }
    const CompactTree<Expression> tree =
        compact_tree(model.topology(), converted<Expression>(model.parameters()),
                     random_plan(g, model.topology().nodes.size()));
    std::vector<CompactMotion<Expression>> work(tree.nodes.size());
    std::vector<Expression> tau(n);
    compact_newton_euler<Expression>(tree, work.data(), state[0].data(), state[1].data(),
                                     state[2].data(), tau.data());
    Workspace plain(model);
    Eigen::VectorXd expected = inverse_dynamics(model, plain, q, v, a);
    expected -= Eigen::VectorXd(passive_efforts(model, plain, q, v));
    const std::vector<double> found = evaluate(tau, in, graph);
    // Clearing an entry through a short arm moves large masses to and fro: slopes go down to 1e-3.
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(found[i], expected(i), 1e-9 * expected.cwiseAbs().maxCoeff())
          << "trial " << trial;
  }
}

TEST(CompactNewtonEuler, RefusesABallJointByName) {
  Generator g(1);
  Robot robot = testing::random_robot(g, {.bodies = 2, .types = {JointType::spherical}});
  const Model model(robot);
  try {
    compact_tree(model);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("j0"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ulna
