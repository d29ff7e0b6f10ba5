// The protocol between rank 0 and the others, simulated with the costs that were recorded in a run
// (summary.json, "hand_out"): how many ranks it feeds.

#include <gtest/gtest.h>

#include "bench/hand_out_protocol.hpp"
#include "ulna/study/internal/hand_out.hpp"

namespace ulna {
namespace {

using bench::Fed;
using bench::fed;
using bench::ProtocolCosts;

// As measured on a machine with a load of twelve on two processors; on a quiet one an answer takes
// 45 us and a row 0.27 us.
constexpr ProtocolCosts busy_machine{.message = 80e-6, .row = 2.6e-6, .poll = 5e-3};

TEST(HandingOut, FeedsAThousandRanksAtTenMilliseconds) {
  for (const ProtocolCosts& costs : {ProtocolCosts(), busy_machine}) {
    const Fed found = fed(1000, 0.01, costs);
    EXPECT_GT(found.busy, 0.95);
    EXPECT_LT(found.server, 0.6);
  }
}

TEST(HandingOut, FeedsTenThousandRanksAtOneSecond) {
  for (const ProtocolCosts& costs : {ProtocolCosts(), busy_machine})
    EXPECT_GT(fed(10000, 1, costs).busy, 0.9);
}

// Rows alone take more than all of the time of rank 0 at 5,000 ranks: 5,000 / 1 ms x 0.27 us.
TEST(HandingOut, EndsWhereRowsTakeAllOfRankZero) {
  EXPECT_GT(fed(1000, 0.001, {}).busy, 0.9);
  EXPECT_LT(fed(5000, 0.001, {}).busy, 0.7);
}

// Ranks with many threads are a second level: rank 0 answers each rank for all of them.
TEST(HandingOut, ThreadsOfRanksTakeAnswersFromRankZero) {
  const Fed flat = fed(1000, 0.01, busy_machine), two_levels = fed(20, 0.01, busy_machine, 50);
  EXPECT_GT(two_levels.busy, 0.95);
  EXPECT_LT(two_levels.server, flat.server);
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
