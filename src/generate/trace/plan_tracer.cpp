#include "trace/plan_tracer.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "ulna/dynamics/kernels/compact_newton_euler.hpp"
#include "ulna/symbolic/internal/rebuild.hpp"

namespace ulna::generate {

std::vector<Expression> trace_compact(const CompactTree<Expression>& tree,
                                      std::span<const Expression> q, std::span<const Expression> v,
                                      std::span<const Expression> a) {
  std::vector<CompactMotion<Expression>> work(tree.nodes.size());
  std::vector<Expression> tau(tree.speeds);
  compact_newton_euler<Expression>(tree, work.data(), q.data(), v.data(), a.data(), tau.data());
  return tau;
}

namespace {

/// Which nodes are made of parameters alone.
std::vector<char> made_of_parameters(const Graph& graph) {
  std::vector<char> alone(graph.size(), 0);
  for (std::size_t i = 1; i < graph.size(); ++i) {
    const Node& node = graph.nodes()[i];
    if (node.kind == Kind::input) {
      alone[i] = graph.input_names()[node.link].starts_with(parameter_prefix);
      continue;
    }
    bool all = node.kind != Kind::select && node.kind != Kind::less;
    for (int k = 0; k < operand_count(node.kind); ++k)
      all &= node.operands[k].is_constant() || alone[node.operands[k].id()];
    alone[i] = all;
  }
  return alone;
}

/// Makes every multiple of a parameter expression that the state meets an input of its own.
TracedPlan with_known(TracedPlan whole) {
  const std::vector<char> alone = made_of_parameters(*whole.graph);
  if (std::find(alone.begin(), alone.end(), 1) == alone.end()) return whole;
  TracedPlan out;
  std::map<std::pair<double, std::uint32_t>, std::size_t> place;
  const Graph::Scope scope(*out.graph);
  for (const std::string& name : whole.graph->input_names())
    if (!name.starts_with(parameter_prefix)) out.graph->input(name);
  out.tau = rebuild(whole.tau, *whole.graph, [&](const Expression& e) -> std::optional<Expression> {
    if (!alone[e.id()]) return std::nullopt;
    const double size = std::abs(e.factor());
    const auto [entry, is_new] = place.try_emplace({size, e.id()}, out.known.size());
    if (is_new) out.known.push_back(Expression::of_node(size, e.id()));
    const Expression symbol = out.graph->input(parameter_prefix + std::to_string(entry->second));
    return e.factor() < 0 ? -symbol : symbol;
  });
  out.start_up = std::move(whole.graph);
  return out;
}

}  // namespace

std::vector<Expression> PlanTracer::with_state(const TracedPlan& traced,
                                               std::span<const Expression> q,
                                               std::span<const Expression> v,
                                               std::span<const Expression> a) const {
  parameters_(Graph::current());
  std::vector<Expression> known;
  if (traced.start_up)
    known = rebuild(traced.known, *traced.start_up, [](const Expression&) { return std::nullopt; });
  const Graph& own = *traced.graph;
  const std::span<const Expression> values[] = {q, v, a, known};
  return rebuild(traced.tau, own, [&](const Expression& e) -> std::optional<Expression> {
    if (own.node(e.id()).kind != Kind::input) return std::nullopt;
    const std::string& name = own.name(e.id());
    const std::size_t kind = std::string("qvap").find(name[0]);
    return Expression(e.factor()) * values[kind][std::stoul(name.substr(1))];
  });
}

PlanTracer::PlanTracer(const Topology& topology, const ParameterMaker& parameters,
                       std::span<const Expression> a)
    : topology_(topology),
      parameters_(parameters),
      accelerates_(
          !std::all_of(a.begin(), a.end(), [](const Expression& e) { return e.is_zero(); })) {}

TracedPlan PlanTracer::trace(const CompactPlan& plan) const {
  TracedPlan out;
  Graph::Scope scope(*out.graph);
  std::vector<Expression> state[3];
  for (int k = 0; k < 3; ++k) {
    const int count = k == 0 ? topology_.coordinates : topology_.speeds;
    for (int i = 0; i < count; ++i)
      state[k].push_back(k == 2 && !accelerates_
                             ? Expression(0.0)
                             : out.graph->input(std::string(1, "qva"[k]) + std::to_string(i)));
  }
  const CompactTree<Expression> tree = compact_tree(topology_, parameters_(*out.graph), plan);
  out.tau = trace_compact(tree, state[0], state[1], state[2]);
  return with_known(std::move(out));
}

std::vector<Expression> PlanTracer::factored(TracedPlan& traced, bool open_shared,
                                             unsigned seed) const {
  FactoringOptions factoring;
  factoring.open_shared = open_shared;
  factoring.seed = seed;
  factoring.known = parameter_prefix[0];
  return ulna::factored(traced.tau, *traced.graph, factoring);
}

std::vector<CompactPlan> PlanTracer::starts() const {
  const std::size_t n = topology_.nodes.size();
  std::vector<char> tip(n, 1);
  for (std::size_t i = 1; i < n; ++i) tip[topology_.nodes[i].parent] = 0;
  std::vector<CompactPlan> plans(4, CompactPlan(n));
  for (std::size_t i = 1; i < n; ++i) {
    const bool parallel = topology_.nodes[i].sin_alpha == 0;
    plans[1][i].turns = false;
    plans[2][i].turns = !tip[i];
    plans[3][i].turns = !tip[i] && !parallel;
  }
  return plans;
}

std::vector<CompactChoice> PlanTracer::neighbours(const CompactChoice& from) {
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

void PlanTracer::change(CompactPlan& plan, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return random() % n; };
  for (auto k = 1 + below(3); k > 0; --k) {
    CompactChoice& c = plan[1 + below(plan.size() - 1)];
    switch (below(7)) {
      case 0:
        c.turns = !c.turns;
        break;
      case 1:
        c.slides = !c.slides;
        break;
      case 2:
        c.aligns = !c.aligns;
        break;
      case 3:
        c.rod = !c.rod;
        break;
      case 4:
        c.mass = static_cast<Clears>(below(parent_targets));
        break;
      case 5:
        c.moment = static_cast<Clears>(below(parent_targets));
        break;
      default:
        c.axial = static_cast<Clears>(below(all_targets));
    }
  }
  if (below(8) == 0) plan[0].by_gravity = !plan[0].by_gravity;
}

}  // namespace ulna::generate
