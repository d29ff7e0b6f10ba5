#pragma once
// The grammar of formulas as users type them, by recursive descent, for any kind of value:
//
//   sum     = product {(+|-) product}
//   product = signed {(*|/) signed}
//   signed  = {+|-} power
//   power   = primary [^ signed-power]
//   primary = number | name | name(sum {, sum}) | (sum)
//
// A builder makes the values: `number(x, rest, length)`, which may take a unit off the text that
// follows; `combine(op, a, b)` with op one of + - * / ^; `negative(a)`; `arguments(word)` (how many
// a function of that name takes; 0: there is none); `call(word, values)`; and `variable(rest,
// length)`, which looks at what follows and says how long a name it takes: names of joints may hold
// characters that words cannot. What a builder refuses it throws as a FormulaComplaint.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ulna/model/internal/quantity.hpp"
#include "ulna/model/model.hpp"

namespace ulna {

/// Deepest nesting of parentheses, functions and powers.
inline constexpr int deepest_formula = 100;

/// What is wrong at the place that is being read.
struct FormulaComplaint {
  std::string message, expectation, hint = {};
};

namespace formula_text {

inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool in_word(char c) { return is_letter(c) || is_digit(c); }

/// The letters, digits and _ that a text begins with.
inline std::string_view first_word(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && in_word(text[end])) ++end;
  return text.substr(0, end);
}

/// A further unit in "3 deg/s", "2 N*m/rad" or "7 kg*m^2": multiplies `unit` and moves `end` behind
/// it. False where something else follows.
template <class MeansElse>
bool further_unit(std::string_view rest, std::size_t& end, NamedUnit& unit,
                  const MeansElse& means_else) {
  std::size_t at = std::min(rest.find_first_not_of(' ', end), rest.size());
  const bool divides = at < rest.size() && rest[at] == '/';
  if (at >= rest.size() || (!divides && rest[at] != '*')) return false;
  at = std::min(rest.find_first_not_of(' ', at + 1), rest.size());
  const std::string_view word = first_word(rest.substr(at));
  std::size_t next = at + word.size();
  const auto found = word.empty() || means_else(word) ? std::nullopt : unit_named(word);
  if (!found || (next < rest.size() && (rest[next] == '(' || rest[next] == '.'))) return false;
  int power = 1;
  if (next + 1 < rest.size() && rest[next] == '^' && is_digit(rest[next + 1])) {
    power = rest[next + 1] - '0';
    next += 2;
  }
  unit.value *= std::pow(found->value, divides ? -power : power);
  unit.dimensions = unit.dimensions.times(found->dimensions, divides ? -power : power);
  end = next;
  return true;
}

/// The unit right after a number, "30 deg", "25mm" or "3 deg/s", and how much of the text it takes.
/// Words that mean something else in the formula are none, and neither is a power of the first
/// unit: of the unit, or of both?
template <class MeansElse>
std::optional<NamedUnit> unit_behind(std::string_view rest, std::size_t& length,
                                     const MeansElse& means_else) {
  const std::size_t begin = std::min(rest.find_first_not_of(' '), rest.size());
  const std::string_view word = first_word(rest.substr(begin));
  std::size_t end = begin + word.size();
  const std::size_t next = rest.find_first_not_of(' ', end);
  if (means_else(word) || (next != rest.npos && rest[next] == '^')) return {};
  std::optional<NamedUnit> found = unit_named(word);
  if (!found) return {};
  while (further_unit(rest, end, *found, means_else)) {
  }
  length = end;
  return found;
}

}  // namespace formula_text

template <class Builder>
class FormulaSyntax {
 public:
  using Value = typename Builder::Value;

  FormulaSyntax(std::string_view text, Builder& builder) : text_(text), builder_(builder) {}

