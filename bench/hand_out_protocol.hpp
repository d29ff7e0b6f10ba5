#pragma once
// The protocol between rank 0 of a study and the others, simulated with the costs that a run
// recorded (summary.json, "hand_out"): what share of the time the ranks compute.

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "ulna/study/internal/hand_out.hpp"

namespace ulna::bench {

struct ProtocolCosts {
  double message = 45e-6;  ///< of rank 0 for an answer
  double row = 0.27e-6;    ///< of rank 0 for a row
  double poll = 1e-3;      ///< both sides look for messages this often
  double wire = 20e-6;     ///< one way, with the exchange of small messages between machines
};

struct Fed {
  double busy = 0;    ///< share of the time in which the ranks compute
  double server = 0;  ///< share of the time in which rank 0 answers
};

/// Events in time: a rank has half of its batch left and asks; rank 0 answers one after the other;
/// the answer arrives. A rank without work waits for it. `threads` of a rank share its batches: the
/// hand-out has two levels then.
inline Fed simulate_protocol(int ranks, long samples, double sample_seconds,
                             const ProtocolCosts& costs, int threads = 1) {
  HandOut hand_out({{0, samples}}, ranks * threads, ranks);
  struct Rank {
    double free_at = 0;  ///< when all it has is computed
    long finished = 0;   ///< rows that go with its next message
  };
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  using Ask = std::pair<double, int>;  // when it arrives at rank 0, and from whom
  std::priority_queue<Ask, std::vector<Ask>, std::greater<>> asks;
  for (int k = 0; k < ranks; ++k) asks.emplace(costs.wire, k);
  double server_free = 0, server_busy = 0, computed = 0, end = 0;
  while (!asks.empty()) {
    const auto [arrives, k] = asks.top();
    asks.pop();
    Rank& rank = all[static_cast<std::size_t>(k)];
    // Looked for now and then, unless there is a queue.
    const double start = std::max(server_free, std::ceil(arrives / costs.poll) * costs.poll);
    const double rows = costs.row * double(rank.finished);
    server_free = start + costs.message + rows;
    server_busy += costs.message + rows;
    if (rank.finished > 0) hand_out.measured(rank.finished, sample_seconds * double(rank.finished));
    rank.finished = 0;
    const Batch batch = hand_out.next(threads);
    hand_out.answered(costs.message);
    if (batch.count == 0) continue;
    // The rows of a large message come after rank 0 has seen that it is there.
    const double there = server_free + costs.wire + 1.5 * costs.poll;
    const double begins = std::max(rank.free_at, there);
    const double lasts = sample_seconds * std::ceil(double(batch.count) / threads);
    rank.free_at = begins + lasts;
    rank.finished = batch.count;
    computed += sample_seconds * double(batch.count);
    end = std::max(end, rank.free_at);
    asks.emplace(begins + lasts / 2 + costs.poll / 2 + costs.wire, k);
  }
  end = std::max(end, server_free);
  return {computed / (double(ranks) * threads * end), server_busy / end};
}

/// At least ten seconds of work and a hundred samples for each processor.
inline Fed fed(int ranks, double sample_seconds, const ProtocolCosts& costs, int threads = 1) {
  const double each = std::max(100.0, 10 / sample_seconds);
  return simulate_protocol(ranks, std::lround(double(ranks) * threads * each), sample_seconds,
                           costs, threads);
}

}  // namespace ulna::bench
