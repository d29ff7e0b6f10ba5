// Parallel robots: what the DDTS (six legs with full dynamics) costs in closed form, and by the
// other routes, which must agree with it first; and forward dynamics beside the libraries that can
// express such a robot, in the same rounds.
#pragma once

#include <string>
#include <vector>

#include "timing.hpp"

namespace ulna::bench {

struct PlatformFindings {
  Timings timings = {};
  double disagreement = 0;  // of the three routes, relative to the largest effort
  double iterations = 0;    // of direct kinematics, mean
  // Another library: how far its leg accelerations are from Ulna's, relative to the largest.
  struct Peer {
    std::string name;
    double at_rest = 0, moving = 0;
  };
  std::vector<Peer> peers = {};
  std::vector<std::string> missing = {};  // why a library is left out
};

PlatformFindings measure_platforms(int rounds);
void print_platforms(const PlatformFindings& findings);

}  // namespace ulna::bench
