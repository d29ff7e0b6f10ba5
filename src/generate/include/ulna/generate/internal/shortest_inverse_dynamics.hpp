#pragma once
// Inverse dynamics of a tree of one-degree joints with as few operations as a short search finds:
// the compact form of Newton-Euler is traced by many plans (compact_tree.hpp), the best traces are
// factored (symbolic/factoring.hpp) and refined. docs/generation.md.

#include <functional>
#include <span>

#include "ulna/dynamics/kernels/compact_tree.hpp"
#include "ulna/symbolic/internal/factoring.hpp"
#include "ulna/symbolic/program.hpp"

namespace ulna {

/// How long to look: the defaults take about a third of a second for six joints. Longer forms get
/// fewer steps and the same time.
struct SearchSize {
  int traced_steps = 600;    ///< changes of the plan judged by what its trace takes
  int factored_steps = 600;  ///< and by what is left of it when factored
  int forms = 8;             ///< that are refined (symbolic/refining.hpp)
  int refining = 150;        ///< steps each
  int finalists = 3;         ///< that are refined further
  int finishing = 1500;      ///< steps each
  bool open_all = true;      ///< try also to open all sums before factoring, which takes long
};

/// Makes the parameters in a graph: numbers, or inputs whose names begin with "p".
using ParameterMaker = std::function<Parameters<Expression>(Graph&)>;

struct ShortestForm {
  std::vector<Expression> tau;
  /// Operations after each pass: plain compact form, planned, factored, refined.
  OperationCount compact, planned, factored, refined;
};

/// The efforts as expressions of `graph`, in which q, v and a are. Operations on parameters alone
/// are not counted: they are start-up. The tree must have a compact form.
ULNA_API ShortestForm shortest_inverse_dynamics(const Topology& topology,
                                                const ParameterMaker& parameters, Graph& graph,
                                                std::span<const Expression> q,
                                                std::span<const Expression> v,
                                                std::span<const Expression> a,
                                                const SearchSize& size = {});

/// Operations that depend on an input other than parameters (whose names begin with "p").
ULNA_API OperationCount operations_at_run_time(std::span<const Expression> outputs,
                                               const Graph& graph);

}  // namespace ulna
