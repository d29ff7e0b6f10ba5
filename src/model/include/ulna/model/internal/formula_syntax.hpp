#pragma once
// The grammar of formulas as users type them, by recursive descent, for any kind of value:
//
//   sum     = product {(+|-) product}
//   product = signed {(*|/) signed}
//   signed  = {+|-} power
//   power   = primary [^ signed-power]
//   primary = number | name | name(sum {, sum}) | (sum)
//
// A builder makes the values: `number(x)`, `combine(op, a, b)` with op one of + - * / ^,
// `negative(a)`, `arguments(word)` (how many a function of that name takes; 0: there is none),
// `call(word, values)`, and `variable(text, length)`, which looks at what follows and says how long
// a name it takes: names of joints may hold characters that words cannot.

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

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
    Value value = sum();
    skip_spaces();
    if (at_ < text_.size()) fail(unexpected(), "an operator or the end");
    return value;
  }

  [[noreturn]] void fail(const std::string& message, const std::string& expectation,
                         const std::string& hint = {}) const {
    throw InputError(Problem{{},
                             fmt::format("formula '{}', position {}", around(), at_ + 1),
                             message,
                             expectation,
                             hint});
  }

 private:
  /// Counts the nesting while it lives.
  class Level {
   public:
    explicit Level(FormulaSyntax& syntax) : syntax_(syntax) {
      constexpr int deepest = 100;
      if (++syntax_.depth_ > deepest)
        syntax_.fail(fmt::format("nested more than {} deep", deepest),
                     "fewer parentheses, functions or powers within each other");
    }
    ~Level() { --syntax_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    FormulaSyntax& syntax_;
  };

  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool in_word(char c) { return is_letter(c) || is_digit(c); }

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
    if (is_digit(text_[at_]) || text_[at_] == '.') return number();
    if (is_letter(text_[at_])) return name();
    fail(unexpected(), "a number, a name or '('");
  }

  Value number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value))
      fail("a number that cannot be represented", "a number");
    at_ += static_cast<std::size_t>(end - begin);
    if (at_ < text_.size() && (in_word(text_[at_]) || text_[at_] == '.'))
      fail(unexpected(), "an operator", "a product needs its '*': 2*pi");
    return builder_.number(value);
  }

  Value name() {
    std::size_t length = 0;
    if (std::optional<Value> value = builder_.variable(text_.substr(at_), length)) {
      at_ += length;
      return *value;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && (in_word(text_[at_]) || text_[at_] == '.')) ++at_;
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
