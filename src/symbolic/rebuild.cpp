#include <ulna/symbolic/internal/rebuild.hpp>

namespace ulna {
namespace {

class Rebuilder {
 public:
  Rebuilder(std::span<const Expression> outputs, const Graph& from, const Replacement& replacement)
      : replacement_(replacement) {
    // A copy: making nodes in the same graph moves them.
    const std::span<const Node> nodes = from.nodes_up_to(outputs);
    nodes_.assign(nodes.begin(), nodes.end());
    names_.assign(from.input_names().begin(), from.input_names().end());
    made_.resize(nodes_.size());
    needed_.assign(nodes_.size(), 0);
  }

  std::vector<Expression> run(std::span<const Expression> outputs) {
    for (const Expression& e : outputs) need(e);
    for (std::size_t i = nodes_.size(); i-- > 1;)
      if (needed_[i]) need_operands(nodes_[i]);
    for (std::size_t i = 1; i < nodes_.size(); ++i)
      if (needed_[i]) made_[i] = make(nodes_[i]);
    std::vector<Expression> results;
    results.reserve(outputs.size());
    for (const Expression& e : outputs) results.push_back(operand(e));
    return results;
  }

 private:
  void need(const Expression& e) {
    if (!e.is_constant() && !needed_[e.id()] && !replacement_(e)) needed_[e.id()] = 1;
  }
  void need_operands(const Node& node) {
    for (int k = 0; k < operand_count(node.kind); ++k) need(node.operands[k]);
    if (node.kind == Kind::select) need_operands(nodes_[node.link]);
  }

  Expression operand(const Expression& e) const {
    if (e.is_constant()) return e;
    if (const std::optional<Expression> other = replacement_(e)) return *other;
    return made_[e.id()] * Expression(e.factor());
  }

  Expression make(const Node& node) const {
    const auto a = [&] { return operand(node.a()); };
    const auto b = [&] { return operand(node.b()); };
    switch (node.kind) {
      case Kind::input:
        return Graph::current().input(names_[node.link]);
      case Kind::sum:
        return a() + b();
      case Kind::product:
        return a() * b();
      case Kind::quotient:
        return a() / b();
      case Kind::sqrt:
        return sqrt(a());
      case Kind::sin:
        return sin(a());
      case Kind::cos:
        return cos(a());
      case Kind::select: {
        const Node& condition = nodes_[node.link];
        return select(less(operand(condition.a()), operand(condition.b())), a(), b());
      }
      case Kind::one:
      case Kind::less:
        break;
    }
    return 0.0;
  }

  const Replacement& replacement_;
  std::vector<Node> nodes_;
  std::vector<std::string> names_;
  std::vector<Expression> made_;
  std::vector<char> needed_;
};

}  // namespace

std::vector<Expression> rebuild(std::span<const Expression> outputs, const Graph& from,
                                const Replacement& replacement) {
  return Rebuilder(outputs, from, replacement).run(outputs);
}

}  // namespace ulna
