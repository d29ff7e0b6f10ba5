#include "formula/formula_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formula/formula_functions.hpp"
#include "ulna/model/internal/quantity.hpp"
#include "ulna/model/model.hpp"

namespace ulna::formula {
namespace {

using Kind = FormulaUnits::Kind;

Dimensions dimensions_of(const FormulaUnits& x) { return {x.length, x.mass, x.time, x.angle}; }
FormulaUnits units_of(Dimensions d, bool any) {
  if (any) d.time = 0;
  return {d == Dimensions{} ? Kind::number : Kind::units, d.length, d.mass, any ? any_time : d.time,
          d.angle};
}

/// Whether both may measure the same.
bool go_together(const FormulaUnits& x, const FormulaUnits& y) {
  Dimensions a = dimensions_of(x), b = dimensions_of(y);
  if (x.time == any_time || y.time == any_time) a.time = b.time = 0;
  return a == b;
}

/// Of what an operation leaves; nothing where its operands do not go together.
std::optional<FormulaUnits> units_after(int code, const FormulaUnits& x, const FormulaUnits& y) {
  const bool named = code >= first_function;
  const std::string_view name =
      named ? functions()[static_cast<std::size_t>(code - first_function)].name : "";
  if (code == negate || name == "abs") return x;
  if (code == add || code == subtract || name == "min" || name == "max") {
    if (x.kind != Kind::units) return y.kind == Kind::number ? x : y;
    if (y.kind != Kind::units) return x;
    if (!go_together(x, y)) return std::nullopt;
    return x.time == any_time ? y : x;
  }
  if (code == multiply || code == divide) {
    if (x.kind == Kind::anything || y.kind == Kind::anything) return FormulaUnits{};
    return units_of(dimensions_of(x).times(dimensions_of(y), code == multiply ? 1 : -1),
                    x.time == any_time || y.time == any_time);
  }
  // A power of t, or of a pure number, is one again.
  if (code == power || name == "sqrt") return x.kind == Kind::number ? x : FormulaUnits{};
  return FormulaUnits{Kind::number};
}

/// Writes the operations down in the order in which the grammar meets them.
class OperationBuilder {
 public:
  struct Value {};  ///< what the operations so far leave on the stack

  OperationBuilder(const FormulaConstants& constants, std::vector<std::string>* variables)
      : constants_(constants), variables_(variables) {}

  Value number(double x, std::string_view rest, std::size_t& length) {
    const auto means_else = [&](std::string_view word) {
      return word == "t" || constants_.contains(word) || function_named(word) >= 0;
    };
    const auto unit = formula_text::unit_behind(rest, length, means_else);
    return unit ? push({push_number, x * unit->value}, units_of(unit->dimensions, false))
                : push({push_number, x});
  }
  Value negative(Value) { return emit(negate); }
  Value combine(char op, Value, Value) {
    return emit(op == '+'   ? add
                : op == '-' ? subtract
                : op == '*' ? multiply
                : op == '/' ? divide
                            : power);
  }
  int arguments(std::string_view word) const {
    const int index = function_named(word);
    return index < 0 ? 0 : functions()[static_cast<std::size_t>(index)].arguments;
  }
  Value call(std::string_view word, const std::vector<Value>&) {
    return emit(first_function + function_named(word));
  }

  /// A constant, t, or a variable: a word with dots, or any text between single quotes.
  std::optional<Value> variable(std::string_view text, std::size_t& length) {
    if (text[0] == '\'') return quoted(text, length);
    length = formula_text::first_word(text).size();
    if (dot_in_word(text, length)) return dotted(text, length);
    const std::string_view word = text.substr(0, length);
    if (const auto found = constants_.find(word); found != constants_.end())
      return push({push_number, found->second});
    if (word == "t") return push({push_time, 0}, {Kind::number, 0, 0, any_time, 0});
    if (word == "pi") return push({push_number, M_PI});
    if (word == "deg") return push({push_number, M_PI / 180});
    return {};
  }

