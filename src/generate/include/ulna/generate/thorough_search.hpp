#pragma once
// Inverse dynamics with as few operations as a long search finds: `ulna generate --thorough`.
//
// The quick search (shortest_inverse_dynamics.hpp) walks downhill. This one anneals: random changes
// of the plan, each traced and factored, kept when they are shorter and with a falling chance when
// they are longer; then the best forms of each round are opened and closed again
// (symbolic/refining.hpp). Rounds differ in where they start and in what weighs more,
// multiplications, additions or neither (or what is still missing from the counts asked for), and
// run side by side. Everything follows from the seed: the same rounds give the same result on any
// machine.
//
// Few multiplications and few additions are different aims. The search keeps every form that no
// other equals or beats in both (the front) and chooses from it: a form within `at_most` if one is
// asked for and found, otherwise the fewest operations in total, of these the fewest additions.

#include <optional>

#include "ulna/generate/shortest_inverse_dynamics.hpp"

namespace ulna {

struct ThoroughProgress {
  int round = 0, rounds = 0;
  double seconds = 0;
  OperationCount best;  ///< what would be chosen now
};

struct ThoroughOptions {
  double seconds = 60;  ///< no round begins after that; 0: all rounds
  int rounds = 24;
  int steps = 600;            ///< changes of the plan in a round
  int refined = 10;           ///< forms of a round that are refined
  int refining_rounds = 800;  ///< each
  int threads = 0;            ///< 0: as many as the machine has
  unsigned seed = 1;
  std::optional<std::pair<int, int>> at_most;  ///< multiplications, additions: done when reached
  std::function<void(const ThoroughProgress&)> progress;
};

struct ThoroughResult {
  std::vector<Expression> tau;
  OperationCount chosen;
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
