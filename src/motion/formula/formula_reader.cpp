#include "formula/formula_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "formula/formula_functions.hpp"
#include "ulna/model/internal/quantity.hpp"
#include "ulna/model/model.hpp"

namespace ulna::formula {
namespace {

constexpr std::size_t longest_text = 100'000;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text around a position, for messages.
std::string around(std::string_view text, std::size_t position) {
  const std::size_t begin = position > 20 ? position - 20 : 0;
  const std::string_view part = text.substr(begin, 40);
  std::string shown;
  for (const char c : part) shown += (c >= ' ' && c < 127) ? c : '?';
  return fmt::format("{}{}{}", begin > 0 ? "..." : "", shown,
                     begin + part.size() < text.size() ? "..." : "");
}

using Kind = FormulaUnits::Kind;

Dimensions dimensions_of(const FormulaUnits& x) { return {x.length, x.mass, x.time, x.angle}; }
FormulaUnits units_of(const Dimensions& d) {
  return {d == Dimensions{} ? Kind::number : Kind::units, d.length, d.mass, d.time, d.angle};
}

/// Of what an operation leaves; nothing where its operands do not go together.
std::optional<FormulaUnits> units_after(int code, const FormulaUnits& x, const FormulaUnits& y) {
  const bool named = code >= first_function;
  const std::string_view name =
      named ? functions()[static_cast<std::size_t>(code - first_function)].name : "";
  if (code == negate || name == "abs") return x;
  if (code == add || code == subtract || name == "min" || name == "max") {
    if (x.kind != Kind::units) return y.kind == Kind::number ? x : y;
    const bool same = y.kind != Kind::units || dimensions_of(x) == dimensions_of(y);
    return same ? std::optional(x) : std::nullopt;
  }
  if (code == multiply || code == divide) {
    if (x.kind == Kind::anything || y.kind == Kind::anything) return FormulaUnits{};
    return units_of(dimensions_of(x).times(dimensions_of(y), code == multiply ? 1 : -1));
  }
  if (code == power || name == "sqrt") return FormulaUnits{};
  return FormulaUnits{Kind::number};
}

class Reader {
 public:
  /// `variables` collects their names; null: there may be none.
  Reader(std::string_view text, const FormulaConstants& constants,
         std::vector<std::string>* variables = nullptr)
      : text_(text), constants_(constants), variables_(variables) {}

  std::vector<Formula::Operation> read() {
    if (text_.size() > longest_text)
      throw InputError(fmt::format("a formula of {} characters", text_.size()),
                       fmt::format("at most {}", longest_text));
    sum();
    skip_spaces();
    if (at_ < text_.size()) fail(unexpected(), "an operator or the end");
    return std::move(operations_);
  }
  /// What those of the text say, after read().
  const FormulaUnits& units() const { return units_.back(); }

 private:
  /// Counts the nesting while it lives.
  class Level {
   public:
    explicit Level(Reader& reader) : reader_(reader) {
      if (++reader_.depth_ > deepest)
        reader_.fail(fmt::format("nested more than {} deep", deepest),
                     "fewer parentheses, functions or powers within each other");
    }
    ~Level() { --reader_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Reader& reader_;
  };

  void sum() {
    const Level level(*this);
    product();
    while (true) {
      if (take('+')) {
        product();
        emit(add);
      } else if (take('-')) {
        product();
        emit(subtract);
      } else {
        return;
      }
    }
  }

  void product() {
    signed_power();
    while (true) {
      if (take('*')) {
        signed_power();
        emit(multiply);
      } else if (take('/')) {
        signed_power();
        emit(divide);
      } else {
        return;
      }
    }
  }

  void signed_power() {
    bool negative = false;
    while (true) {
      if (take('-'))
        negative = !negative;
      else if (!take('+'))
        break;
    }
    primary();
    if (take('^')) {
      const Level level(*this);
      signed_power();
      emit(power);
    }
    if (negative) emit(negate);
  }

  void primary() {
    skip_spaces();
    if (at_ == text_.size()) fail("the formula ends here", "a number, a name or '('");
    if (take('(')) {
      const std::size_t open = at_ - 1;
      sum();
      close(open);
    } else if (is_digit(text_[at_]) || text_[at_] == '.') {
      number();
    } else if (is_letter(text_[at_])) {
      name();
    } else if (text_[at_] == '\'' && variables_) {
      quoted();
    } else {
      fail(unexpected(), "a number, a name or '('");
    }
  }

  void number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value))
      fail("no number that can be held", "a number");
    at_ += static_cast<std::size_t>(end - begin);
    const std::optional<NamedUnit> behind = unit();
    if (behind) value *= behind->value;
    if (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.'))
      fail(unexpected(), "an operator", "a product needs its '*': 2*pi");
    push({push_number, value}, behind ? units_of(behind->dimensions) : FormulaUnits{});
  }

