// The numbers that expressions stand for, given numbers for the inputs: one sweep in order of id.
#pragma once

#include <span>
#include <ulna/scalar/parts/export.hpp>
#include <ulna/symbolic/expression.hpp>
#include <ulna/symbolic/graph.hpp>
#include <vector>

namespace ulna {

// One value per output. `inputs` follows Graph::input_names(); a different number of them throws
// std::invalid_argument.
ULNA_API std::vector<double> evaluate(std::span<const Expression> outputs,
                                      std::span<const double> inputs,
                                      const Graph& graph = Graph::current());

// The value of every node, for a list of nodes in which operands come before their users.
ULNA_API std::vector<double> evaluate_nodes(std::span<const Node> nodes,
                                            std::span<const double> inputs);

}  // namespace ulna
