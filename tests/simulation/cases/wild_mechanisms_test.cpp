// A share of the random mechanisms (support/random_mechanism.hpp) moves for a short time, by
// multipliers and by embedding: both end at the same state or say why they cannot go on, and none
// goes without progress for more than 10 s. `make campaign` takes one in ten of its mechanisms.

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <optional>
#include <thread>

#include "support/random_mechanism.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/numerics/internal/rank.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna::wild_mechanisms_test {
namespace {

/// Of the processor, so that a busy machine is no reason to complain.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Stops a run that has made no record for 10 s.
class Watch {
 public:
  Watch() : last_(seconds()), thread_([this](std::stop_token end) { look(end); }) {}
  void progress() {
    const std::lock_guard lock(mutex_);
    last_ = seconds();
  }
  std::stop_token token() const { return stop_.get_token(); }
  bool stuck() const { return stop_.stop_requested(); }

 private:
  void look(const std::stop_token& end) {
    std::unique_lock lock(mutex_);
    while (!end.stop_requested()) {
      wake_.wait_for(lock, end, std::chrono::milliseconds(200), [] { return false; });
      if (seconds() - last_ > 10) stop_.request_stop();
    }
  }
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  double last_;
  std::jthread thread_;
};

struct End {
  Eigen::VectorXd q, v;
};
/// Where it ends; none: it cannot go on, and says so.
std::optional<End> end_of(Experiment experiment, LoopMethod closing, unsigned seed) {
  experiment.closing = closing;
  Watch watch;
  RunOptions options;
  options.stop = watch.token();
  options.record = [&](double, std::span<const double>) { watch.progress(); };
  try {
    const RunSummary summary = simulate(experiment, options);
    EXPECT_FALSE(watch.stuck()) << "seed " << seed << " made no progress for 10 s";
    if (!summary.complete) return {};
    return End{summary.q, summary.v};
  } catch (const ComputationError& error) {
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
  const auto a = end_of(experiment, LoopMethod::multipliers, seed),
             b = end_of(experiment, LoopMethod::embedding, seed);
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
  std::printf("%u mechanisms moved, %u compared, %u could not go on\n", tally.ran, tally.compared,
              tally.ended_early);
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
