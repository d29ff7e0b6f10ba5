#pragma once
// Mass matrix, forward dynamics and the derivatives of trees of one-degree joints as C that works
// on all columns at once: for `compile`, where straight-line code grows too long for the
// processor's first instruction cache (docs/generation.md, "Compiled in place").
//
// In world axes about the world's origin (docs/theory/derivatives.md) everything but the poses is
// the same for every joint, or a sum outwards or inwards over the tree. So the poses are
// straight-line code as before; the steps for one column are traced from the kernels of `dynamics`
// with symbols (lane_block.hpp) and written on vectors, a column in each lane; sums run over the
// lanes; and entries of the matrices are dot products of one column with all others.

#include <string>

#include "ulna/generate/traced_function.hpp"

namespace ulna::generate {

/// mass, forward, inverse-derivatives and forward-derivatives of robots all of whose nodes are
/// screws with a speed of their own, in order.
bool has_column_form(const Model& model, const std::string& function);

/// How many operations of straight-line code take about as long.
int column_cost(const Model& model, const std::string& function);

struct ColumnForm {
  std::string text;  ///< the function itself; the prelude and the functions of packs stand before
  OperationCount operations;  ///< of the columns there are; those of unused lanes not counted
};
/// `described` has the arguments.
ColumnForm column_form(const Model& model, const TracedFunction& described);

}  // namespace ulna::generate
