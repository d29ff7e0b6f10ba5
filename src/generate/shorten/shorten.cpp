// Any traced function with fewer operations: factored and refined, where that is shorter.

#include "trace/tracing.hpp"
#include "ulna/generate/internal/shortest_inverse_dynamics.hpp"
#include "ulna/symbolic/internal/factoring.hpp"
#include "ulna/symbolic/internal/refining.hpp"

namespace ulna::generate {
namespace {

/// Beyond so many operations a search at random finds little.
constexpr int most_refined = 6000;
/// Takes some ten milliseconds.
constexpr int rounds = 600;

int operations(const OperationCount& n) { return n.multiplications + n.additions; }

}  // namespace

void shorten(Expressions& expressions, Graph& graph) {
  FactoringOptions factoring;
  factoring.open_shared = false;
  factoring.known = 'p';
  const Expressions closed = factored(expressions, graph, factoring);
  int least = operations(operations_at_run_time(expressions, graph));
  const auto take = [&](const Expressions& other, const OperationCount& count) {
    if (operations(count) >= least) return;
    least = operations(count);
    expressions = other;
  };
  take(closed, operations_at_run_time(closed, graph));
  if (least > most_refined) return;
  RefiningOptions refining;
  refining.rounds = rounds;
  refining.known = 'p';
  refining.count = operations_at_run_time;
  for (const RefinedForm& form : refined(expressions, graph, refining))
    take(form.outputs, form.count);
}

}  // namespace ulna::generate
