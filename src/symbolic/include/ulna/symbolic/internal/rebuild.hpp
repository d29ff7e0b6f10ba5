// Expressions of a graph made again, with some of them replaced on the way: substitution, and
// moving what was traced from one graph to another.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <ulna/scalar/parts/export.hpp>
#include <ulna/symbolic/expression.hpp>
#include <ulna/symbolic/graph.hpp>
#include <vector>

namespace ulna {

// What an operand (a factor times a node of the old graph) becomes in the current graph; nothing
// when it is to be rebuilt from its own operands. Asked more than once for the same operand.
using Replacement = std::function<std::optional<Expression>(const Expression&)>;

// The outputs in the current graph, which may be `from` itself. Inputs that are not replaced become
// inputs of the same name. Only what the outputs need is made.
ULNA_API std::vector<Expression> rebuild(std::span<const Expression> outputs, const Graph& from,
                                         const Replacement& replacement);

}  // namespace ulna
