#pragma once
// Inverse dynamics of a tree of one-degree joints with as few operations as can be found: the
// compact form of Newton-Euler is traced by many plans (compact_tree.hpp), each change that saves
// an operation is kept, and the best traces are factored (symbolic/factoring.hpp).
// docs/generation.md.

#include <functional>
#include <span>

#include "ulna/dynamics/compact_tree.hpp"
#include "ulna/symbolic/factoring.hpp"
#include "ulna/symbolic/program.hpp"

namespace ulna {

struct ShortestOptions {
  int quick_traces = 1200;                 ///< at most so many traces without factoring
  int full_traces = 0;                     ///< and so many with it, twice
  int multiplication = 10, addition = 10;  ///< what they weigh
  int factorings = 6;                      ///< ways of factoring the best trace
  int refining = 0;                        ///< rounds of opening and closing (refining.hpp)
};

/// Makes the parameters in a graph: numbers, or inputs whose names begin with "p".
using ParameterMaker = std::function<Parameters<Expression>(Graph&)>;

struct ShortestForm {
  CompactPlan plan;
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
                                                const ShortestOptions& options = {});

/// Operations that depend on an input other than parameters (whose names begin with "p").
ULNA_API OperationCount operations_at_run_time(std::span<const Expression> outputs,
                                               const Graph& graph);

}  // namespace ulna
