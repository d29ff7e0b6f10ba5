#include "timing.hpp"

#include <alloca.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>

namespace ulna::bench {
namespace {

constexpr double block_ns = 5e5;
constexpr long longest_block = 1 << 20;

double time_per_repetition(const Runner& runner) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  runner.repeat(runner.block);
  const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
  return elapsed.count() / static_cast<double>(runner.block);
}

// The same, with the stack moved down a little: where it happens to begin against cache lines and
// pages can cost a third of a short call, and must not stay the same for a whole run.
[[gnu::noinline]] double time_with_stack_moved(const Runner& runner, int step) {
  void* room = alloca(static_cast<std::size_t>(16 * (1 + step % 61)));
  asm volatile("" : : "r"(room) : "memory");
  return time_per_repetition(runner);
}

// Doubles the block until it lasts a quarter of the wanted time, then scales: this also warms up.
// The least of several trials counts, because one interruption would make the block far too short.
void choose_block(Runner& runner) {
  const auto least = [&] {
    double each = time_per_repetition(runner);
    for (int trial = 1; trial < 5; ++trial) each = std::min(each, time_per_repetition(runner));
    return each;
  };
  double each = least();
  while (each * static_cast<double>(runner.block) < block_ns / 4 && runner.block < longest_block) {
    runner.block *= 2;
    each = least();
  }
  runner.block = std::clamp(std::lround(block_ns / each), 1L, longest_block);
}

constexpr int adds_per_repetition = 16;

// The optimiser must take both numbers for changed, so that every addition waits for the one
// before; processors that fold small constants while renaming registers must not know the second
// either.
void add_repeatedly(long count) {
  std::uint64_t x = 1, step = 3;
  asm volatile("" : "+r"(step));
  for (long i = 0; i < count; ++i) {
#pragma GCC unroll 16
    for (int k = 0; k < adds_per_repetition; ++k) {
      x += step;
      asm volatile("" : "+r"(x));
    }
  }
}

Runner sincos_runner(const States& states) {
  return {sincos_yardstick, [&states, next = std::size_t{0}](long count) mutable {
            for (long i = 0; i < count; ++i) {
              for (int k = 0; k < 6; ++k) {
                double angle = states.q[next++];
                if (next == states.q.size()) next = 0;
                double sine, cosine;
                ::sincos(angle, &sine, &cosine);
                asm volatile("" : : "m"(sine), "m"(cosine));
              }
            }
          }};
}

Runner contestant_runner(Contestant& contestant, Task task, const States& states) {
  return {contestant.name(), [&, task, next = std::size_t{0}](long count) mutable {
            for (long i = 0; i < count; ++i) {
              const std::size_t at = next * states.n;
              contestant.run(task, &states.q[at], &states.v[at], &states.u[at]);
              next = (next + 1) % States::count;
            }
          }};
}

Timing summary(std::vector<double> samples) {
  std::ranges::sort(samples);
  return {samples.front(), samples[samples.size() / 2]};
}

}  // namespace

Timings measure(std::vector<Runner> runners, int rounds) {
  for (Runner& runner : runners) choose_block(runner);
  std::mt19937_64 order(1);
  for (int round = 0; round < rounds; ++round) {
    // A new order every round, so that none always follows the same neighbour.
    std::ranges::shuffle(runners, order);
    for (Runner& runner : runners) runner.samples.push_back(time_with_stack_moved(runner, round));
  }
  Timings timings;
  for (Runner& runner : runners) timings[runner.name] = summary(std::move(runner.samples));
  return timings;
}

Timings measure(const Contestants& contestants, Task task, const States& states, int rounds) {
  std::vector<Runner> runners;
  for (const auto& contestant : contestants)
    if (contestant->supports(task)) runners.push_back(contestant_runner(*contestant, task, states));
  runners.push_back({add_yardstick, add_repeatedly});
  runners.push_back(sincos_runner(states));
  Timings timings = measure(std::move(runners), rounds);
  timings[add_yardstick].least_ns /= adds_per_repetition;
  timings[add_yardstick].median_ns /= adds_per_repetition;
  return timings;
}

}  // namespace ulna::bench
