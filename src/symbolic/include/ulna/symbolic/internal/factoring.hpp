// Expressions rewritten to take fewer operations: the same values, by other sums and products.
//
// All sums are opened down to what is not a sum, which collects like terms however deep they lay,
// and then built up again, always by the step that saves most (docs/theory/generation.md, eq. 3-6):
//
//   x y + x z          = x (y + z)             one multiplication less
//   c x + c y          = c (x + y)             one multiplication by a number less
//   a x + b y in two sums                       shared, an addition less
//
// Whether the result is better than what was given is for the caller to count: opening a sum may
// lose what the author had put together well.
#pragma once

#include <span>
#include <ulna/scalar/parts/export.hpp>
#include <ulna/symbolic/expression.hpp>
#include <ulna/symbolic/graph.hpp>
#include <vector>

namespace ulna {

struct FactoringOptions {
  bool open_shared = true;  ///< open also sums that several others use
  unsigned seed = 0;        ///< breaks ties between equally good steps; 0: the first found
  /// Inputs whose names begin with this letter are known beforehand: what is made of them alone
  /// costs nothing.
  char known = '\0';
};

// The outputs again, as new expressions of the same graph.
ULNA_API std::vector<Expression> factored(std::span<const Expression> outputs, Graph& graph,
                                          const FactoringOptions& options = {});

}  // namespace ulna
