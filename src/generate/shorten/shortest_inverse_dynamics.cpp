#include "ulna/generate/internal/shortest_inverse_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "shorten/form_search.hpp"

namespace ulna {
OperationCount operations_at_run_time(std::span<const Expression> outputs, const Graph& graph) {
  const Program program(outputs, graph);
  const std::span<const Node> statements = program.statements();
  std::vector<char> varies(statements.size(), 0), paired(statements.size(), 0);
  OperationCount count;
  for (std::size_t i = 1; i < statements.size(); ++i) {
    const Node& s = statements[i];
    if (s.kind == Kind::input) {
      varies[i] = !graph.input_names()[s.link].starts_with('p');
      continue;
    }
    for (int k = 0; k < operand_count(s.kind); ++k) varies[i] |= varies[s.operands[k].id()];
    if (!varies[i]) continue;
    count.multiplications += s.kind == Kind::product;
    count.additions += s.kind == Kind::sum;
    count.divisions += s.kind == Kind::quotient;
    count.square_roots += s.kind == Kind::sqrt;
    if (s.kind == Kind::sin || s.kind == Kind::cos)
      count.sincos_pairs += !std::exchange(paired[s.a().id()], 1);
  }
  return count;
}

namespace {

/// A step takes time with the square of the operations and more: the same time for longer forms.
SearchSize scaled(SearchSize size, const OperationCount& count) {
  constexpr double usual = 350;
  const double share = usual / std::max(usual, 1.0 * (count.multiplications + count.additions));
  const auto fewer = [](int steps, double by) { return static_cast<int>(steps * by); };
  size.traced_steps = fewer(size.traced_steps, share);
  size.factored_steps = fewer(size.factored_steps, std::pow(share, 2));
  size.refining = fewer(size.refining, std::pow(share, 2));
  size.finishing = fewer(size.finishing, std::pow(share, 2));
  if (share < 0.8) {
    size.forms = std::min(size.forms, 2);
    size.finalists = std::min(size.finalists, 1);
    size.open_all = false;
  }
  return size;
}

}  // namespace

ShortestForm shortest_inverse_dynamics(const Topology& topology, const ParameterMaker& parameters,
                                       Graph& graph, std::span<const Expression> q,
                                       std::span<const Expression> v, std::span<const Expression> a,
                                       const SearchSize& size) {
  using namespace generate;
  const Graph::Scope scope(graph);
  ShortestForm form;
  const CompactPlan plain(topology.nodes.size());
  form.compact = operations_at_run_time(
      trace_compact(compact_tree(topology, parameters(graph), plain), q, v, a), graph);
  const PlanTracer tracer(topology, parameters, a);
  RoundOptions round;
  round.size = scaled(size, form.compact);
  round.most_angles = form.compact.sincos_pairs;
  const auto best = search_round(tracer, round).chosen({});
  form.planned = best->planned;
  form.factored = best->factored;
  form.refined = best->count;
  form.tau = tracer.with_state(best->traced, q, v, a);
  return form;
}

}  // namespace ulna
