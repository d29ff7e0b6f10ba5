// ulna-bench-hand-out: how many ranks rank 0 of a study can feed, by simulating its protocol with
// the costs that a run recorded.
//
//   ulna-bench-hand-out [MESSAGE_US ROW_US]      from "hand_out" in summary.json

#include <fmt/format.h>

#include <cstdlib>

#include "bench/hand_out_protocol.hpp"

namespace ulna::bench {
namespace {

/// The most processors that compute for 95 percent of the time, in steps 1, 2, 5.
int most_fed(double sample_seconds, const ProtocolCosts& costs, int threads) {
  int most = 0;
  for (int decade = 10; decade <= 10000; decade *= 10)
    for (const int step : {1, 2, 5}) {
      const int ranks = decade * step / threads;
      if (ranks < 1) continue;
      if (fed(ranks, sample_seconds, costs, threads).busy < 0.95) return most;
      most = ranks * threads;
      if (most >= 20000) return most;
    }
  return most;
}

void print_table(const ProtocolCosts& costs) {
  fmt::print("{:.0f} us for an answer, {:.2f} us for a row, messages seen every {:.0f} ms\n",
             1e6 * costs.message, 1e6 * costs.row, 1e3 * costs.poll);
  fmt::print("{:>10} {:>14} {:>22} {:>24}\n", "sample", "ranks at 95 %", "1,000 ranks: busy",
             "rank 0 at 1,000 ranks");
  for (const double sample : {1e-3, 1e-2, 1.0}) {
    const Fed thousand = fed(1000, sample, costs);
    fmt::print("{:>7} ms {:>14} {:>20.1f} % {:>22.1f} %\n", 1e3 * sample,
               most_fed(sample, costs, 1), 100 * thousand.busy, 100 * thousand.server);
  }
  fmt::print("{:>10} {:>14}\n", "", "processors at 95 %, ranks of 50 threads");
  for (const double sample : {1e-3, 1e-2, 1.0})
    fmt::print("{:>7} ms {:>14}\n", 1e3 * sample, most_fed(sample, costs, 50));
}

}  // namespace
}  // namespace ulna::bench

int main(int count, char** words) {
  using namespace ulna::bench;
  ProtocolCosts costs;
  if (count == 3) {
    costs.message = 1e-6 * std::atof(words[1]), costs.row = 1e-6 * std::atof(words[2]);
    print_table(costs);
    return 0;
  }
  print_table(costs);
  // As on a machine whose processors all compute: the one that answers waits for its turn.
  fmt::print("\n");
  print_table({.message = 80e-6, .row = 2.6e-6, .poll = 5e-3});
  return 0;
}
