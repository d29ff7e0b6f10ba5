// Expressions evaluated on any scalar: numbers, dual numbers, or expressions of another graph,
// which is how a formula read once serves every algorithm.
#pragma once

#include <cmath>
#include <span>
#include <type_traits>
#include <ulna/scalar/parts/scalar.hpp>
#include <ulna/symbolic/graph.hpp>
#include <vector>

namespace ulna {

/// The value of every node, for a list of nodes in which operands come before their users.
template <class S>
std::vector<S> evaluate_nodes_on(std::span<const Node> nodes, std::span<const S> inputs) {
  using std::sqrt;
  std::vector<S> values(nodes.size(), S(0.0));
  const auto value = [&](const Expression& e) -> S {
    return e.factor() == 1.0 ? values[e.id()] : S(values[e.id()] * S(e.factor()));
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& n = nodes[i];
    S sine(0.0), cosine(0.0);
    switch (n.kind) {
      case Kind::one:
        values[i] = S(1.0);
        break;
      case Kind::input:
        values[i] = inputs[n.link];
        break;
      case Kind::sum:
        values[i] = value(n.a()) + value(n.b());
        break;
      case Kind::product:
        values[i] = value(n.a()) * value(n.b());
        break;
      case Kind::quotient:
        values[i] = value(n.a()) / value(n.b());
        break;
      case Kind::sqrt:
        values[i] = sqrt(value(n.a()));
        break;
      case Kind::sin:
      case Kind::cos:
        sincos(value(n.a()), sine, cosine);
        values[i] = n.kind == Kind::sin ? sine : cosine;
        break;
      case Kind::less:  // others are asked for by select
        if constexpr (std::is_arithmetic_v<S>) values[i] = value(n.a()) < value(n.b()) ? 1 : 0;
        break;
      case Kind::select: {
        const Node& condition = nodes[n.link];
        values[i] =
            select(less(value(condition.a()), value(condition.b())), value(n.a()), value(n.b()));
        break;
      }
    }
  }
  return values;
}

/// The value of each output for these values of all inputs of the graph, in their order.
template <class S>
std::vector<S> evaluate_on(std::span<const Expression> outputs, std::span<const S> inputs,
                           const Graph& graph) {
  // By value: where S is an expression of the same graph, the list of nodes grows meanwhile.
  const std::span<const Node> up_to = graph.nodes_up_to(outputs);
  const std::vector<Node> nodes(up_to.begin(), up_to.end());
  const std::vector<S> values = evaluate_nodes_on<S>(nodes, inputs);
  std::vector<S> results;
  results.reserve(outputs.size());
  for (const Expression& e : outputs)
    results.push_back(e.factor() == 1.0 ? values[e.id()] : S(values[e.id()] * S(e.factor())));
  return results;
}

}  // namespace ulna
