// Inverse dynamics of very many states of a seven-joint arm: one by one, in packs, on two threads.
#pragma once

#include <string>

namespace ulna::bench {

struct BatchFindings {
  long states = 0;
  double plain = 0, packs = 0, packs_two_threads = 0;  // nanoseconds per state, least of the rounds
  // Generated code: one by one, the function for a pack of 8 alone, states by rows, two threads.
  double compiled = 0, compiled_pack = 0, compiled_batch = 0, compiled_two_threads = 0;
  std::string instruction_set;
};

BatchFindings measure_batch(long states);
void print_batch(const BatchFindings& findings);

}  // namespace ulna::bench
