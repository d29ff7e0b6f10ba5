#include "options/vector_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "ulna/numerics/error.hpp"

namespace ulna::cli {
namespace {

struct Unit {
  std::string_view name;
  Dimension dimension;
  long double numerator, denominator;
};
// Long double, and a division at the end: 90deg and 25mm become the nearest doubles.
constexpr Unit units[] = {{"rad", Dimension::angle, 1, 1},
                          {"deg", Dimension::angle, std::numbers::pi_v<long double>, 180},
                          {"m", Dimension::length, 1, 1},
                          {"cm", Dimension::length, 1, 100},
                          {"mm", Dimension::length, 1, 1000}};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  if (trimmed(text).empty()) return parts;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = text.find(',', begin);
    parts.push_back(trimmed(text.substr(begin, comma - begin)));
    if (comma == std::string_view::npos) return parts;
    begin = comma + 1;
  }
}

std::string shortened(std::string_view text) {
  return text.size() <= 40 ? std::string(text) : std::string(text.substr(0, 37)) + "...";
}

[[noreturn]] void refuse_number(const std::string& option, const std::string& message,
                                const std::string& expectation) {
  throw InputError(Problem{{}, option, message, expectation, {}});
}

std::string expected_number(Dimension dimension) {
  switch (dimension) {
    case Dimension::angle:
      return "a finite number of radians, or of degrees as in 30deg";
    case Dimension::length:
      return "a finite number of metres, or of millimetres as in 25mm";
    default:
      return "a finite number without a unit";
  }
}

// Nothing when the text is not a finite number with a unit that fits.
bool parse_entry(std::string_view text, Dimension dimension, std::string_view rate, double& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [next, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || !std::isfinite(value)) return false;
  std::string_view unit = trimmed({next, static_cast<std::size_t>(end - next)});
  if (unit.empty()) return true;
  if (!rate.empty() && unit.ends_with(rate)) unit.remove_suffix(rate.size());
  for (const Unit& known : units)
    if (unit == known.name && dimension == known.dimension) {
      value = static_cast<double>(value * known.numerator / known.denominator);
      return std::isfinite(value);
    }
  return false;
}

std::string names(const std::vector<Entry>& entries) {
  std::string list;
  for (const Entry& entry : entries) list += (list.empty() ? "" : ", ") + entry.name;
  return list;
}

}  // namespace

Eigen::VectorXd parse_vector(const std::string& option, const std::string& text,
                             const std::vector<Entry>& entries, const std::string& rate) {
  const std::vector<std::string_view> parts = split_at_commas(text);
  const std::size_t found = parts.size(), expected = entries.size();
  if (found != expected)
    refuse_number(option, fmt::format("{} number{} found", found, found == 1 ? "" : "s"),
                  expected == 0
                      ? "none"
                      : fmt::format("{}, separated by commas: {}", expected, names(entries)));
  Eigen::VectorXd values(expected);
  for (std::size_t k = 0; k < expected; ++k)
    if (!parse_entry(parts[k], entries[k].dimension, rate, values(k)))
      refuse_number(
          option, fmt::format("entry {} ({}) is '{}'", k + 1, entries[k].name, shortened(parts[k])),
          expected_number(entries[k].dimension));
  return values;
}

double parse_number(const std::string& option, const std::string& text) {
  double value = 0;
  if (!parse_entry(trimmed(text), Dimension::number, {}, value))
    refuse_number(option, fmt::format("'{}' found", shortened(text)),
                  expected_number(Dimension::number));
  return value;
}

int parse_count(const std::string& option, const std::string& text, int least) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [next, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || next != end || value < least)
    refuse_number(
        option, fmt::format("'{}' found", shortened(text)),
        fmt::format("a whole number from {} to {}", least, std::numeric_limits<int>::max()));
  return value;
}

std::string unit_of(Dimension dimension, const std::string& rate) {
  switch (dimension) {
    case Dimension::angle:
      return "rad" + rate;
    case Dimension::length:
      return "m" + rate;
    default:
      return {};
  }
}

std::vector<Entry> xyz(Dimension dimension, const std::string& prefix) {
  return {{prefix + "x", dimension}, {prefix + "y", dimension}, {prefix + "z", dimension}};
}

}  // namespace ulna::cli
