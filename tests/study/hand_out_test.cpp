// The protocol between rank 0 and the others, simulated with the costs that were recorded in a run
// (summary.json, "hand_out"): how many ranks it feeds.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <queue>

#include "ulna/study/internal/hand_out.hpp"

namespace ulna {
namespace {

struct ProtocolCosts {
  double message = 40e-6;  ///< of rank 0 for an answer
  double row = 0.8e-6;     ///< of rank 0 for a row
  double poll = 1e-3;      ///< both sides look for messages this often
  double wire = 20e-6;     ///< one way, with the exchange of small messages between machines
};

struct Fed {
  double busy = 0;    ///< share of the time in which the ranks compute
  double server = 0;  ///< share of the time in which rank 0 answers
};

/// Events in time: a rank has half of its batch left and asks; rank 0 answers one after the other;
/// the answer arrives. A rank without work waits for it.
Fed simulate_protocol(int ranks, long samples, double sample_seconds, const ProtocolCosts& costs) {
  HandOut hand_out({{0, samples}}, ranks, ranks);
  struct Rank {
    double free_at = 0;  ///< when all it has is computed
    long finished = 0;   ///< rows that go with its next message
    bool over = false;
  };
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  using Ask = std::pair<double, int>;  // when it arrives at rank 0, and from whom
  std::priority_queue<Ask, std::vector<Ask>, std::greater<>> asks;
  for (int k = 0; k < ranks; ++k) asks.emplace(costs.wire, k);
  double server_free = 0, server_busy = 0, computed = 0, end = 0;
  while (!asks.empty()) {
    const auto [arrives, k] = asks.top();
    asks.pop();
    Rank& rank = all[static_cast<std::size_t>(k)];
    // Looked for now and then, unless there is a queue.
    const double start = std::max(server_free, std::ceil(arrives / costs.poll) * costs.poll);
    const double rows = costs.row * double(rank.finished);
    server_free = start + costs.message + rows;
    server_busy += costs.message + rows;
    if (rank.finished > 0) hand_out.measured(rank.finished, sample_seconds * double(rank.finished));
    rank.finished = 0;
    const Batch batch = hand_out.next();
    hand_out.answered(costs.message);
    if (batch.count == 0) continue;
    // The rows of a large message come after rank 0 has seen that it is there.
    const double there = server_free + costs.wire + 1.5 * costs.poll;
    const double begins = std::max(rank.free_at, there);
    const double lasts = sample_seconds * double(batch.count);
    rank.free_at = begins + lasts;
    rank.finished = batch.count;
    computed += lasts;
    end = std::max(end, rank.free_at);
    asks.emplace(begins + lasts / 2 + costs.poll / 2 + costs.wire, k);
  }
  return {computed / (ranks * end), server_busy / end};
}

// Ten seconds of work for each rank.
Fed fed(int ranks, double sample_seconds) {
  return simulate_protocol(ranks, std::lround(ranks * 10 / sample_seconds), sample_seconds, {});
}

TEST(HandingOut, FeedsAThousandRanksAtTenMilliseconds) {
  const Fed found = fed(1000, 0.01);
  EXPECT_GT(found.busy, 0.95);
  EXPECT_LT(found.server, 0.5);
}

TEST(HandingOut, FeedsTenThousandRanksAtOneSecond) {
  EXPECT_GT(simulate_protocol(10000, 200000, 1, {}).busy, 0.9);
}

// Rows alone take more than all of the time of rank 0 at 3,000 ranks: 3,000 / 1 ms x 0.8 us.
TEST(HandingOut, EndsWhereRowsTakeAllOfRankZero) {
  EXPECT_GT(fed(400, 0.001).busy, 0.9);
  EXPECT_LT(fed(3000, 0.001).busy, 0.6);
}

// Batches of one sample, as without the rule for many ranks, would not do.
TEST(HandingOut, BatchesGrowWithTheRanksThatAsk) {
  HandOut few({{0, 1000000}}, 10, 10), many({{0, 1000000}}, 1000, 1000);
  for (HandOut* one : {&few, &many}) one->measured(1, 0.01), one->answered(50e-6);
  EXPECT_EQ(few.next().count, 5);
  EXPECT_EQ(many.next().count, 20);
}

TEST(HandingOut, EverySampleOnce) {
  HandOut hand_out({{3, 10}, {20, 21}, {30, 1000}}, 7, 3);
  hand_out.measured(1, 0.02), hand_out.answered(1e-3);
  std::vector<int> seen(1000);
  for (Batch batch = hand_out.next(2); batch.count > 0; batch = hand_out.next(2))
    for (long k = 0; k < batch.count; ++k) ++seen[static_cast<std::size_t>(batch.first + k)];
  for (int k = 0; k < 1000; ++k)
    EXPECT_EQ(seen[static_cast<std::size_t>(k)], (k >= 3 && k < 10) || k == 20 || k >= 30) << k;
}

}  // namespace
}  // namespace ulna
