#include "loop_chain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "../tests/support/four_bar_chain.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna::bench {
namespace {

LoopChainRun timed(int loops) {
  Experiment experiment(std::make_shared<const Model>(testing::four_bar_chain(loops)));
  experiment.q = testing::posture_of_chain(*experiment.model, -0.4);
  experiment.end = 1;
  experiment.integrator.tolerances = {1e-8, 1e-10};
  LoopChainRun run{loops, 1e9, 0};
  for (int round = 0; round < 10; ++round) {
    const RunSummary summary = simulate(experiment, RunOptions{});
    run.seconds = std::min(run.seconds, summary.wall_seconds);
    run.evaluations = summary.statistics.evaluations;
  }
  return run;
}

}  // namespace

std::vector<LoopChainRun> measure_loop_chains() {
  return {timed(12), timed(25), timed(50), timed(100)};
}

void print_loop_chains(const std::vector<LoopChainRun>& runs) {
  fmt::print("\nFour-bars in a row for 1 s, rtol 1e-8, 101 records, one core\n");
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const LoopChainRun& run = runs[k];
    fmt::print("  {:>4} loops {:>11.3f} ms {:>8} evaluations {:>9.2f} us each", run.loops,
               1e3 * run.seconds, run.evaluations,
               1e6 * run.seconds / static_cast<double>(run.evaluations));
    if (k > 0)
      fmt::print("   {:.2f} times the time of {}", run.seconds / runs[k - 1].seconds,
                 runs[k - 1].loops);
    fmt::print("\n");
  }
}

}  // namespace ulna::bench
