// How the cost of simulating a mechanism grows with its loops: four-bars in a row, the rocker of
// each the crank of the next, swinging for a second.
#pragma once

#include <vector>

namespace ulna::bench {

struct LoopChainRun {
  int loops = 0;
  double seconds = 0;  // of the fastest of the rounds
  long evaluations = 0;
};

std::vector<LoopChainRun> measure_loop_chains();
void print_loop_chains(const std::vector<LoopChainRun>& runs);

}  // namespace ulna::bench
