#include "options/vector_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numbers>
#include <string_view>

#include "options/degrees.hpp"
#include "ulna/model/internal/entry_hint.hpp"
#include "ulna/model/model.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::cli {
namespace {

std::string_view trimmed_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  if (trimmed_text(text).empty()) return parts;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = text.find(',', begin);
    parts.push_back(trimmed_text(text.substr(begin, comma - begin)));
    if (comma == std::string_view::npos) return parts;
    begin = comma + 1;
  }
}

[[noreturn]] void refuse_number(const std::string& option, const std::string& message,
                                const std::string& expectation, const std::string& hint = {}) {
  throw InputError(Problem{{}, option, message, expectation, hint});
}

const Quantity& quantity_of(Dimension dimension, std::string_view rate) {
  switch (dimension) {
    case Dimension::angle:
      return rate == "/s"     ? quantity::angular_velocity
             : rate == "/s^2" ? quantity::angular_acceleration
                              : quantity::angle;
    case Dimension::length:
      return rate == "/s"     ? quantity::velocity
             : rate == "/s^2" ? quantity::acceleration
                              : quantity::length;
    case Dimension::force:
      return quantity::force;
    case Dimension::torque:
      return quantity::torque;
    case Dimension::acceleration:
      return quantity::acceleration;
    case Dimension::time:
      return quantity::time;
    case Dimension::frequency:
      return quantity::frequency;
    case Dimension::mass:
      return quantity::mass;
    case Dimension::number:
      break;
  }
  return quantity::number;
}

/// A number with its unit; plain ones for angles are degrees where that was asked for.
ParsedQuantity read_entry(std::string_view text, Dimension dimension, std::string_view rate) {
  ParsedQuantity value = parse_quantity(text, quantity_of(dimension, rate));
  if (!in_degrees() || dimension != Dimension::angle || !value.complaint.empty()) return value;
  const std::string_view number = trimmed_text(text);
  double plain = 0;
  const char* const begin = number.data() + (number.starts_with('+') ? 1 : 0);
  const char* const end = number.data() + number.size();
  const auto [next, failure] = std::from_chars(begin, end, plain);
  if (failure == std::errc() && next == end) value.value = plain * (std::numbers::pi / 180);
  return value;
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
  for (std::size_t k = 0; k < expected; ++k) {
    const Quantity& quantity = quantity_of(entries[k].dimension, rate);
    const ParsedQuantity value = read_entry(parts[k], entries[k].dimension, rate);
    if (!value.complaint.empty())
      refuse_number(option,
                    fmt::format("entry {} ({}): {}", k + 1, entries[k].name, value.complaint),
                    expected_text(quantity));
    values(static_cast<Eigen::Index>(k)) = value.value;
  }
  return values;
}

bool is_named(const std::string& text) { return text.find('=') != std::string::npos; }

int place_named(const std::string& option, const std::string& name,
                const std::vector<Entry>& entries, const Model* model) {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (entries[k].name == name) return static_cast<int>(k);
    known.push_back(entries[k].name);
  }
  refuse_number(option, fmt::format("the robot has no '{}'", name),
                "names as 'ulna info' lists them",
                model ? nearest_entry_hint(*model, name, known) : nearest_name_hint(name, known));
}

std::vector<std::string> listed_names(const std::string& text) {
  std::vector<std::string> list;
  for (const std::string_view part : split_at_commas(text)) list.emplace_back(part);
  if (list.empty()) list.emplace_back();  // refused as a name
  return list;
}

NamedNumbers parse_named(const std::string& option, const std::string& text,
                         const std::vector<Entry>& entries, const std::string& rate,
                         const Model* model) {
  NamedNumbers named;
  for (const std::string_view part : split_at_commas(text)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      refuse_number(option, fmt::format("'{}' found among named values", part),
                    "NAME=VALUE for each, or values alone for all");
    const std::string name(trimmed_text(part.substr(0, equals)));
    const int place = place_named(option, name, entries, model);
    if (std::find(named.places.begin(), named.places.end(), place) != named.places.end())
      refuse_number(option, fmt::format("'{}' is given twice", name), "each name once");
    const Quantity& quantity =
        quantity_of(entries[static_cast<std::size_t>(place)].dimension, rate);
    const ParsedQuantity value = read_entry(
        part.substr(equals + 1), entries[static_cast<std::size_t>(place)].dimension, rate);
    if (!value.complaint.empty())
      refuse_number(option, fmt::format("{}: {}", name, value.complaint), expected_text(quantity));
    named.places.push_back(place);
    named.values.push_back(value.value);
  }
  return named;
}

double parse_number(const std::string& option, const std::string& text, Dimension dimension) {
  const Quantity& quantity = quantity_of(dimension, {});
  const ParsedQuantity found = read_entry(text, dimension, {});
  if (!found.complaint.empty()) refuse_number(option, found.complaint, expected_text(quantity));
  return found.value;
}

int parse_count(const std::string& option, const std::string& text, int least) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [next, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || next != end || value < least)
    refuse_number(
        option, in_quotes(text) + " found",
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
