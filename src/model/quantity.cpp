#include "ulna/model/internal/quantity.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "ulna/model/model.hpp"  // nearest_name_hint

namespace ulna {

namespace {

// Long double keeps "25.4 mm" and "90 deg" at the double nearest to the true value.
using Real = long double;
constexpr Real exact_pi = std::numbers::pi_v<Real>;

struct Unit {
  const char* name;
  Real numerator, denominator;  // exact where the definition is
  Dimensions dimensions;
};

constexpr Unit units[] = {
    {"m", 1, 1, {1, 0, 0, 0}},
    {"km", 1000, 1, {1, 0, 0, 0}},
    {"cm", 1, 100, {1, 0, 0, 0}},
    {"mm", 1, 1000, {1, 0, 0, 0}},
    {"um", 1, 1000000, {1, 0, 0, 0}},
    {"in", 254, 10000, {1, 0, 0, 0}},
    {"ft", 3048, 10000, {1, 0, 0, 0}},
    {"kg", 1, 1, {0, 1, 0, 0}},
    {"g", 1, 1000, {0, 1, 0, 0}},
    {"mg", 1, 1000000, {0, 1, 0, 0}},
    {"t", 1000, 1, {0, 1, 0, 0}},
    {"lb", 45359237, 100000000, {0, 1, 0, 0}},
    {"s", 1, 1, {0, 0, 1, 0}},
    {"ms", 1, 1000, {0, 0, 1, 0}},
    {"us", 1, 1000000, {0, 0, 1, 0}},
    {"ns", 1, 1000000000, {0, 0, 1, 0}},
    {"min", 60, 1, {0, 0, 1, 0}},
    {"h", 3600, 1, {0, 0, 1, 0}},
    {"Hz", 1, 1, {0, 0, -1, 0}},
    {"kHz", 1000, 1, {0, 0, -1, 0}},
    {"rad", 1, 1, {0, 0, 0, 1}},
    {"mrad", 1, 1000, {0, 0, 0, 1}},
    {"deg", exact_pi, 180, {0, 0, 0, 1}},
    {"rev", 2 * exact_pi, 1, {0, 0, 0, 1}},
    {"rpm", 2 * exact_pi, 60, {0, 0, -1, 1}},
    {"N", 1, 1, {1, 1, -2, 0}},
    {"kN", 1000, 1, {1, 1, -2, 0}},
    {"mN", 1, 1000, {1, 1, -2, 0}},
    {"Nm", 1, 1, {2, 1, -2, 0}},
    {"kNm", 1000, 1, {2, 1, -2, 0}},
    {"mNm", 1, 1000, {2, 1, -2, 0}},
    {"J", 1, 1, {2, 1, -2, 0}},
    {"W", 1, 1, {2, 1, -3, 0}},
    {"Pa", 1, 1, {-1, 1, -2, 0}},
    {"MPa", 1000000, 1, {-1, 1, -2, 0}},
    {"GPa", 1000000000, 1, {-1, 1, -2, 0}},
};

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

struct Complaint : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// sum = product (('+' | '-') product)*,  product = power (('*' | '/') power)*,
// power = sign* primary ['^' integer],   primary = decimal | 'pi' | '(' sum ')',
// and after the sum, optionally, a unit = name ['^' integer] (('*' | '/' | ' ') name ...)*.
class QuantityParser {
 public:
  explicit QuantityParser(std::string_view text) : text_(text) {}

  double parse(const Quantity& expected) {
    Real value = sum();
    if (peek() != 0) value = apply_unit(value, expected);
    const double result = static_cast<double>(value);
    if (!std::isfinite(result)) throw Complaint("is not a finite number");
    return result;
  }

 private:
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  Real sum() {
    Real value = product();
    while (true) {
      if (accept('+'))
        value += product();
      else if (accept('-'))
        value -= product();
      else
        return value;
    }
  }

  Real product() {
    Real value = power();
    while (true) {
      if (accept('*')) {
        value *= power();
      } else if (accept('/')) {
        const Real divisor = power();
        if (divisor == 0) throw Complaint("divides by zero");
        value /= divisor;
      } else {
        return value;
      }
    }
  }

  Real power() {
    bool negative = false;
    while (peek() == '-' || peek() == '+') negative ^= text_[at_++] == '-';
    Real value = primary();
    if (accept('^')) value = std::pow(value, static_cast<Real>(integer()));
    return negative ? -value : value;
  }

