#include "ulna/generate/shortest_inverse_dynamics.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "ulna/dynamics/compact_newton_euler.hpp"

namespace ulna {
namespace {

int weight(const OperationCount& c, const ShortestOptions& options) {
  return options.multiplication * (c.multiplications + c.divisions + c.square_roots) +
         options.addition * c.additions;
}

std::vector<Expression> trace_compact(const CompactTree<Expression>& tree,
                                      std::span<const Expression> q, std::span<const Expression> v,
                                      std::span<const Expression> a) {
  std::vector<CompactMotion<Expression>> work(tree.nodes.size());
  std::vector<Expression> tau(tree.speeds);
  compact_newton_euler<Expression>(tree, work.data(), q.data(), v.data(), a.data(), tau.data());
  return tau;
}

class Search {
 public:
  Search(const Topology& topology, const ParameterMaker& parameters, const ShortestOptions& options)
      : topology_(topology), parameters_(parameters), options_(options) {}

  CompactPlan best_plan() {
    const CompactPlan first(topology_.nodes.size());
    std::vector<CompactPlan> plans;
    const Cost by_quick = [this](const CompactPlan& plan) { return quick(plan); };
    const Cost by_full = [this](const CompactPlan& plan) { return full(plan); };
    for (const CompactPlan& start : starts(first))
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
    return options_.random_steps > 0 ? wander(best, full(best)) : best;
  }

 private:
  using Cost = std::function<int(const CompactPlan&)>;

  // All turning, none turning, tips and parallel axes not turning.
  std::vector<CompactPlan> starts(const CompactPlan& first) const {
    const std::size_t n = first.size();
    std::vector<char> tip(n, 1);
    for (std::size_t i = 1; i < n; ++i) tip[topology_.nodes[i].parent] = 0;
    std::vector<CompactPlan> plans(4, first);
    for (std::size_t i = 1; i < n; ++i) {
      const bool parallel = topology_.nodes[i].sin_alpha == 0;
      plans[1][i].turns = false;
      plans[2][i].turns = !tip[i];
      plans[3][i].turns = !tip[i] && !parallel;
    }
    return plans;
  }

  struct Traced {
    Graph graph;
    std::vector<Expression> tau;
  };

  void trace(const CompactPlan& plan, Traced& out) {
    Graph::Scope scope(out.graph);
    std::vector<Expression> state[3];
    for (int k = 0; k < 3; ++k) {
      const int count = k == 0 ? topology_.coordinates : topology_.speeds;
      for (int i = 0; i < count; ++i)
        state[k].push_back(out.graph.input(std::string(1, "qva"[k]) + std::to_string(i)));
    }
    const CompactTree<Expression> tree = compact_tree(topology_, parameters_(out.graph), plan);
    out.tau = trace_compact(tree, state[0], state[1], state[2]);
  }

  int quick(const CompactPlan& plan) {
    Traced traced;
    trace(plan, traced);
    return weight(operations_at_run_time(traced.tau, traced.graph), options_);
  }

  // As it will be written: factored, if that is better.
  int full(const CompactPlan& plan) {
    Traced traced;
    trace(plan, traced);
    int least = weight(operations_at_run_time(traced.tau, traced.graph), options_);
    for (bool open_shared : {false, true}) {
      FactoringOptions factoring;
      factoring.open_shared = open_shared;
      factoring.one_step_at_a_time = topology_.nodes.size() < 10;
      const std::vector<Expression> tau = factored(traced.tau, traced.graph, factoring);
      least = std::min(least, weight(operations_at_run_time(tau, traced.graph), options_));
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
        for (const CompactChoice& choice : neighbours(plan[i])) better |= attempt(i, choice);
    }
    return plan;
  }

  static std::vector<CompactChoice> neighbours(const CompactChoice& from) {
    std::vector<CompactChoice> out;
    const auto add = [&](auto change) {
      out.push_back(from);
      change(out.back());
    };
    add([](CompactChoice& c) { c.turns = !c.turns; });
    add([](CompactChoice& c) { c.slides = !c.slides; });
    add([](CompactChoice& c) { c.aligns = !c.aligns; });
    add([](CompactChoice& c) { c.rod = !c.rod; });
    for (int k = 0; k < parent_targets; ++k) {
      add([k](CompactChoice& c) { c.mass = static_cast<Clears>(k); });
      add([k](CompactChoice& c) { c.moment = static_cast<Clears>(k); });
    }
    for (int k = 0; k < all_targets; ++k)
      add([k](CompactChoice& c) { c.axial = static_cast<Clears>(k); });
    return out;
  }

  // Random changes, kept when they are no worse, and now and then when they are a little.
  CompactPlan wander(CompactPlan plan, int cost) {
    std::mt19937 random(options_.seed);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    CompactPlan best = plan;
    int least = cost;
    for (int step = 0; step < options_.random_steps; ++step) {
      CompactPlan changed = plan;
      for (unsigned k = 1 + below(3); k > 0; --k) {
        CompactChoice& choice = changed[1 + below(static_cast<unsigned>(plan.size()) - 1)];
        const std::vector<CompactChoice> others = neighbours(choice);
        choice = others[below(static_cast<unsigned>(others.size()))];
      }
      if (below(8) == 0) changed[0].by_gravity = !changed[0].by_gravity;
      const int changed_cost = full(changed);
      if (changed_cost > cost + (below(8) == 0 ? options_.addition : 0)) continue;
      plan = std::move(changed);
      cost = changed_cost;
      if (cost < least) least = cost, best = plan;
    }
    return best;
  }

  const Topology& topology_;
  const ParameterMaker& parameters_;
  ShortestOptions options_;
};

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
  form.plan = Search(topology, parameters, options).best_plan();
  form.tau = traced(form.plan);
  form.factored = form.planned = operations_at_run_time(form.tau, graph);
  for (int k = 0; k < options.factorings; ++k) {
    FactoringOptions factoring;
    factoring.open_shared = k % 2 == 1;
    factoring.seed = static_cast<unsigned>(k / 2);
    factoring.one_step_at_a_time = topology.nodes.size() < 10;
    const std::vector<Expression> tau = factored(traced(form.plan), graph, factoring);
    const OperationCount count = operations_at_run_time(tau, graph);
    if (weight(count, options) >= weight(form.factored, options)) continue;
    form.tau = tau;
    form.factored = count;
  }
  return form;
}

}  // namespace ulna
