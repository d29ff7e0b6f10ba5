#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <ulna/symbolic/internal/evaluate.hpp>

namespace ulna {

std::vector<double> evaluate_nodes(std::span<const Node> nodes, std::span<const double> inputs) {
  std::vector<double> values(nodes.size());
  const auto value = [&](const Expression& e) { return e.factor() * values[e.id()]; };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& n = nodes[i];
    switch (n.kind) {
      case Kind::one:
        values[i] = 1.0;
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
        values[i] = std::sqrt(value(n.a()));
        break;
      case Kind::sin:
        values[i] = std::sin(value(n.a()));
        break;
      case Kind::cos:
        values[i] = std::cos(value(n.a()));
        break;
      case Kind::less:
        values[i] = value(n.a()) < value(n.b()) ? 1.0 : 0.0;
        break;
      case Kind::select:
        values[i] = values[n.link] != 0.0 ? value(n.a()) : value(n.b());
        break;
    }
  }
  return values;
}

std::vector<double> evaluate(std::span<const Expression> outputs, std::span<const double> inputs,
                             const Graph& graph) {
  if (inputs.size() != graph.input_names().size()) {
    throw std::invalid_argument(fmt::format("evaluate: {} values for {} inputs", inputs.size(),
                                            graph.input_names().size()));
  }
  const std::vector<double> values = evaluate_nodes(graph.nodes_up_to(outputs), inputs);
  std::vector<double> results;
  results.reserve(outputs.size());
  for (const Expression& e : outputs) results.push_back(e.factor() * values[e.id()]);
  return results;
}

}  // namespace ulna
