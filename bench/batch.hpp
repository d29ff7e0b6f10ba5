// Inverse dynamics of very many states of a seven-joint arm: one by one, in packs, on two threads.
#pragma once

#include <string>

namespace ulna::bench {

struct BatchFindings {
  long states = 0;
  double plain = 0, packs = 0, packs_two_threads = 0;  // nanoseconds per state, least of the rounds
  std::string instruction_set;
};

BatchFindings measure_batch(long states);
void print_batch(const BatchFindings& findings);

}  // namespace ulna::bench
