#include "ulna/generate/shortest_inverse_dynamics.hpp"

#include <algorithm>
#include <utility>

#include "plan_tracer.hpp"
#include "ulna/symbolic/refining.hpp"

namespace ulna {
namespace {

int weight(const OperationCount& c, const ShortestOptions& options) {
  return options.multiplication * (c.multiplications + c.divisions + c.square_roots) +
         options.addition * c.additions;
}

using generate::PlanTracer;
using generate::trace_compact;
using generate::TracedPlan;

class Search {
 public:
  Search(const PlanTracer& tracer, const ShortestOptions& options)
      : tracer_(tracer), options_(options) {}

  CompactPlan best_plan() {
    std::vector<CompactPlan> plans;
    const Cost by_quick = [this](const CompactPlan& plan) { return quick(plan); };
    const Cost by_full = [this](const CompactPlan& plan) { return full(plan); };
    for (const CompactPlan& start : tracer_.starts())
      plans.push_back(descend(start, by_quick, options_.quick_traces / 4));
    const std::vector<CompactPlan> by_start = plans;
    // The best few of the quick count are compared as they will be written.
    std::stable_sort(plans.begin(), plans.end(), [&](const CompactPlan& x, const CompactPlan& y) {
      return quick(x) < quick(y);
    });
    CompactPlan best = plans.front();
    int least = full(best);
    for (std::size_t k = 1; k < std::min<std::size_t>(plans.size(), 6); ++k) {
      const int cost = full(plans[k]);
      if (cost < least) least = cost, best = plans[k];
    }
    if (options_.full_traces > 0) {
      best = descend(best, by_full, options_.full_traces);
      // Not turning anything starts badly and ends well on arms with parallel axes.
      const CompactPlan still = descend(by_start[1], by_full, options_.full_traces);
      if (full(still) < full(best)) best = still;
    }
    return best;
  }

 private:
  using Cost = std::function<int(const CompactPlan&)>;

  int quick(const CompactPlan& plan) {
    const TracedPlan traced = tracer_.trace(plan);
    return weight(operations_at_run_time(traced.tau, *traced.graph), options_);
  }

  // As it will be written: factored, if that is better.
  int full(const CompactPlan& plan) {
    TracedPlan traced = tracer_.trace(plan);
    int least = weight(operations_at_run_time(traced.tau, *traced.graph), options_);
    for (bool open_shared : {false, true}) {
      const std::vector<Expression> tau = tracer_.factored(traced, open_shared, 0);
      least = std::min(least, weight(operations_at_run_time(tau, *traced.graph), options_));
    }
    return least;
  }

  // One choice after the other, from the tips, as long as something gets better.
  CompactPlan descend(CompactPlan plan, const Cost& cost_of, int budget) {
    int least = cost_of(plan);
    const auto attempt = [&](std::size_t i, const CompactChoice& choice) {
      if (choice == plan[i] || --budget < 0) return false;
      CompactPlan changed = plan;
      changed[i] = choice;
      const int cost = cost_of(changed);
      if (cost >= least) return false;
      plan = std::move(changed);
      least = cost;
      return true;
    };
    for (bool better = true; better;) {
      better = false;
      CompactChoice world = plan[0];
      world.by_gravity = !world.by_gravity;
      better |= attempt(0, world);
      for (std::size_t i = plan.size(); i-- > 1;)
        for (const CompactChoice& choice : PlanTracer::neighbours(plan[i]))
          better |= attempt(i, choice);
    }
    return plan;
  }

  const PlanTracer& tracer_;
  ShortestOptions options_;
};

void refine(ShortestForm& form, TracedPlan& best, const ShortestOptions& options) {
  RefiningOptions refining;
  refining.rounds = options.refining;
  refining.weight = [&](const OperationCount& n) { return 0.1 * weight(n, options); };
  refining.count = operations_at_run_time;
  refining.known = generate::parameter_prefix[0];
  for (const RefinedForm& other : refined(best.tau, *best.graph, refining)) {
    if (weight(other.count, options) >= weight(form.refined, options)) continue;
    best.tau = other.outputs;
    form.refined = other.count;
  }
}

}  // namespace

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

ShortestForm shortest_inverse_dynamics(const Topology& topology, const ParameterMaker& parameters,
                                       Graph& graph, std::span<const Expression> q,
                                       std::span<const Expression> v, std::span<const Expression> a,
                                       const ShortestOptions& options) {
  Graph::Scope scope(graph);
  ShortestForm form;
  const Parameters<Expression> values = parameters(graph);
  const auto traced = [&](const CompactPlan& plan) {
    return trace_compact(compact_tree(topology, values, plan), q, v, a);
  };
  form.compact = operations_at_run_time(traced(CompactPlan(topology.nodes.size())), graph);
  const PlanTracer tracer(topology, parameters, a);
  form.plan = Search(tracer, options).best_plan();
  TracedPlan best = tracer.trace(form.plan);
  form.factored = form.planned = operations_at_run_time(best.tau, *best.graph);
  for (int k = 0; k < options.factorings; ++k) {
    TracedPlan other = tracer.trace(form.plan);
    other.tau = tracer.factored(other, k % 2 == 1, static_cast<unsigned>(k / 2));
    const OperationCount count = operations_at_run_time(other.tau, *other.graph);
    if (weight(count, options) >= weight(form.factored, options)) continue;
    best = std::move(other);
    form.factored = count;
  }
  form.refined = form.factored;
  if (options.refining > 0) refine(form, best, options);
  form.tau = tracer.with_state(best, q, v, a);
  return form;
}

}  // namespace ulna
