#include <fmt/format.h>

#include <stdexcept>
#include <ulna/symbolic/internal/evaluate.hpp>
#include <ulna/symbolic/kernels/evaluate_on.hpp>

namespace ulna {

std::vector<double> evaluate_nodes(std::span<const Node> nodes, std::span<const double> inputs) {
  return evaluate_nodes_on<double>(nodes, inputs);
}

std::vector<double> evaluate(std::span<const Expression> outputs, std::span<const double> inputs,
                             const Graph& graph) {
  if (inputs.size() != graph.input_names().size()) {
    throw std::invalid_argument(fmt::format("evaluate: {} values for {} inputs", inputs.size(),
                                            graph.input_names().size()));
  }
  return evaluate_on<double>(outputs, inputs, graph);
}

}  // namespace ulna
