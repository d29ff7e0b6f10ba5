// Random mechanisms: trees of all joint types with one or two random closing joints, welded and
// massless bodies among them. Two formulations agree on the accelerations or both refuse, and
// nothing takes long. `make campaign` tries 10,000 of them.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <optional>

#include "support/random_robot.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/mobility.hpp"
#include "ulna/numerics/internal/rank.hpp"

namespace ulna {
namespace {

using testing::Generator;

int pick(Generator& g, std::size_t count) { return static_cast<int>(g() % count); }

Robot random_tree(Generator& g) {
  testing::RobotRecipe recipe;
  recipe.bodies = 2 + pick(g, 6);
  recipe.branches = pick(g, 2) == 1;
  recipe.types = testing::all_moving_types;
  recipe.types.push_back(JointType::fixed);
  Robot robot = testing::random_robot(g, recipe);
  if (pick(g, 3) == 0)
    for (BodyData& body : robot.bodies)
      if (pick(g, 3) == 0) body.inertial = {};
  return robot;
}

/// Closed at the tree's posture q by construction.
JointData random_closing(Generator& g, const Model& tree, const Workspace& work) {
  constexpr JointType types[] = {JointType::fixed,       JointType::revolute,  JointType::prismatic,
                                 JointType::screw,       JointType::universal, JointType::spherical,
                                 JointType::cylindrical, JointType::planar};
  JointData joint;
  joint.type = types[pick(g, std::size(types))];
  joint.cut = true;
  const auto any = [&] { return pick(g, tree.bodies().size()); };
  const int parent = any();
  int child = any();
  if (child == parent) child = (parent + 1) % static_cast<int>(tree.bodies().size());
  joint.parent = tree.bodies()[static_cast<std::size_t>(parent)].name;
  joint.child = tree.bodies()[static_cast<std::size_t>(child)].name;
  joint.axis = testing::random_vector(g);
  joint.axis2 = joint.axis.cross(testing::random_vector(g));
  joint.pitch = 0.3;
  joint.X_PF = {testing::random_rotation(g), testing::random_vector(g)};
  const Pose<double> X_WF = frame_pose(tree, work, parent) * joint.X_PF;
  joint.X_MC = X_WF.inverse() * frame_pose(tree, work, child);
  return joint;
}

/// Its robot, closed at q.
struct Mechanism {
  Robot robot;
  Eigen::VectorXd q;
};
Mechanism random_mechanism(Generator& g) {
  Mechanism out{random_tree(g), {}};
  const Model tree(out.robot);
  Workspace work(tree);
  out.q = tree.random(g);
  update_poses(tree, work, out.q);
  const int loops = 1 + pick(g, 2);
  for (int k = 0; k < loops; ++k) {
    out.robot.joints.push_back(random_closing(g, tree, work));
    out.robot.joints.back().name = "closing" + std::to_string(k);
  }
  return out;
}

/// How far the rank of the loops is from a matter of opinion.
double quality(const LoopClosure& closure) {
  const RankDecision rank = rank_by_svd(closure.scaled_jacobian(), loop_rank_tolerance);
  if (rank.rank == 0) return 1;
  const bool clear =
      rank.rank == rank.values.size() || rank.values(rank.rank) < 1e-11 * rank.values(0);
  return clear ? rank.values(rank.rank - 1) / rank.values(0) : 0;
}

std::optional<Eigen::VectorXd> accelerations(LoopDynamics& loops, Workspace& work,
                                             const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                             const Eigen::VectorXd& tau, LoopMethod method) {
  try {
    return loops.forward(work, q, v, tau, {}, method);
  } catch (const ComputationError&) {  // some massless part is determined by nothing
    return {};
  }
}

/// False where the posture is too near to a singular one to compare.
bool compare(unsigned seed) {
  Generator g(seed);
  const Mechanism mechanism = random_mechanism(g);
  const Model model(mechanism.robot);
  Workspace work(model);
  AssemblyOptions options;
  options.start = mechanism.q;
  options.limits = false;
  const Eigen::VectorXd q = assembled(model, options);
  mobility(model, q);
  LoopClosure closure(model);
  closure.update(work, q);
  const double sound = quality(closure);
  if (sound < 1e-5) return false;
  const Eigen::VectorXd v = compatible_speeds(closure, testing::random_entries(g, model.speeds())),
                        tau = testing::random_entries(g, model.speeds(), 5);
  LoopDynamics loops(model);
  const auto a = accelerations(loops, work, q, v, tau, LoopMethod::multipliers),
             b = accelerations(loops, work, q, v, tau, LoopMethod::embedding);
  EXPECT_EQ(a.has_value(), b.has_value()) << seed;
  if (!a || !b) return true;
  // Independent speeds lose digits with the square of the condition.
  const double bound = 1e-8 * std::max(1.0, 1e-3 / (sound * sound));
  EXPECT_LT((*a - *b).norm(), bound * (1e-3 + b->norm())) << seed;
  return true;
}

TEST(RandomMechanisms, AreSolvedAlikeByTwoFormulationsOrRefusedByBoth) {
  const char* asked = std::getenv("ULNA_MECHANISMS");
  const unsigned count = asked ? static_cast<unsigned>(std::atoi(asked)) : 1000;
  unsigned compared = 0;
  for (unsigned seed = 1; seed <= count; ++seed) {
    const auto begin = std::chrono::steady_clock::now();
    compared += compare(seed);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(time.count(), 10) << seed;
  }
  EXPECT_GT(compared, 0.9 * count);
}

/// A massless body between the world and a free body: its hinge moves nothing, and embedding took
/// the rounding of its pivot for mass.
TEST(RandomMechanisms, WithAMasslessHingeBehindAFreeBodyAreRefusedByBoth) {
  EXPECT_TRUE(compare(7345));
}

}  // namespace
}  // namespace ulna
