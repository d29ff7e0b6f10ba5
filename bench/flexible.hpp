// How fast flexible robots run: the spin-up of Padilla's outboard link for 15 s, and the cost of
// forward dynamics over the number of flexible links.
#pragma once

#include <utility>
#include <vector>

#include "simulation.hpp"

namespace ulna::bench {

struct FlexibleFindings {
  SimulatedRun spin_up;
  std::vector<std::pair<int, double>> links_ns;  // links, ns per forward dynamics
};

FlexibleFindings measure_flexible();
void print_flexible(const FlexibleFindings& findings);

}  // namespace ulna::bench
