// Parallel robots: what the DDTS (six legs with full dynamics) costs in closed form, and by the
// other routes, which must agree with it first.
#pragma once

#include "timing.hpp"

namespace ulna::bench {

struct PlatformFindings {
  Timings timings = {};
  double disagreement = 0;  // of the three routes, relative to the largest effort
  double iterations = 0;    // of direct kinematics, mean
};

PlatformFindings measure_platforms(int rounds);
void print_platforms(const PlatformFindings& findings);

}  // namespace ulna::bench
