// Derivatives of expressions, as expressions of the current graph: forward, one direction at a
// time, or backward, one output at a time. The results share subexpressions with each other and
// with what they are derivatives of. The derivative of select is that of the side taken.
//
//   forward    d(x y) = dx y + x dy, ...                       2 to 3 operations a node and
//   direction backward   bar x += y bar(x y), bar y += x bar(x y), ...   the same for each node and
//   output
#pragma once

#include <cstdint>
#include <span>
#include <ulna/scalar/parts/export.hpp>
#include <ulna/symbolic/expression.hpp>
#include <ulna/symbolic/graph.hpp>
#include <vector>

namespace ulna {

// The rate of an input, given by its id, in some direction.
struct InputRate {
  std::uint32_t id = 0;
  Expression rate;
};

// Rates of the outputs when the inputs named have these rates and all others are held.
ULNA_API std::vector<Expression> derivatives_along(std::span<const Expression> outputs,
                                                   std::span<const InputRate> direction);

// Derivatives of one output with respect to each of the inputs.
ULNA_API std::vector<Expression> gradient(const Expression& output,
                                          std::span<const Expression> inputs);

}  // namespace ulna
