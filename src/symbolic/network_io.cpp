// A network from a graph, and back.
#include <cmath>

#include "factors.hpp"
#include "network.hpp"

namespace ulna::symbolic_detail {
namespace {

// Operations of a sum but for a number common to all its terms.
int cost_of(const Terms& terms) {
  if (terms.empty()) return 0;
  const double scale = std::abs(terms.front().factor);
  int numbers = 0, others = 0;
  for (const Term& t : terms) {
    numbers += t.atom != 0 && !is_unit(t.factor);
    others += t.atom != 0 && !nearly_equal(std::abs(t.factor), scale);
  }
  return static_cast<int>(terms.size()) - 1 + std::min(numbers, others);
}

// What the outputs need, and of that, which sums something other than a sum stands on.
struct Needs {
  std::vector<char> needed, whole;
  std::vector<int> users;

  Needs(std::span<const Expression> outputs, std::span<const Node> nodes)
      : needed(nodes.size(), 0), whole(nodes.size(), 0), users(nodes.size(), 0) {
    for (const Expression& e : outputs) needed[e.id()] = whole[e.id()] = 1, ++users[e.id()];
    for (std::size_t i = nodes.size(); i-- > 1;) {
      if (!needed[i]) continue;
      const Node& node = nodes[i];
      for (int k = 0; k < operand_count(node.kind); ++k) {
        needed[node.operands[k].id()] = 1;
        ++users[node.operands[k].id()];
        if (node.kind != Kind::sum) whole[node.operands[k].id()] = 1;
      }
      if (node.kind == Kind::select) needed[node.link] = whole[node.link] = 1;
    }
  }
};

}  // namespace

Network::Network(std::span<const Expression> outputs, const Graph& graph, bool open_shared,
                 char known) {
  atoms_.emplace_back();  // the number one
  atoms_[0].known = true;
  const std::span<const Node> nodes = graph.nodes_up_to(outputs);
  const Needs needs(outputs, nodes);
  std::vector<Terms> open(nodes.size());  // every node as a sum of atoms
  std::vector<Term> value(nodes.size());  // needed as a whole: one atom
  open[0] = {{1, 0}};
  value[0] = {1, 0};
  const auto operand = [&](const Expression& e) {
    return Term{e.factor() * value[e.id()].factor, value[e.id()].atom};
  };
  // A sum that others use, or of which a multiple is needed, stays as it is unless opening it
  // brings like terms together.
  const auto closed = [&](const Expression& e) {
    const bool stays =
        nodes[e.id()].kind == Kind::sum && (needs.users[e.id()] > 1 || !is_unit(e.factor()));
    if (!stays) return open[e.id()];
    if (value[e.id()].factor == 0) value[e.id()] = sum(open[e.id()]);
    return Terms{value[e.id()]};
  };
  const auto inside = [&](const Expression& e) {
    return needs.users[e.id()] > 1 ? 0 : cost_of(open[e.id()]);
  };
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (!needs.needed[i]) continue;
    const Node& node = nodes[i];
    const Expression &a = node.a(), &b = node.b();
    if (node.kind == Kind::sum) {
      open[i] = merged(open[a.id()], a.factor(), open[b.id()], b.factor());
      const bool alike = nearly_equal(std::abs(a.factor()), std::abs(b.factor()));
      if (!open_shared && (!alike || cost_of(open[i]) > inside(a) + inside(b)))
        open[i] = merged(closed(a), a.factor(), closed(b), b.factor());
      if (needs.whole[i]) value[i] = sum(open[i]);
      continue;
    }
    Atom atom;
    atom.kind = node.kind;
    atom.link = node.link;
    double factor = 1;
    if (node.kind == Kind::input)
      atom.known = known != '\0' && graph.input_names()[node.link].starts_with(known);
    const int count = operand_count(node.kind);
    if (count > 0) atom.a = operand(a);
    if (count > 1) atom.b = operand(b);
    if (node.kind == Kind::product) {
      factor = atom.a.factor * atom.b.factor;
      const bool constant = atom.a.atom == 0 || atom.b.atom == 0 || factor == 0;
      value[i] = factor == 0 ? Term{0, 0}
                 : constant  ? Term{factor, atom.a.atom + atom.b.atom}
                             : Term{factor, product(atom.a.atom, atom.b.atom)};
    } else {
      if (node.kind == Kind::quotient) {
        factor = atom.a.factor / atom.b.factor;
        atom.a.factor = atom.b.factor = 1;
      }
      if (node.kind == Kind::select) atom.condition = value[node.link].atom;
      value[i] = {factor, intern(std::move(atom))};
    }
    if (value[i].factor != 0) open[i] = {value[i]};
  }
  for (const Expression& e : outputs) {
    outputs_.push_back(operand(e));
    refer(outputs_.back(), -static_cast<int>(outputs_.size()));
  }
}

std::vector<Expression> Network::write(Graph& graph) const {
  Graph::Scope scope(graph);
  std::vector<Expression> made(atoms_.size());
  std::vector<char> done(atoms_.size(), 0);
  made[0] = 1.0, done[0] = 1;
  const auto value = [&](const Term& t) {
    return t.factor * made[static_cast<std::size_t>(t.atom)];
  };
  std::vector<int> stack;
  for (const Term& t : outputs_) stack.push_back(t.atom);
  while (!stack.empty()) {
    const int id = stack.back();
    const Atom& now = atom(id);
    const std::size_t before = stack.size();
    for (const Term& t : operands(now))
      if (!done[static_cast<std::size_t>(t.atom)]) stack.push_back(t.atom);
    if (stack.size() > before) continue;
    stack.pop_back();
    if (std::exchange(done[static_cast<std::size_t>(id)], 1)) continue;
    Expression& e = made[static_cast<std::size_t>(id)];
    switch (now.kind) {
      case Kind::sum:
        for (const bool known : {true, false})  // what is known is added up first
          for (const Term& t : now.sum)
            if (atom(t.atom).known == known) e += value(t);
        break;
      case Kind::product:
        e = value(now.a) * value(now.b);
        break;
      case Kind::quotient:
        e = value(now.a) / value(now.b);
        break;
      case Kind::sqrt:
        e = sqrt(value(now.a));
        break;
      case Kind::sin:
        e = sin(value(now.a));
        break;
      case Kind::cos:
        e = cos(value(now.a));
        break;
      case Kind::input:
        e = graph.input(graph.input_names()[now.link]);
        break;
      case Kind::select: {
        const Atom& condition = atom(now.condition);
        e = select(less(value(condition.a), value(condition.b)), value(now.a), value(now.b));
        break;
      }
      case Kind::less:
      case Kind::one:
        break;
    }
  }
  std::vector<Expression> out;
  for (const Term& t : outputs_) out.push_back(value(t));
  return out;
}

}  // namespace ulna::symbolic_detail