  Real primary() {
    const char c = peek();
    if (accept('(')) {
      const Real value = sum();
      if (!accept(')')) throw Complaint("lacks a ')'");
      return value;
    }
    if (is_digit(c) || c == '.') {
      Real value = 0;
      const char* const end = text_.data() + text_.size();
      const auto [next, error] = std::from_chars(text_.data() + at_, end, value);
      if (error == std::errc::result_out_of_range) throw Complaint("is out of range");
      if (error != std::errc()) throw Complaint("is not a number");
      at_ = static_cast<std::size_t>(next - text_.data());
      return value;
    }
    if (name() == "pi") return exact_pi;
    throw Complaint("is not a number");
  }

  std::string name() {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  int integer() {
    const int sign = accept('-') ? -1 : 1;
    if (!is_digit(peek())) throw Complaint("has no whole number after '^'");
    const int digit = text_[at_++] - '0';
    if (at_ < text_.size() && is_digit(text_[at_])) throw Complaint("has too large a power");
    return sign * digit;
  }

  Real apply_unit(Real value, const Quantity& expected) {
    Dimensions dimensions;
    Real numerator = 1, denominator = 1;
    for (int sense = 1; peek() != 0;) {
      const Unit& unit = known_unit(name());
      const int power = sense * (accept('^') ? integer() : 1);
      dimensions = dimensions.times(unit.dimensions, power);
      for (int i = 0; i < std::abs(power); ++i) {
        numerator *= power > 0 ? unit.numerator : unit.denominator;
        denominator *= power > 0 ? unit.denominator : unit.numerator;
      }
      sense = 1;
      if (accept('/'))
        sense = -1;
      else if (!accept('*'))
        continue;
      if (peek() == 0) throw Complaint("ends in the middle of a unit");
    }
    if (!fits(dimensions, expected)) throw Complaint("has the wrong unit");
    return value * numerator / denominator;
  }

  const Unit& known_unit(const std::string& wanted) {
    std::vector<std::string> known;
    for (const Unit& unit : units) {
      if (unit.name == wanted) return unit;
      known.emplace_back(unit.name);
    }
    if (wanted.empty()) throw Complaint("is not a number, or a number and a unit");
    const std::string hint = nearest_name_hint(wanted, known);
    throw Complaint(fmt::format("has an unknown unit {}{}", in_quotes(wanted),
                                hint.empty() ? "" : "; " + hint));
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 60;
  if (text.size() <= most) return fmt::format("'{}'", text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return fmt::format("'{}...'", text.substr(0, end));
}

bool fits(const Dimensions& found, const Quantity& expected) {
  const bool angle_fits = found.angle == expected.angle || (expected.mass != 0 && found.angle == 0);
  return found.length == expected.length && found.mass == expected.mass &&
         found.time == expected.time && angle_fits;
}

std::optional<NamedUnit> unit_named(std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name)
      return NamedUnit{static_cast<double>(unit.numerator / unit.denominator), unit.dimensions};
  return {};
}

std::string expected_text(const Quantity& quantity) {
  return fmt::format("{}, such as {}", quantity.name, quantity.example);
}

ParsedQuantity parse_decimal(std::string_view raw) {
  std::string_view text = without_blanks(raw);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return {0, in_quotes(raw) + " is out of range"};
  if (error != std::errc() || next != text.data() + text.size())
    return {0, in_quotes(raw) + " is not a number"};
  if (!std::isfinite(value)) return {0, in_quotes(raw) + " is not a finite number"};
  return {value, {}};
}

ParsedQuantity parse_quantity(std::string_view raw, const Quantity& expected) {
  constexpr std::size_t longest = 200;  // also bounds the depth of parentheses
  const std::string_view text = without_blanks(raw);
  if (text.empty()) return {0, "there is no value"};
  if (text.size() > longest) return {0, in_quotes(text) + " is too long for a number"};
  // A plain decimal keeps every bit: no detour through long double.
  if (ParsedQuantity plain = parse_decimal(text);
      plain.complaint.empty() || plain.complaint.ends_with("finite number"))
    return plain;
  try {
    return {QuantityParser(text).parse(expected), {}};
  } catch (const Complaint& complaint) {
    return {0, fmt::format("{} {}", in_quotes(text), complaint.what())};
  }
}

}  // namespace ulna
