#include "speed_formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "ulna/model/internal/formula_syntax.hpp"
#include "ulna/symbolic/internal/differentiate.hpp"
#include "ulna/symbolic/kernels/evaluate_on.hpp"

namespace ulna {
namespace {

/// What formulas of speeds are made of: expressions over q.NAME, v.NAME and t.
class SpeedBuilder {
 public:
  using Value = Expression;

  SpeedBuilder(const Model& model, Graph& graph) {
    const auto add = [&](const std::string& name) {
      variables_.emplace_back(name, graph.input(name));
    };
    for (const std::string& name : model.coordinate_names()) add("q." + name);
    for (const std::string& name : model.speed_names()) add("v." + name);
    add("t");
    for (const auto& [name, value] : {std::pair{"pi", std::numbers::pi}, {"deg", degree_}})
      variables_.emplace_back(name, Expression(value));
  }

  Value number(double x, std::string_view rest, std::size_t& length) const {
    const auto unit = formula_text::unit_behind(
        rest, length, [](std::string_view word) { return word == "t"; });  // time, not tonnes
    return {unit ? x * unit->value : x};
  }
  Value negative(const Value& x) const { return -x; }
  Value combine(char op, const Value& a, const Value& b) const {
    switch (op) {
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return a * b;
      case '/':
        if (b.is_zero()) throw std::domain_error("a division by zero");
        return a / b;
      default:
        return power(a, b);
    }
  }

  /// The longest known name that the text begins with and that ends there.
  std::optional<Value> variable(std::string_view text, std::size_t& length) const {
    std::optional<Value> found;
    for (const auto& [name, value] : variables_) {
      if (name.size() <= length || text.substr(0, name.size()) != name) continue;
      const char next = name.size() < text.size() ? text[name.size()] : ' ';
      if (std::isalnum(static_cast<unsigned char>(next)) || next == '_' || next == '(') continue;
      length = name.size();
      found = value;
    }
    return found;
  }

  int arguments(const std::string& word) const {
    return std::find(functions_.begin(), functions_.end(), word) == functions_.end() ? 0 : 1;
  }
  Value call(const std::string& word, const std::vector<Value>& x) const {
    Value sine, cosine;
    if (word == "sqrt") return sqrt(x[0]);
    if (word == "abs") return select(less(x[0], Value(0.0)), -x[0], x[0]);
    sincos(x[0], sine, cosine);
    return word == "sin" ? sine : word == "cos" ? cosine : sine / cosine;
  }

  std::string expected_names() const {
    return "q.NAME, v.NAME, t, pi, deg or one of sin, cos, tan, sqrt, abs";
  }
  std::vector<std::string> known_names() const {
    std::vector<std::string> names = functions_;
    for (const auto& [name, value] : variables_) names.push_back(name);
    return names;
  }

 private:
  static Value power(const Value& base, const Value& exponent) {
    const double p = exponent.factor();
    constexpr double largest = 8;
    if (!exponent.is_constant() || std::abs(p) > largest || 2 * p != std::round(2 * p))
      throw std::domain_error("an exponent that is not a whole or half number from -8 to 8");
    Value x(1.0);
    for (int k = 0; k < static_cast<int>(std::abs(p)); ++k) x *= base;
    if (p != std::round(p)) x *= sqrt(base);
    return p < 0 ? Value(1.0) / x : x;
  }

  static constexpr double degree_ = std::numbers::pi / 180;
  std::vector<std::pair<std::string, Expression>> variables_;
  std::vector<std::string> functions_ = {"sin", "cos", "tan", "sqrt", "abs"};
};

/// Whether the expressions stand on one of these inputs.
bool depends_on(const Graph& graph, const std::vector<Expression>& what, std::size_t first,
                std::size_t last) {
  std::vector<char> seen(graph.size(), 0);
  std::vector<std::uint32_t> open;
  const auto visit = [&](std::uint32_t id) {
    if (!seen[id]) open.push_back(id), seen[id] = 1;
  };
  for (const Expression& e : what) visit(e.id());
  while (!open.empty()) {
    const Node& node = graph.node(open.back());
    open.pop_back();
    if (node.kind == Kind::input && node.link >= first && node.link < last) return true;
    for (int k = 0; k < operand_count(node.kind); ++k) visit(node.operands[k].id());
    if (node.kind == Kind::select) visit(node.link);
  }
  return false;
}

[[noreturn]] void refuse(const GeneralizedSpeeds& speeds, const std::string& name,
                         const std::string& what, const std::string& expectation) {
  throw InputError(
      Problem{{}, fmt::format("speed '{}' of '{}'", name, speeds.name), what, expectation, {}});
}

}  // namespace

std::shared_ptr<const SpeedFormulas> read_speed_formulas(const Model& model,
                                                         const GeneralizedSpeeds& speeds) {
  auto out = std::make_shared<SpeedFormulas>();
  const Graph::Scope scope(out->graph);
  SpeedBuilder builder(model, out->graph);
  const auto nq = static_cast<std::size_t>(model.coordinates());
  const auto nv = static_cast<std::size_t>(model.speeds());
  std::vector<Expression> v, at_rest;
  for (const std::string& name : out->graph.input_names())
    at_rest.push_back(name.rfind("v.", 0) == 0 ? Expression(0.0) : out->graph.input(name));
  for (const std::string& name : model.speed_names()) v.push_back(out->graph.input("v." + name));
  for (const auto& [name, text] : speeds.formulas) {
    try {
      const Expression u = FormulaSyntax(text, builder).read();
      const std::vector<Expression> row = gradient(u, v);
      if (depends_on(out->graph, row, nq, nq + nv))
        refuse(speeds, name, fmt::format("'{}' is not linear in the joint rates", text),
               "a formula such as cos(q.joint2)*v.joint1 + t");
      out->Y.insert(out->Y.end(), row.begin(), row.end());
      const Expression one[] = {u};
      out->y.push_back(
          evaluate_on<Expression>(one, std::span<const Expression>(at_rest), out->graph)[0]);
    } catch (const std::domain_error& error) {
      refuse(speeds, name, fmt::format("'{}' has {}", text, error.what()),
             "a formula of q, v and t with finite values");
    } catch (const InputError& error) {
      Problem problem = error.problems().front();
      if (problem.element.rfind("speed '", 0) != 0)
        problem.element = fmt::format("speed '{}' of '{}', {}", name, speeds.name, problem.element);
      throw InputError(problem);
    }
  }
  return out;
}

}  // namespace ulna
