#pragma once
// Inverse dynamics with as few operations as a long search finds: `ulna generate --thorough`.
//
// Rounds of the search that shortest_inverse_dynamics.hpp runs once, each larger, from other starts
// and with other weights of multiplications and additions, side by side. Everything follows from
// the seed: the same rounds give the same result on any machine.
//
// Few multiplications and few additions are different aims. The search keeps every form that no
// other equals or beats in both (the front) and chooses from it: a form within `at_most` if one is
// asked for and found, otherwise the one that is shortest in both (docs/generation.md).

#include <optional>

#include "ulna/generate/internal/shortest_inverse_dynamics.hpp"

namespace ulna {

struct ThoroughProgress {
  int round = 0, rounds = 0;
  double seconds = 0;
  OperationCount best;  ///< what would be chosen now
};

struct ThoroughOptions {
  double seconds = 60;  ///< no round begins after that; 0: all rounds
  int rounds = 24;
  SearchSize size = {1000, 2000, 20, 300, 5, 5000};  ///< of a round
  int threads = 0;                                   ///< 0: as many as the machine has
  unsigned seed = 1;
  std::optional<std::pair<int, int>> at_most;  ///< multiplications, additions: done when reached
  std::function<void(const ThoroughProgress&)> progress;
};

struct ThoroughResult {
  std::vector<Expression> tau;
  OperationCount chosen;
  OperationCount planned, factored;   ///< of the same plan, before it was factored and refined
  std::vector<OperationCount> front;  ///< by rising number of multiplications
  int rounds = 0;                     ///< that were run
};

/// As shortest_inverse_dynamics.
ULNA_API ThoroughResult thorough_inverse_dynamics(const Topology& topology,
                                                  const ParameterMaker& parameters, Graph& graph,
                                                  std::span<const Expression> q,
                                                  std::span<const Expression> v,
                                                  std::span<const Expression> a,
                                                  const ThoroughOptions& options = {});

}  // namespace ulna
