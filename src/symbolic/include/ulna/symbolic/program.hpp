// Straight-line code for some outputs: the graph listed as statements of one operation each, in
// order of execution. Printers write these statements, and the operation count is their number.
//
// Here the factors on the edges of the graph find their place. c * x is a multiplication, done once
// for each magnitude of c (negation is free), and moved to where it costs least:
//   c (x y)     = (c x) y          if c x serves other products too
//   c (x / y)   = (c x) / y        which is free for x = 1
//   c (a x + b y) = (c a) x + (c b) y   if a x and b y serve nothing else
// each of them only if the bare value is used nowhere.
#pragma once

#include <span>
#include <ulna/scalar/parts/export.hpp>
#include <ulna/symbolic/expression.hpp>
#include <ulna/symbolic/graph.hpp>
#include <vector>

namespace ulna {

// Subtractions count as additions, negations and selections not at all; the sine and the cosine of
// one angle are a pair, as is either alone.
struct OperationCount {
  int multiplications = 0;
  int additions = 0;
  int divisions = 0;
  int square_roots = 0;
  int sincos_pairs = 0;

  bool operator==(const OperationCount&) const = default;
};

class ULNA_API Program {
 public:
  explicit Program(std::span<const Expression> outputs, const Graph& graph = Graph::current());

  // Nodes whose operands number other statements. Statement 0 is the number one, as in a graph: an
  // operand with id 0 is a literal. All other operands have factor 1 or -1. The statements of the
  // inputs, used or not, come first, in their order.
  std::span<const Node> statements() const { return statements_; }
  std::span<const Expression> outputs() const { return outputs_; }

  OperationCount operations() const;
  std::vector<double> evaluate(std::span<const double> inputs) const;

 private:
  std::vector<Node> statements_;
  std::vector<Expression> outputs_;
  std::size_t input_count_ = 0;
};

// What straight-line code for the outputs executes.
ULNA_API OperationCount count_operations(std::span<const Expression> outputs,
                                         const Graph& graph = Graph::current());

}  // namespace ulna