  /// The unit right after a number: "30 deg", "25mm". Names that mean something else stay names.
  std::optional<NamedUnit> unit() {
    std::size_t begin = at_;
    while (begin < text_.size() && text_[begin] == ' ') ++begin;
    std::size_t end = begin;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    const std::string_view word = text_.substr(begin, end - begin);
    const auto& known = Formula::function_names();
    if (word == "t" || constants_.find(word) != constants_.end() ||
        std::find(known.begin(), known.end(), word) != known.end())
      return {};
    std::size_t next = end;
    while (next < text_.size() && text_[next] == ' ') ++next;
    const bool power = next < text_.size() && text_[next] == '^';  // of the unit, or of both?
    const std::optional<NamedUnit> found = unit_named(word);
    if (!found || power) return {};
    at_ = end;
    return found;
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    if (dot_in_word(at_)) return dotted(begin);
    const std::string word(text_.substr(begin, at_ - begin));
    const auto& known = functions();
    for (std::size_t k = 0; k < known.size(); ++k)
      if (word == known[k].name) return function(static_cast<int>(k), begin);
    if (const auto found = constants_.find(word); found != constants_.end())
      push({push_number, found->second});
    else if (word == "t")
      push({push_time, 0});
    else if (word == "pi")
      push({push_number, M_PI});
    else if (word == "deg")
      push({push_number, M_PI / 180});
    else
      unknown(word, begin);
  }

  bool dot_in_word(std::size_t at) const {
    return at + 1 < text_.size() && text_[at] == '.' &&
           (is_letter(text_[at + 1]) || is_digit(text_[at + 1]));
  }

  /// A word with dots: a variable.
  void dotted(std::size_t begin) {
    while (at_ < text_.size() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) || dot_in_word(at_)))
      ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (variables_) return variable(word);
    at_ = begin;
    fail(fmt::format("'{}' in a function of time", word.substr(0, 40)), "a formula in t alone",
         "the effort of a drive may depend on channels such as q.joint1");
  }

  void quoted() {
    const std::size_t begin = at_ + 1, end = text_.find('\'', begin);
    if (end == std::string_view::npos) fail("this quote is never closed", "'NAME'");
    at_ = end + 1;
    variable(std::string(text_.substr(begin, end - begin)));
  }

  void variable(const std::string& word) {
    const auto found = std::find(variables_->begin(), variables_->end(), word);
    const auto index = static_cast<int>(found - variables_->begin());
    if (found == variables_->end()) variables_->push_back(word);
    push({.code = push_variable, .variable = index});
  }

  void function(int index, std::size_t begin) {
    const Function& f = functions()[static_cast<std::size_t>(index)];
    skip_spaces();
    if (!take('('))
      fail(fmt::format("the function '{}' without its argument", f.name),
           fmt::format("{}(...)", f.name));
    const std::size_t open = at_ - 1;
    int given = 0;
    do {
      sum();
      ++given;
    } while (take(','));
    close(open);
    if (given != f.arguments) {
      at_ = begin;
      fail(fmt::format("'{}' with {} argument{}", f.name, given, given == 1 ? "" : "s"),
           fmt::format("{}", f.arguments));
    }
    emit(first_function + index);
  }

  void close(std::size_t open) {
    if (take(')')) return;
    skip_spaces();
    if (at_ == text_.size()) {
      at_ = open;
      fail("this '(' is never closed", "')'");
    }
    fail(unexpected(), "an operator, ',' or ')'");
  }

  [[noreturn]] void unknown(const std::string& word, std::size_t begin) {
    std::vector<std::string> names = Formula::function_names();
    for (const char* fixed : {"t", "pi", "deg"}) names.emplace_back(fixed);
    for (const auto& [known, value] : constants_) names.push_back(known);
    at_ = begin;
    skip_spaces();
    const std::string shown = word.size() > 40 ? word.substr(0, 40) + "..." : word;
    fail(fmt::format("unknown name '{}'", shown), "t, pi, deg, a function or a named constant",
         nearest_name_hint(word, names));
  }

  void push(const Formula::Operation& operation, const FormulaUnits& units = {}) {
    operations_.push_back(operation);
    units_.push_back(units);
  }

  void combine_units(int code, std::size_t count) {
    const std::optional<FormulaUnits> left =
        units_after(code, units_[units_.size() - count], units_.back());
    if (!left) fail("numbers of different kinds are added or compared", "units of one kind");
    units_.resize(units_.size() - count);
    units_.push_back(*left);
  }

  void emit(int code) {
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
        return;
      }
    }
    const bool named = code >= first_function;
    operations_.push_back(
        {code, 0, count,
         named ? functions()[static_cast<std::size_t>(code - first_function)].apply : nullptr});
  }

  void skip_spaces() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string unexpected() const {
    const char c = text_[at_];
    return c >= ' ' && c < 127 ? fmt::format("'{}' was not expected", c)
                               : "a character that has no meaning here";
  }
  [[noreturn]] void fail(const std::string& message, const std::string& expectation,
                         const std::string& hint = {}) {
    throw InputError(Problem{{},
                             fmt::format("formula '{}', position {}", around(text_, at_), at_ + 1),
                             message,
                             expectation,
                             hint});
  }

  std::string_view text_;
  const FormulaConstants& constants_;
  std::vector<std::string>* variables_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Formula::Operation> operations_;
  std::vector<FormulaUnits> units_;  ///< of the values that the operations leave on the stack
};

}  // namespace

bool is_name(std::string_view word) {
  return !word.empty() && is_letter(word[0]) &&
         std::all_of(word.begin(), word.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::vector<Formula::Operation> read(std::string_view text, const FormulaConstants& constants,
                                     std::vector<std::string>* variables, FormulaUnits* units) {
  Reader reader(text, constants, variables);
  std::vector<Formula::Operation> operations = reader.read();
  if (units) *units = reader.units();
  return operations;
}

}  // namespace ulna::formula
