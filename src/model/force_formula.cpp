#include "ulna/model/parts/force_formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ulna/model/internal/formula_syntax.hpp"

namespace ulna {
namespace {

using Code = ForceFormula::Code;
using ForceOperation = ForceFormula::Operation;

struct ForceFunction {
  const char* name;
  int arguments;
  Code code;
};
constexpr ForceFunction force_functions[] = {
    {"sin", 1, Code::sine},         {"cos", 1, Code::cosine},
    {"tan", 1, Code::tangent},      {"sqrt", 1, Code::square_root},
    {"abs", 1, Code::absolute},     {"sign", 1, Code::sign},
    {"step", 1, Code::step},        {"min", 2, Code::minimum},
    {"max", 2, Code::maximum},      {"exp", 1, Code::exponential},
    {"log", 1, Code::logarithm},    {"tanh", 1, Code::hyperbolic_tangent},
    {"atan", 1, Code::arc_tangent}, {"atan2", 2, Code::arc_tangent_2}};

const ForceFunction* function_of(std::string_view word) {
  const auto found = std::ranges::find(
      force_functions, word, [](const ForceFunction& f) { return std::string_view(f.name); });
  return found == std::end(force_functions) ? nullptr : found;
}

/// Writes the operations down in the order in which the grammar meets them.
class ForceBuilder {
 public:
  struct Value {};  ///< what the operations so far leave waiting

  explicit ForceBuilder(const std::string& element) : own_("element." + element) {}

  Value number(double x, std::string_view rest, std::size_t& length) {
    const auto unit = formula_text::unit_behind(
        rest, length, [](std::string_view word) { return word == "t" || function_of(word); });
    return push({Code::number, unit ? x * unit->value : x});
  }
  Value negative(Value) {
    if (constant()) return push_constant(1, [](double x, double) { return -x; });
    return push({Code::negate});
  }
  Value combine(char op, Value, Value) {
    if (op == '^') return power();
    const Code code = op == '+'   ? Code::add
                      : op == '-' ? Code::subtract
                      : op == '*' ? Code::multiply
                                  : Code::divide;
    if (constant() && constant(2))
      return push_constant(2, [op](double x, double y) {
        return op == '+' ? x + y : op == '-' ? x - y : op == '*' ? x * y : x / y;
      });
    return push({code});
  }
  int arguments(std::string_view word) const {
    const ForceFunction* f = function_of(word);
    return f ? f->arguments : 0;
  }
  Value call(std::string_view word, const std::vector<Value>&) {
    return push({function_of(word)->code});
  }

  /// t, pi, deg, q.NAME, v.NAME and the element's own length and rate; any of them in single
  /// quotes.
  std::optional<Value> variable(std::string_view text, std::size_t& length) {
    std::string word;
    if (text[0] == '\'') {
      const std::size_t end = text.find('\'', 1);
      if (end == text.npos) throw FormulaComplaint{"this quote is never closed", "'NAME'"};
      word = text.substr(1, end - 1);
      length = end + 1;
    } else {
      length = formula_text::first_word(text).size();
      while (length + 1 < text.size() && text[length] == '.' &&
             formula_text::in_word(text[length + 1]))
        length += 1 + formula_text::first_word(text.substr(length + 1)).size();
      word = text.substr(0, length);
    }
    return named(word);
  }

  std::string expected_names() const {
    return "t, q.NAME, v.NAME, " + own_ + ".length, " + own_ + ".rate, pi, deg or a function";
  }
  std::vector<std::string> known_names() const {
    std::vector<std::string> known = {"t", "pi", "deg", own_ + ".length", own_ + ".rate"};
    for (const ForceFunction& f : force_functions) known.emplace_back(f.name);
    return known;
  }

  std::vector<ForceOperation> operations;
  std::vector<std::string> names;

 private:
  std::optional<Value> named(const std::string& word) {
    if (word == "t") return push({Code::time});
    if (word == "pi") return push({Code::number, std::numbers::pi});
    if (word == "deg") return push({Code::number, std::numbers::pi / 180});
    if (word == own_ + ".length") return push({Code::length});
    if (word == own_ + ".rate") return push({Code::rate});
    if (word.starts_with("q.") || word.starts_with("v.")) {
      names.push_back(word.substr(2));
      return push(
          {word[0] == 'q' ? Code::coordinate : Code::speed, 0, static_cast<int>(names.size()) - 1});
    }
    if (word.find('.') != word.npos)
      throw FormulaComplaint{fmt::format("'{}' in the force of an actuator", word.substr(0, 60)),
                             expected_names(),
                             "inputs of an experiment may depend on other channels"};
    return {};
  }
  bool constant(std::size_t back = 1) const {
    return operations.size() >= back && operations[operations.size() - back].code == Code::number;
  }
  /// The result of constants at once.
  template <class Do>
  Value push_constant(std::size_t count, const Do& result) {
    const double y = operations.back().number, x = operations[operations.size() - count].number;
    operations.resize(operations.size() - count);
    return push({Code::number, result(x, y)});
  }
  Value power() {
    if (!constant())
      throw FormulaComplaint{"an exponent that is not a number", "a number such as 2 or 0.5",
                             "exp(y*log(x)) is x to the power y"};
    if (constant(2)) return push_constant(2, [](double x, double y) { return std::pow(x, y); });
    const double exponent = operations.back().number;
    operations.pop_back();
    return push({Code::power, exponent});
  }
  Value push(const ForceOperation& operation) {
    if (operation.code == Code::number && !std::isfinite(operation.number))
      throw FormulaComplaint{fmt::format("a part of it is {}", operation.number),
                             "a finite number"};
    operations.push_back(operation);
    return {};
  }

  const std::string own_;
};

int index_among(const std::vector<std::string>& names, const std::string& name, char kind) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  throw InputError(
      fmt::format("its formula refers to '{}.{}', which the robot does not have", kind, name),
      kind == 'q' ? "a coordinate of a joint in the tree" : "a speed of a joint in the tree",
      nearest_name_hint(name, names));
}

}  // namespace

int operands(ForceFormula::Code code) {
  if (code < Code::negate) return 0;
  const bool two = (code >= Code::add && code <= Code::divide) || code == Code::minimum ||
                   code == Code::maximum || code == Code::arc_tangent_2;
  return two ? 2 : 1;
}

ForceFormula::ForceFormula(std::string text, const std::string& element) : text_(std::move(text)) {
  ForceBuilder builder(element);
  FormulaSyntax(text_, builder).read();
  operations_ = std::move(builder.operations);
  names_ = std::move(builder.names);
  int waiting = 0, most = 0;
  for (const Operation& one : operations_) {
    waiting += 1 - operands(one.code);
    most = std::max(most, waiting);
  }
  if (most > deepest)
    throw InputError(fmt::format("a formula in which {} values wait for their operation", most),
                     fmt::format("at most {}", deepest), "write its sums from left to right");
}

ForceFormula ForceFormula::placed(const std::vector<std::string>& coordinates,
                                  const std::vector<std::string>& speeds) const {
  ForceFormula out = *this;
  for (Operation& one : out.operations_) {
    const auto name = static_cast<std::size_t>(one.index);
    if (one.code == Code::coordinate) one.index = index_among(coordinates, names_[name], 'q');
    if (one.code == Code::speed) one.index = index_among(speeds, names_[name], 'v');
  }
  return out;
}

bool ForceFormula::uses(Code code) const {
  return std::ranges::any_of(operations_, [&](const Operation& one) { return one.code == code; });
}

}  // namespace ulna
