// How fast simulations run: the Intelledex 605 for two seconds at a relative tolerance of 1e-8, and
// what the integrators cost by themselves.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ulna::bench {

struct SimulatedRun {
  std::string name;
  double simulated = 0, seconds = 0;  // seconds of the fastest of the rounds
  long evaluations = 0;
  double times_real_time() const { return simulated / seconds; }
};

struct SimulationFindings {
  std::vector<SimulatedRun> runs;
  std::vector<std::pair<std::string, double>> own_ns;  // per evaluation, 12 states
};

SimulationFindings measure_simulation();
void print_simulation(const SimulationFindings& findings);

}  // namespace ulna::bench
