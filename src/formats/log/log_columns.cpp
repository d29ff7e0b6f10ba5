#include "log/log_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "run/csv_table.hpp"
#include "text_file.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

constexpr std::array<const char*, 5> kind_names = {"t", "q", "v", "a", "tau"};

LogColumn column_of(const Model& model, const std::pair<LogKind, int>& key, std::size_t column,
                    const Reading& reading, const std::string& title, const std::string& file) {
  LogColumn out{static_cast<int>(column), 1, false};
  const std::string unit = plain_unit(reading.unit);
  const Quantity* expected = quantity_of(model, key.first, key.second);
  if (unit.empty() || unit == "1" || !expected) return out;
  const ParsedQuantity parsed = parse_quantity("1 " + unit, *expected);
  if (parsed.complaint.empty()) return {out.column, parsed.value, true};
  if (title_parts(title).unit.empty()) return out;  // the last word is no unit of this quantity
  throw InputError(Problem{
      {file},
      "column " + in_quotes(title),
      fmt::format("the unit {} is not that of {}", in_quotes(unit), expected->name),
      std::string("a unit as in ") + expected->example,
      fmt::format("--column '{}={}*FACTOR' converts it{}", log_name(model, key.first, key.second),
                  title, expected->angle == 1 ? " (pi/180 for degrees)" : "")});
}

/// A column that was told, whose title may give its unit.
LogColumn column_told(const Model& model, const std::pair<LogKind, int>& key, std::size_t column,
                      const std::string& title, const std::string& file) {
  Reading reading{key.first, key.second};
  reading.unit = title_parts(title).unit;
  if (const TitleParts open = parts_without_brackets(title_parts(title)); !open.unit.empty())
    reading.unit = open.unit;
  return column_of(model, key, column, reading, title, file);
}

[[noreturn]] void refuse_told(const std::string& left, const std::string& what,
                              const std::string& expected, const std::string& hint = {}) {
  throw InputError(Problem{{}, "--column " + left, what, expected, hint});
}

std::pair<LogKind, int> told_name(const Model& model, const std::string& left) {
  if (left == "t") return {LogKind::time, 0};
  const std::size_t dot = left.find('.');
  const std::string head = left.substr(0, dot);
  const std::string name = dot == std::string::npos ? left : left.substr(dot + 1);
  for (std::size_t k = 1; k < kind_names.size(); ++k) {
    const bool bare = dot == std::string::npos || head != kind_names[k];
    if (bare && k != 1) continue;  // a name alone is a coordinate
    const auto kind = static_cast<LogKind>(k);
    const auto& names = names_for(model, kind);
    const auto found = std::find(names.begin(), names.end(), bare ? left : name);
    if (found != names.end()) return {kind, static_cast<int>(found - names.begin())};
    if (!bare)
      refuse_told(left, fmt::format("the robot has no {} '{}'", head, name), one_of(names),
                  nearest_name_hint(name, names));
  }
  refuse_told(left, "this is not known", "t, q.NAME, v.NAME, a.NAME or tau.NAME",
              nearest_name_hint(left, model.coordinate_names()));
}

LogColumn told_column(const std::string& left, const std::string& right,
                      const std::vector<std::string>& titles) {
  LogColumn out;
  std::string title(trimmed(right));
  if (const std::size_t star = title.rfind('*'); star != std::string::npos) {
    const ParsedQuantity factor = parse_quantity(title.substr(star + 1), quantity::number);
    if (!factor.complaint.empty()) refuse_told(left, factor.complaint, "TITLE*NUMBER");
    out.factor = factor.value;
    out.sure = true;
    title = std::string(trimmed(title.substr(0, star)));
  }
  std::vector<std::string> known;
  for (std::size_t k = 0; k < titles.size(); ++k) {
    known.push_back(title_parts(titles[k]).name);
    if (titles[k] == title || known.back() == title) out.column = static_cast<int>(k);
  }
  if (out.column < 0 && !title.empty() &&
      title.find_first_not_of("0123456789") == std::string::npos && title.size() < 6) {
    const int number = std::stoi(title);
    if (number >= 1 && number <= std::ssize(titles)) out.column = number - 1;
  }
  if (out.column < 0)
    refuse_told(left, fmt::format("the log has no column {}", in_quotes(title)), one_of(known),
                nearest_name_hint(title, known));
  return out;
}