  std::string expected_names() const { return "t, pi, deg, a function or a named constant"; }
  std::vector<std::string> known_names() const {
    std::vector<std::string> names = Formula::function_names();
    for (const char* fixed : {"t", "pi", "deg"}) names.emplace_back(fixed);
    for (const auto& [known, value] : constants_) names.push_back(known);
    return names;
  }

  std::vector<Formula::Operation> operations() { return std::move(operations_); }
  /// What the units of the text say.
  const FormulaUnits& units() const { return units_.back(); }

 private:
  static int function_named(std::string_view word) {
    const auto& known = functions();
    const auto found = std::ranges::find(known, word, &Function::name);
    return found == known.end() ? -1 : static_cast<int>(found - known.begin());
  }

  static bool dot_in_word(std::string_view text, std::size_t at) {
    return at + 1 < text.size() && text[at] == '.' && formula_text::in_word(text[at + 1]);
  }

  Value dotted(std::string_view text, std::size_t& length) {
    while (dot_in_word(text, length))
      length += 1 + formula_text::first_word(text.substr(length + 1)).size();
    const std::string word(text.substr(0, length));
    if (variables_) return push_named(word);
    throw FormulaComplaint{fmt::format("'{}' in a function of time", word.substr(0, 40)),
                           "a formula in t alone",
                           "the effort of a drive may depend on channels such as q.joint1"};
  }

  std::optional<Value> quoted(std::string_view text, std::size_t& length) {
    if (!variables_) return {};
    const std::size_t end = text.find('\'', 1);
    if (end == text.npos) throw FormulaComplaint{"this quote is never closed", "'NAME'"};
    length = end + 1;
    return push_named(std::string(text.substr(1, end - 1)));
  }

  Value push_named(const std::string& word) {
    const auto found = std::find(variables_->begin(), variables_->end(), word);
    const auto index = static_cast<int>(found - variables_->begin());
    if (found == variables_->end()) variables_->push_back(word);
    return push({.code = push_variable, .variable = index});
  }

  Value push(const Formula::Operation& operation, const FormulaUnits& units = {}) {
    operations_.push_back(operation);
    units_.push_back(units);
    return {};
  }

  void combine_units(int code, std::size_t count) {
    const std::optional<FormulaUnits> left =
        units_after(code, units_[units_.size() - count], units_.back());
    if (!left)
      throw FormulaComplaint{"numbers of different kinds are added or compared",
                             "units of one kind"};
    units_.resize(units_.size() - count);
    units_.push_back(*left);
  }

  Value emit(int code) {
    const int count = operands(code);
    combine_units(code, static_cast<std::size_t>(count));
    const Formula::Operation* const last = operations_.data() + operations_.size();
    const auto constant = [](const Formula::Operation& one) { return one.code == push_number; };
    // Of constants the result is taken at once, unless it is none: that is said when it is asked
    // for.
    if (constant(last[-1]) && (count == 1 || constant(last[-2]))) {
      const MotionValue x{last[-count].number, 0, 0, 0}, y{last[-1].number, 0, 0, 0};
      const double value = apply(code, x, y).value;
      if (std::isfinite(value)) {
        operations_.resize(operations_.size() - static_cast<std::size_t>(count));
        operations_.push_back({push_number, value});
        return {};
      }
    }
    const bool named = code >= first_function;
    operations_.push_back(
        {code, 0, count,
         named ? functions()[static_cast<std::size_t>(code - first_function)].apply : nullptr});
    return {};
  }

  const FormulaConstants& constants_;
  std::vector<std::string>* variables_;
  std::vector<Formula::Operation> operations_;
  std::vector<FormulaUnits> units_;  ///< of the values that the operations leave on the stack
};

}  // namespace

bool is_name(std::string_view word) {
  return !word.empty() && formula_text::is_letter(word[0]) &&
         formula_text::first_word(word).size() == word.size();
}

std::vector<Formula::Operation> read(std::string_view text, const FormulaConstants& constants,
                                     std::vector<std::string>* variables, FormulaUnits* units) {
  OperationBuilder builder(constants, variables);
  FormulaSyntax(text, builder).read();
  if (units) *units = builder.units();
  return builder.operations();
}

}  // namespace ulna::formula
