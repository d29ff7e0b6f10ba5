// A share of the random mechanisms (support/random_mechanism.hpp) moves for a short time, by
// multipliers and by embedding: both end at the same state or say why they cannot go on, and none
// goes without progress for more than 10 s. `make campaign` takes one in ten of its mechanisms.

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "support/progress_watch.hpp"
#include "support/random_mechanism.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/numerics/internal/rank.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna::wild_mechanisms_test {
namespace {

using testing::ProgressWatch;

struct End {
  Eigen::VectorXd q, v;
};
/// Where it ends; none: it cannot go on, and says so.
std::optional<End> end_of(Experiment experiment, LoopMethod closing, unsigned seed,
                          testing::Longest& longest) {
  experiment.closing = closing;
  ProgressWatch watch(seed);
  RunOptions options;
  options.stop = watch.token();
  options.record = [&](double, std::span<const double>) { watch.progress(); };
  try {
    const RunSummary summary = simulate(experiment, options);
    longest.see(watch.longest(), seed);
    EXPECT_FALSE(watch.stuck()) << "seed " << seed << " made no progress for 10 s";
    if (!summary.complete) return {};
    return End{summary.q, summary.v};
  } catch (const ComputationError& error) {
    longest.see(watch.longest(), seed);
    EXPECT_FALSE(watch.stuck()) << "seed " << seed << " took 10 s to say that it cannot go on";
    EXPECT_FALSE(std::string(error.what()).empty()) << seed;
    return {};
  }
}

/// How far the rank of the loops is from a matter of opinion, at this posture.
double soundness(const Model& model, const Eigen::VectorXd& q) {
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, q);
  const RankDecision rank = rank_by_svd(closure.scaled_jacobian(), loop_rank_tolerance);
  if (rank.rank == 0) return 1;
  const bool clear =
      rank.rank == rank.values.size() || rank.values(rank.rank) < 1e-11 * rank.values(0);
  return clear ? rank.values(rank.rank - 1) / rank.values(0) : 0;
}

struct Tally {
  unsigned ran = 0, compared = 0, ended_early = 0;
  testing::Longest longest;  ///< without progress
};

void run(unsigned seed, Tally& tally) {
  const testing::Mechanism mechanism = testing::random_mechanism(seed);
  const auto model = std::make_shared<const Model>(mechanism.robot);
  AssemblyOptions assembly;
  assembly.start = mechanism.q;
  assembly.limits = false;
  Experiment experiment(model);
  experiment.end = 0.05;
  experiment.q = assembled(*model, assembly);
  experiment.integrator.tolerances = {1e-8, 1e-9};
  experiment.record.interval = 2.5e-4;  // progress is seen at the records
  experiment.record.interpolate = true;
  experiment.record.channels = {"q", "v"};
  ++tally.ran;
  const auto a = end_of(experiment, LoopMethod::multipliers, seed, tally.longest),
             b = end_of(experiment, LoopMethod::embedding, seed, tally.longest);
  tally.ended_early += !a || !b;
  EXPECT_EQ(a.has_value(), b.has_value()) << seed << " can go on by one of the two alone";
  if (!a || !b || model->speeds() == 0) return;
  const double sound = std::min(soundness(*model, experiment.q),
                                std::min(soundness(*model, a->q), soundness(*model, b->q)));
  if (sound < 1e-3) return;
  ++tally.compared;
  EXPECT_LT(model->difference(a->q, b->q).norm(), 1e-5 * (1 + a->q.norm())) << seed;
  EXPECT_LT((a->v - b->v).norm(), 1e-4 * (1 + a->v.norm())) << seed;
}

TEST(RandomMechanismRuns, EndAlikeByTwoFormulationsAndNeverStandStill) {
  const char* asked = std::getenv("ULNA_MECHANISMS");
  const unsigned count = asked ? static_cast<unsigned>(std::atoi(asked)) / 10 : 60;
  Tally tally;
  for (unsigned k = 0; k < count; ++k) run(1 + k * 7, tally);
  std::printf(
      "%u mechanisms moved, %u compared, %u could not go on; at most %.2f s without progress (seed "
      "%u)\n",
      tally.ran, tally.compared, tally.ended_early, tally.longest.seconds, tally.longest.seed);
  EXPECT_GT(tally.compared, count / 4);
}

/// No row of its loops is left after compression: the smallest of no singular values was asked for.
TEST(RandomMechanismRuns, WithLoopsThatHoldNothingEnd) {
  Tally tally;
  run(15996, tally);
  EXPECT_EQ(tally.ran, 1u);
}

/// Its massless body turns against a free joint and a screw as it likes: the run took more than 10
/// s to say that it does not get on.
TEST(RandomMechanismRuns, WithMasslessBodiesThatNothingPlacesEndAtOnce) {
  const testing::Mechanism mechanism = testing::random_mechanism(3277);
  Experiment experiment(std::make_shared<const Model>(mechanism.robot));
  AssemblyOptions assembly;
  assembly.start = mechanism.q;
  assembly.limits = false;
  experiment.q = assembled(*experiment.model, assembly);
  experiment.end = 0.05;
  try {
    simulate(experiment);
    FAIL() << "nothing determines its motion";
  } catch (const ComputationError& error) {
    EXPECT_NE(std::string(error.what()).find("do not determine"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace ulna::wild_mechanisms_test
