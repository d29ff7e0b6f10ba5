#pragma once
// Traces the compact form by a plan, each time in a graph of its own, and counts what it takes.

#include <memory>
#include <random>

#include "ulna/generate/internal/shortest_inverse_dynamics.hpp"

namespace ulna::generate {

/// Efforts traced in a graph of their own. With symbolic parameters, what depends on them alone is
/// an input here, "p0", "p1", ..., which stands for the expression `known[0]`, ... of `start_up`:
/// known beforehand, and not to be taken apart.
struct TracedPlan {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::vector<Expression> tau;
  std::shared_ptr<const Graph> start_up;
  std::vector<Expression> known;
};

/// Names of symbolic parameters begin so.
inline constexpr char parameter_prefix[] = "p";

inline int multiplications(const OperationCount& n) {
  return n.multiplications + n.divisions + n.square_roots;
}

std::vector<Expression> trace_compact(const CompactTree<Expression>& tree,
                                      std::span<const Expression> q, std::span<const Expression> v,
                                      std::span<const Expression> a);

class PlanTracer {
 public:
  /// Accelerations that are all zero stay zero.
  PlanTracer(const Topology& topology, const ParameterMaker& parameters,
             std::span<const Expression> a);

  const Topology& topology() const { return topology_; }
  /// With inputs q0, q1, ..., v0, ..., a0, ..., and those of the parameters.
  TracedPlan trace(const CompactPlan& plan) const;
  /// The efforts as expressions of the current graph, with the state given.
  std::vector<Expression> with_state(const TracedPlan& traced, std::span<const Expression> q,
                                     std::span<const Expression> v,
                                     std::span<const Expression> a) const;
  /// Factored again, in the same graph.
  std::vector<Expression> factored(TracedPlan& traced, bool open_shared, unsigned seed) const;

  /// All turning, none turning, tips not turning, tips and parallel axes not turning.
  std::vector<CompactPlan> starts() const;
  /// What differs from a choice in one thing.
  static std::vector<CompactChoice> neighbours(const CompactChoice& from);
  /// One to three such changes at random.
  static void change(CompactPlan& plan, std::mt19937& random);

 private:
  const Topology& topology_;
  const ParameterMaker& parameters_;
  bool accelerates_;
};

}  // namespace ulna::generate
