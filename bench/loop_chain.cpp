#include "loop_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "../tests/support/four_bar_chain.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna::bench {
namespace {

Experiment swing_of(int loops) {
  Experiment experiment(std::make_shared<const Model>(testing::four_bar_chain(loops)));
  experiment.q = testing::posture_of_chain(*experiment.model, -0.4);
  experiment.end = 1;
  experiment.integrator.tolerances = {1e-8, 1e-10};
  return experiment;
}

// Of this thread: what others do on the machine counts little.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

// Round after round, so that a clock that wanders meets all lengths alike.
std::vector<LoopChainRun> measure_loop_chains() {
  std::vector<LoopChainRun> runs;
  std::vector<Experiment> experiments;
  for (const int loops : {12, 25, 50, 100}) {
    runs.push_back({loops, 1e9, 0});
    experiments.push_back(swing_of(loops));
  }
  for (int round = 0; round < 15; ++round)
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const double begin = processor_seconds();
      const RunSummary summary = simulate(experiments[k], RunOptions{});
      runs[k].seconds = std::min(runs[k].seconds, processor_seconds() - begin);
      runs[k].evaluations = summary.statistics.evaluations;
    }
  return runs;
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
