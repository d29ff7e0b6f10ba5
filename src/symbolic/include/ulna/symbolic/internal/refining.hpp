// Expressions made shorter by opening and closing again (docs/theory/generation.md, eq. 7): a few
// terms chosen at random are multiplied out, written into the sums that use them or bracketed
// otherwise, and then the steps of factoring.hpp are taken again. What is no longer than before is
// kept, and what is a little longer with a chance that falls to nothing in the end (simulated
// annealing). A step takes some ten microseconds for a few hundred operations.
//
// Few multiplications and few additions are different aims: all forms found are returned that no
// other found form equals or beats in both.
#pragma once

#include <functional>
#include <span>
#include <ulna/scalar/parts/export.hpp>
#include <ulna/symbolic/program.hpp>
#include <vector>

namespace ulna {

struct RefiningOptions {
  int rounds = 1000;
  unsigned seed = 1;
  char known = '\0';     ///< as in FactoringOptions
  double warmth = 0.05;  ///< at the beginning: how much heavier a form may become
  /// How heavy a form is; the number of its operations when empty.
  std::function<double(const OperationCount&)> weight = {};
  /// What counts; all operations when empty.
  std::function<OperationCount(std::span<const Expression>, const Graph&)> count = {};
};

struct RefinedForm {
  std::vector<Expression> outputs;  ///< of the graph given
  OperationCount count;
};

// By falling number of multiplications; at least one form, which is the one given if nothing
// shorter was found.
ULNA_API std::vector<RefinedForm> refined(std::span<const Expression> outputs, Graph& graph,
                                          const RefiningOptions& options = {});

}  // namespace ulna