/// Those that were told, with --column.
LogColumns told_columns(const Model& model, const LogTable& table, const LogOptions& options,
                        const std::string& file) {
  LogColumns out;
  for (const auto& [left, right] : options.columns) {
    const auto key = told_name(model, left);
    LogColumn column = told_column(left, right, table.titles);
    const auto k = static_cast<std::size_t>(column.column);
    if (!column.sure) column = column_told(model, key, k, table.titles[k], file);
    if (!table.words[k].empty())
      refuse_told(left,
                  fmt::format("this column holds words, such as {}", in_quotes(table.words[k])),
                  "a column of numbers");
    out[key] = column;
  }
  return out;
}

/// Words where the title speaks of a position or an effort are numbers that were not understood.
void refuse_words(const LogTable& table, std::size_t k, const Reading& reading,
                  const std::string& file) {
  if (reading.kind == LogKind::q || reading.kind == LogKind::tau)
    throw InputError(Problem{{file, table.lines.front(), 1},
                             "column " + in_quotes(table.titles[k]),
                             "found " + in_quotes(table.words[k]),
                             "a number",
                             {}});
}

/// A column that may be a quantity, and how much of its title says something else.
struct Claim {
  std::size_t rest, column;
  auto operator<=>(const Claim&) const = default;
};

}  // namespace

std::string log_name(const Model& model, LogKind kind, int place) {
  if (kind == LogKind::time) return "t";
  return fmt::format("{}.{}", kind_names[static_cast<std::size_t>(kind)],
                     names_for(model, kind)[static_cast<std::size_t>(place)]);
}

LogColumns columns_by_title(const Model& model, const LogTable& table, const LogOptions& options,
                            const std::string& file) {
  LogColumns out = told_columns(model, table, options, file);
  const std::vector<std::string>& titles = table.titles;
  std::vector<std::optional<Reading>> readings;
  std::array<bool, 5> from_zero{};
  for (std::size_t k = 0; k < titles.size(); ++k) {
    readings.push_back(reading_of(model, titles[k]));
    if (!readings[k]) continue;
    if (!table.words[k].empty()) {
      refuse_words(table, k, *readings[k], file);
      readings[k].reset();
    } else if (readings[k]->number == 0) {
      from_zero[static_cast<std::size_t>(readings[k]->kind)] = true;
    }
  }
  std::map<std::pair<LogKind, int>, std::vector<Claim>> claims;
  for (std::size_t k = 0; k < titles.size(); ++k) {
    if (!readings[k]) continue;
    const Reading& reading = *readings[k];
    int place = reading.place;
    if (place < 0)
      place = reading.number - (from_zero[static_cast<std::size_t>(reading.kind)] ? 0 : 1);
    if (reading.kind != LogKind::time &&
        (place < 0 || place >= std::ssize(names_for(model, reading.kind))))
      continue;
    if (reading.place < 0 && !reading.said && !unit_fits(model, reading.kind, place, reading.unit))
      continue;  // "frame 3 [m]" of an arm of hinges
    // A coordinate that is only named gives way to one that says what it is.
    claims[{reading.kind, place}].push_back({reading.rest + (reading.said ? 0 : 1), k});
  }
  for (auto& [key, list] : claims) {
    if (out.contains(key)) continue;
    std::sort(list.begin(), list.end());
    if (list.size() > 1 && list[0].rest == list[1].rest && key.first != LogKind::time) {
      const std::string name = log_name(model, key.first, key.second);
      throw InputError(
          Problem{{file},
                  {},
                  fmt::format("columns {} and {} may both be {}", in_quotes(titles[list[0].column]),
                              in_quotes(titles[list[1].column]), name),
                  "one of them",
                  fmt::format("--column '{}={}'", name, titles[list[0].column])});
    }
    const std::size_t k = list.front().column;
    out[key] = column_of(model, key, k, *readings[k], titles[k], file);
  }
  return out;
}

}  // namespace ulna
