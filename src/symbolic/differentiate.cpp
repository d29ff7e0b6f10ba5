#include <ulna/symbolic/internal/differentiate.hpp>

namespace ulna {
namespace {

std::vector<Node> nodes_of(std::span<const Expression> outputs) {
  const std::span<const Node> nodes = Graph::current().nodes_up_to(outputs);
  return {nodes.begin(), nodes.end()};  // a copy: derivatives add nodes
}

Expression node_itself(std::size_t id) {
  return Expression::of_node(1.0, static_cast<std::uint32_t>(id));
}

// Derivatives of a node with respect to its operands, each with its factor.
struct Partials {
  Expression a, b;
};

Partials partials(const Node& node, std::size_t id) {
  switch (node.kind) {
    case Kind::sum:
      return {1.0, 1.0};
    case Kind::product:
      return {node.b(), node.a()};
    case Kind::quotient: {
      const Expression inverse = Expression(1.0) / node.b();
      return {inverse, -node_itself(id) * inverse};
    }
    case Kind::sqrt:
      return {Expression(0.5) / node_itself(id), 0.0};
    case Kind::sin:
      return {cos(node.a()), 0.0};
    case Kind::cos:
      return {-sin(node.a()), 0.0};
    case Kind::select: {
      const Condition condition{false, node.link};
      return {select(condition, 1.0, 0.0), select(condition, 0.0, 1.0)};
    }
    default:
      return {0.0, 0.0};
  }
}

}  // namespace

std::vector<Expression> derivatives_along(std::span<const Expression> outputs,
                                          std::span<const InputRate> direction) {
  const std::vector<Node> nodes = nodes_of(outputs);
  std::vector<Expression> rates(nodes.size());
  for (const InputRate& input : direction)
    if (input.id < rates.size()) rates[input.id] = input.rate;
  const auto rate = [&](const Expression& e) { return rates[e.id()] * Expression(e.factor()); };
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (operand_count(node.kind) == 0 || node.kind == Kind::less) continue;
    const Expression da = rate(node.a());
    const Expression db = operand_count(node.kind) == 2 ? rate(node.b()) : Expression(0.0);
    if (da.is_zero() && db.is_zero()) continue;
    const Partials p = partials(node, i);
    rates[i] = p.a * da + p.b * db;
  }
  std::vector<Expression> results;
  for (const Expression& e : outputs) results.push_back(rate(e));
  return results;
}

std::vector<Expression> gradient(const Expression& output, std::span<const Expression> inputs) {
  const std::vector<Node> nodes = nodes_of({&output, 1});
  std::vector<Expression> weights(nodes.size());
  weights[output.id()] = output.factor();
  for (std::size_t i = nodes.size(); i-- > 1;) {
    const Node& node = nodes[i];
    if (weights[i].is_zero() || operand_count(node.kind) == 0 || node.kind == Kind::less) continue;
    const Partials p = partials(node, i);
    weights[node.a().id()] += p.a * weights[i] * Expression(node.a().factor());
    if (operand_count(node.kind) == 2)
      weights[node.b().id()] += p.b * weights[i] * Expression(node.b().factor());
  }
  std::vector<Expression> results;
  for (const Expression& e : inputs)
    results.push_back(e.id() < weights.size() && !e.is_constant() ? weights[e.id()] : 0.0);
  return results;
}

}  // namespace ulna
