// Interleaved timing. In every round each contestant, and each yardstick, runs one block of about
// half a millisecond, so that a clock that wanders or a neighbour that wakes hits all of them
// alike.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agreement.hpp"

namespace ulna::bench {

struct Timing {
  double least_ns = 0;
  double median_ns = 0;
};

// By name of contestant or yardstick.
using Timings = std::map<std::string, Timing>;

inline constexpr const char* add_yardstick = "dependent_integer_add";
inline constexpr const char* sincos_yardstick = "scalar_sincos_of_6_angles";

// Something that can be repeated, with what it took per repetition in each round.
struct Runner {
  std::string name;
  std::function<void(long)> repeat;
  long block = 1;
  std::vector<double> samples = {};
};

// The time per repetition of each.
Timings measure(std::vector<Runner> runners, int rounds);

// The time per evaluation of every contestant that supports the task, and of the yardsticks.
Timings measure(const Contestants& contestants, Task task, const States& states, int rounds);

}  // namespace ulna::bench