  /// InputError that names the position of what is wrong.
  Value read() {
    constexpr std::size_t longest_text = 100'000;
    if (text_.size() > longest_text)
      throw InputError(fmt::format("a formula of {} characters", text_.size()),
                       fmt::format("at most {}", longest_text));
    try {
      Value value = sum();
      skip_spaces();
      if (at_ < text_.size()) fail(unexpected(), "an operator or the end");
      return value;
    } catch (const FormulaComplaint& complaint) {
      fail(complaint.message, complaint.expectation, complaint.hint);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& message, const std::string& expectation,
                         const std::string& hint = {}) const {
    throw InputError(Problem{{},
                             fmt::format("formula '{}', position {}", around(), at_ + 1),
                             message,
                             expectation,
                             hint});
  }

  /// Counts the nesting while it lives.
  class Level {
   public:
    explicit Level(FormulaSyntax& syntax) : syntax_(syntax) {
      if (++syntax_.depth_ > deepest_formula)
        syntax_.fail(fmt::format("nested more than {} deep", deepest_formula),
                     "fewer parentheses, functions or powers within each other");
    }
    ~Level() { --syntax_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    FormulaSyntax& syntax_;
  };

  Value sum() {
    const Level level(*this);
    Value value = product();
    while (true) {
      if (take('+'))
        value = builder_.combine('+', value, product());
      else if (take('-'))
        value = builder_.combine('-', value, product());
      else
        return value;
    }
  }

  Value product() {
    Value value = signed_power();
    while (true) {
      if (take('*'))
        value = builder_.combine('*', value, signed_power());
      else if (take('/'))
        value = builder_.combine('/', value, signed_power());
      else
        return value;
    }
  }

  Value signed_power() {
    bool negative = false;
    while (true) {
      if (take('-'))
        negative = !negative;
      else if (!take('+'))
        break;
    }
    Value value = primary();
    if (take('^')) {
      const Level level(*this);
      value = builder_.combine('^', value, signed_power());
    }
    return negative ? builder_.negative(value) : value;
  }

  Value primary() {
    skip_spaces();
    if (at_ == text_.size()) fail("the formula ends here", "a number, a name or '('");
    if (take('(')) {
      const std::size_t open = at_ - 1;
      Value value = sum();
      close(open);
      return value;
    }
    if (formula_text::is_digit(text_[at_]) || text_[at_] == '.') return number();
    if (formula_text::is_letter(text_[at_]) || text_[at_] == '\'') return name();
    fail(unexpected(), "a number, a name or '('");
  }

  Value number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value))
      fail("a number that cannot be represented", "a number");
    at_ += static_cast<std::size_t>(end - begin);
    std::size_t length = 0;
    Value made = builder_.number(value, text_.substr(at_), length);
    at_ += length;
    if (at_ < text_.size() && (formula_text::in_word(text_[at_]) || text_[at_] == '.'))
      fail(unexpected(), "an operator", "a product needs its '*': 2*pi");
    return made;
  }

  Value name() {
    std::size_t length = 0;
    if (std::optional<Value> value = builder_.variable(text_.substr(at_), length)) {
      at_ += length;
      return *value;
    }
    if (!formula_text::is_letter(text_[at_])) fail(unexpected(), "a number, a name or '('");
    const std::size_t begin = at_;
    while (at_ < text_.size() && (formula_text::in_word(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (const int arguments = builder_.arguments(word); arguments > 0)
      return function(word, arguments, begin);
    at_ = begin;
    const std::string shown = word.size() > 40 ? word.substr(0, 40) + "..." : word;
    fail(fmt::format("unknown name '{}'", shown), builder_.expected_names(),
         nearest_name_hint(word, builder_.known_names()));
  }

  Value function(const std::string& word, int arguments, std::size_t begin) {
    if (!take('('))
      fail(fmt::format("the function '{}' without its argument", word),
           fmt::format("{}(...)", word));
    const std::size_t open = at_ - 1;
    std::vector<Value> values;
    do values.push_back(sum());
    while (take(','));
    close(open);
    const int given = static_cast<int>(values.size());
    if (given == arguments) return builder_.call(word, values);
    at_ = begin;
    fail(fmt::format("'{}' with {} argument{}", word, given, given == 1 ? "" : "s"),
         fmt::format("{}", arguments));
  }

  void close(std::size_t open) {
    if (take(')')) return;
    if (at_ == text_.size()) {
      at_ = open;
      fail("this '(' is never closed", "')'");
    }
    fail(unexpected(), "an operator, ',' or ')'");
  }

  void skip_spaces() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != text_.npos) ++at_;
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
  /// The text around the position, for messages.
  std::string around() const {
    const std::size_t begin = at_ > 20 ? at_ - 20 : 0;
    const std::string_view part = text_.substr(begin, 40);
    std::string shown;
    for (const char c : part) shown += (c >= ' ' && c < 127) ? c : '?';
    return fmt::format("{}{}{}", begin > 0 ? "..." : "", shown,
                       begin + part.size() < text_.size() ? "..." : "");
  }

  std::string_view text_;
  Builder& builder_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace ulna
