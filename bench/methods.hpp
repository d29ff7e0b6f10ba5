// Ulna against itself: what each method of inverse dynamics costs on one robot, interleaved.
#pragma once

#include "timing.hpp"

namespace ulna::bench {

// The method all others are compared with.
inline constexpr const char* first_method = "newton-euler";

struct MethodFindings {
  std::string robot;
  Timings timings = {};
  double disagreement = 0;  // the largest, relative to the largest effort

  // Least time over that of the first method.
  double ratio(const std::string& method) const {
    return timings.at(method).least_ns / timings.at(first_method).least_ns;
  }
};

// A shipped robot. Stops with an error when the methods do not agree to 1e-11.
MethodFindings measure_methods(const std::string& robot, int rounds);
void print_methods(const MethodFindings& findings);

}  // namespace ulna::bench
