// Random mechanisms (support/random_mechanism.hpp): two formulations agree on the accelerations or
// both refuse, and nothing takes long. `make campaign` tries 10,000 of them.

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "support/progress_watch.hpp"
#include "support/random_mechanism.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/mobility.hpp"
#include "ulna/numerics/internal/rank.hpp"

namespace ulna {
namespace {

using testing::Generator;

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

std::optional<Eigen::VectorXd> accelerations_at_rest(unsigned seed, LoopMethod method) {
  const testing::Mechanism mechanism = testing::random_mechanism(seed);
  const Model model(mechanism.robot);
  Workspace work(model);
  LoopDynamics loops(model);
  AssemblyOptions options;
  options.start = mechanism.q;
  options.limits = false;
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model.speeds());
  return accelerations(loops, work, assembled(model, options), rest, rest, method);
}

/// False where the posture is too near to a singular one to compare.
bool compare(unsigned seed) {
  const testing::Mechanism mechanism = testing::random_mechanism(seed);
  Generator g(seed + 77);
  const Model model(mechanism.robot);
  Workspace work(model);
  AssemblyOptions options;
  options.start = mechanism.q;
  options.limits = false;
  const Eigen::VectorXd q = assembled(model, options);
  mobility(model, q);
  if (model.speeds() == 0) return true;  // a structure: it was assembled, and that is all
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
  testing::Longest longest;
  for (unsigned seed = 1; seed <= count; ++seed) {
    const testing::ProgressWatch watch(seed);
    compared += compare(seed);
    longest.see(watch.longest(), seed);
    EXPECT_FALSE(watch.stuck()) << seed << " took more than 10 s";
  }
  std::printf("%u mechanisms, %u compared; the longest took %.2f s (seed %u)\n", count, compared,
              longest.seconds, longest.seed);
  EXPECT_GT(compared, 0.9 * count);
}

/// A massless body between the world and a free body: its hinge moves nothing, and embedding took
/// the rounding of its pivot for mass.
TEST(RandomMechanisms, WithAMasslessHingeBehindAFreeBodyAreRefusedByBoth) {
  EXPECT_TRUE(compare(7345));
}

/// A massless body between a free joint and a screw: every speed moves mass, and yet the screw can
/// turn back what the free joint turns. Its pivot was rounding, and accelerations with it.
TEST(RandomMechanisms, WithAMasslessBodyBetweenAFreeJointAndAScrewAreRefusedByBoth) {
  EXPECT_TRUE(compare(3277));
  const testing::Mechanism mechanism = testing::random_mechanism(3277);
  const Model model(mechanism.robot);
  Workspace work(model);
  LoopDynamics loops(model);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model.speeds());
  Generator g(1);
  for (int k = 0; k < 20; ++k) {
    AssemblyOptions options;
    options.start = model.integrate(mechanism.q, testing::random_entries(g, model.speeds(), 0.1));
    options.limits = false;
    const Eigen::VectorXd q = assembled(model, options);
    for (const LoopMethod method : {LoopMethod::multipliers, LoopMethod::embedding})
      EXPECT_FALSE(accelerations(loops, work, q, rest, rest, method)) << k;
  }
}

/// Two planar joints in a row slide against each other along the line of both planes. Beside them
/// other speeds have no mass at all, and that hid the pivot of rounding: embedding gave
/// accelerations of 1e16.
TEST(RandomMechanisms, WithLooseSlidesBesideMasslessBodiesAreRefusedByBoth) {
  EXPECT_TRUE(compare(9025));
  EXPECT_FALSE(accelerations_at_rest(9025, LoopMethod::multipliers));
  EXPECT_FALSE(accelerations_at_rest(9025, LoopMethod::embedding));
}

/// A planar and a free joint in a row: the masses alone are singular, so that their factors do not
/// exist, but a loop takes what they leave open. Multipliers refused it.
TEST(RandomMechanisms, WhoseLoopsHoldWhatMassesLeaveOpenAreSolvedByBoth) {
  EXPECT_TRUE(compare(36389));
  EXPECT_TRUE(accelerations_at_rest(36389, LoopMethod::multipliers));
  EXPECT_TRUE(accelerations_at_rest(36389, LoopMethod::embedding));
}

/// A massless body held twice by the same screw, with other loops beyond it: steps weighted by the
/// masses were rounding, and the loops could not be closed from 1e-6 beside.
TEST(RandomMechanisms, WithMasslessBodiesInRedundantLoopsAreClosedFromNearby) {
  const testing::Mechanism mechanism = testing::random_mechanism(213);
  const Model model(mechanism.robot);
  Workspace work(model);
  AssemblyOptions options;
  options.start = mechanism.q;
  options.limits = false;
  const Eigen::VectorXd q = assembled(model, options);
  LoopDynamics loops(model);
  Generator g(1);
  for (const double off : {1e-6, 1e-4, 1e-3, 1e-2}) {
    Eigen::VectorXd at = model.integrate(q, testing::random_entries(g, model.speeds(), off));
    EXPECT_TRUE(loops.close_positions(work, at, 1e-13)) << off;
    EXPECT_LT(model.difference(q, at).norm(), 10 * off) << off;
  }
}

}  // namespace
}  // namespace ulna
