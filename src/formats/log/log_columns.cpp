#include "log/log_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "run/csv_table.hpp"
#include "text_file.hpp"
#include "ulna/model/internal/quantity.hpp"
#include "ulna/simulation/channels.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

constexpr std::array<const char*, 5> kind_names = {"t", "q", "v", "a", "tau"};

/// Words of titles, small letters, by kind. Those of the time stand alone.
const std::vector<std::pair<LogKind, std::vector<std::string>>>& kind_words() {
  static const std::vector<std::pair<LogKind, std::vector<std::string>>> words = {
      {LogKind::time, {"t", "time", "timestamp", "stamp", "zeit"}},
      {LogKind::q, {"q", "pos", "position", "positions", "angle", "angles", "coordinate"}},
      {LogKind::v,
       {"v", "qd", "dq", "qdot", "vel", "velocity", "velocities", "speed", "speeds", "rate"}},
      {LogKind::a, {"a", "qdd", "ddq", "qddot", "acc", "acceleration", "accelerations"}},
      {LogKind::tau, {"tau", "torque", "torques", "effort", "efforts", "moment", "force"}}};
  return words;
}

std::string small_letters(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// A title without its unit, and the unit.
struct TitleParts {
  std::string name, unit;
};
TitleParts title_parts(const std::string& title) {
  const std::string text(trimmed(title));
  for (const auto& [open, close] : {std::pair{'[', ']'}, {'(', ')'}}) {
    if (text.empty() || text.back() != close) continue;
    const std::size_t at = text.rfind(open);
    if (at == std::string::npos || at == 0) continue;
    const std::string inside(trimmed(text.substr(at + 1, text.size() - at - 2)));
    // "q[0]", "tau(2)": an index.
    if (!inside.empty() && inside.find_first_not_of("0123456789") == std::string::npos) continue;
    return {std::string(trimmed(text.substr(0, at))), inside};
  }
  return {text, {}};
}

/// What the unit of a column says of its kind: "elbow [Nm]" is an effort.
std::optional<LogKind> kind_by_unit(const std::string& unit) {
  if (unit.empty()) return std::nullopt;
  const std::string one = "1 " + plain_unit(unit);
  const auto measures = [&](const Quantity& a, const Quantity& b) {
    return parse_quantity(one, a).complaint.empty() || parse_quantity(one, b).complaint.empty();
  };
  if (measures(quantity::torque, quantity::force)) return LogKind::tau;
  if (measures(quantity::angular_velocity, quantity::velocity)) return LogKind::v;
  if (measures(quantity::angular_acceleration, quantity::acceleration)) return LogKind::a;
  return std::nullopt;
}

/// Letters and numbers apart: "actual_q_0" -> actual, q, 0; "tau12" -> tau, 12.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words;
  char last = ' ';
  for (const char c : small_letters(name)) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0;
    if (digit || letter) {
      const bool last_digit = std::isdigit(static_cast<unsigned char>(last)) != 0;
      const bool last_word =
          last_digit || std::isalpha(static_cast<unsigned char>(last)) != 0 || (last & 0x80) != 0;
      if (!last_word || last_digit != digit) words.emplace_back();
      words.back() += c;
    }
    last = c;
  }
  return words;
}

/// The words of `inner` one after another in `words`, from `at`.
bool stands_at(const std::vector<std::string>& words, const std::vector<std::string>& inner,
               std::size_t at) {
  return at + inner.size() <= words.size() &&
         std::equal(inner.begin(), inner.end(), words.begin() + static_cast<long>(at));
}

/// What a title may mean. `rest`: words that say nothing.
struct Reading {
  LogKind kind;
  int place = -1;   ///< by name
  int number = -1;  ///< by number
  std::size_t rest = 0;
  bool said = false;  ///< whether the kind was said, not taken for a coordinate
};

const std::vector<std::string>& names_for(const Model& model, LogKind kind) {
  return kind == LogKind::q ? model.coordinate_names() : model.speed_names();
}

/// The kind by a word that is left over.
std::optional<LogKind> kind_among(std::vector<std::string>& words) {
  for (const auto& [kind, known] : kind_words())
    for (std::size_t k = 0; k < words.size(); ++k)
      if (std::find(known.begin(), known.end(), words[k]) != known.end() && kind != LogKind::time) {
        words.erase(words.begin() + static_cast<long>(k));
        return kind;
      }
  return std::nullopt;
}

std::optional<Reading> reading_by_name(const Model& model, const std::vector<std::string>& words,
                                       std::optional<LogKind> measured) {
  std::optional<Reading> best;
  for (const LogKind kind : {LogKind::q, LogKind::v, LogKind::a, LogKind::tau}) {
    const auto& names = names_for(model, kind);
    for (std::size_t place = 0; place < names.size(); ++place) {
      const std::vector<std::string> own = words_of(names[place]);
      for (std::size_t at = 0; at < words.size(); ++at) {
        if (own.empty() || !stands_at(words, own, at)) continue;
        std::vector<std::string> left = words;
        left.erase(left.begin() + static_cast<long>(at),
                   left.begin() + static_cast<long>(at + own.size()));
        std::optional<LogKind> said = kind_among(left);
        if (!said) said = measured;
        if (said.value_or(LogKind::q) != kind || (!said && !left.empty())) continue;
        Reading found{kind, static_cast<int>(place), -1, left.size(), said.has_value()};
        if (!best || found.rest < best->rest) best = found;
      }
    }
  }
  return best;
}

std::optional<Reading> reading_by_number(std::vector<std::string> words) {
  const auto kind = kind_among(words);
  if (!kind) return std::nullopt;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (!std::isdigit(static_cast<unsigned char>(words[k][0])) || words[k].size() > 3) continue;
    return Reading{*kind, -1, std::stoi(words[k]), words.size() - 1, true};
  }
  return std::nullopt;
}

std::optional<Reading> reading_of(const Model& model, const TitleParts& title) {
  const std::vector<std::string> words = words_of(title.name);
  if (const auto by_name = reading_by_name(model, words, kind_by_unit(title.unit))) return by_name;
  if (const auto by_number = reading_by_number(words)) return by_number;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto& known = kind_words()[0].second;
    if (std::find(known.begin(), known.end(), words[k]) != known.end())
      return Reading{LogKind::time, 0, -1, words.size() - 1, true};
  }
  return std::nullopt;
}

const Quantity* quantity_of(const Model& model, LogKind kind, int place) {
  if (kind == LogKind::time) return &quantity::time;
  if (kind == LogKind::q) {
    const std::string unit = coordinate_units(model)[static_cast<std::size_t>(place)];
    return unit == "rad" ? &quantity::angle : unit == "m" ? &quantity::length : nullptr;
  }
  const bool turns = speed_units(model)[static_cast<std::size_t>(place)] == "rad";
  if (kind == LogKind::v) return turns ? &quantity::angular_velocity : &quantity::velocity;
  if (kind == LogKind::a) return turns ? &quantity::angular_acceleration : &quantity::acceleration;
  return turns ? &quantity::torque : &quantity::force;
}

double factor_of(const Model& model, LogKind kind, int place, const std::string& title,
                 const std::string& file) {
  const std::string unit = plain_unit(title_parts(title).unit);
  const Quantity* expected = quantity_of(model, kind, place);
  if (unit.empty() || unit == "1" || !expected) return 1;
  const ParsedQuantity parsed = parse_quantity("1 " + unit, *expected);
  if (!parsed.complaint.empty())
    throw InputError(
        Problem{{file},
                "column " + in_quotes(title),
                fmt::format("the unit {} is not that of {}", in_quotes(unit), expected->name),
                std::string("one such as ") + expected->example,
                fmt::format("--column '{}={}*FACTOR'", log_name(model, kind, place), title)});
  return parsed.value;
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
                      const std::vector<std::string>& titles, bool& has_factor) {
  LogColumn out;
  std::string title(trimmed(right));
  has_factor = false;
  if (const std::size_t star = title.rfind('*'); star != std::string::npos) {
    const ParsedQuantity factor = parse_quantity(title.substr(star + 1), quantity::number);
    if (!factor.complaint.empty()) refuse_told(left, factor.complaint, "TITLE*NUMBER");
    out.factor = factor.value;
    title = std::string(trimmed(title.substr(0, star)));
    has_factor = true;
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

}  // namespace

std::string log_name(const Model& model, LogKind kind, int place) {
  if (kind == LogKind::time) return "t";
  return fmt::format("{}.{}", kind_names[static_cast<std::size_t>(kind)],
                     names_for(model, kind)[static_cast<std::size_t>(place)]);
}

LogColumns columns_by_title(const Model& model, const std::vector<std::string>& titles,
                            const LogOptions& options, const std::string& file) {
  LogColumns out;
  for (const auto& [left, right] : options.columns) {
    const auto key = told_name(model, left);
    bool has_factor = false;
    LogColumn column = told_column(left, right, titles, has_factor);
    if (!has_factor)
      column.factor = factor_of(model, key.first, key.second,
                                titles[static_cast<std::size_t>(column.column)], file);
    out[key] = column;
  }
  std::vector<std::optional<Reading>> readings;
  std::array<bool, 5> from_zero{};
  for (const std::string& title : titles) {
    readings.push_back(reading_of(model, title_parts(title)));
    if (readings.back() && readings.back()->number == 0)
      from_zero[static_cast<std::size_t>(readings.back()->kind)] = true;
  }
  std::map<std::pair<LogKind, int>, std::vector<std::pair<std::size_t, int>>> claims;
  for (std::size_t k = 0; k < titles.size(); ++k) {
    if (!readings[k]) continue;
    const Reading& reading = *readings[k];
    int place = reading.place;
    if (place < 0)
      place = reading.number - (from_zero[static_cast<std::size_t>(reading.kind)] ? 0 : 1);
    if (reading.kind != LogKind::time &&
        (place < 0 || place >= std::ssize(names_for(model, reading.kind))))
      continue;
    // A coordinate that is only named gives way to one that says what it is.
    claims[{reading.kind, place}].emplace_back(reading.rest + (reading.said ? 0 : 1),
                                               static_cast<int>(k));
  }
  for (auto& [key, list] : claims) {
    if (out.contains(key)) continue;
    std::sort(list.begin(), list.end());
    if (list.size() > 1 && list[0].first == list[1].first && key.first != LogKind::time) {
      const std::string name = log_name(model, key.first, key.second);
      throw InputError(Problem{
          {file},
          {},
          fmt::format("columns {} and {} may both be {}",
                      in_quotes(titles[static_cast<std::size_t>(list[0].second)]),
                      in_quotes(titles[static_cast<std::size_t>(list[1].second)]), name),
          "one of them",
          fmt::format("--column '{}={}'", name, titles[static_cast<std::size_t>(list[0].second)])});
    }
    const int column = list.front().second;
    out[key] = {column, factor_of(model, key.first, key.second,
                                  titles[static_cast<std::size_t>(column)], file)};
  }
  return out;
}

}  // namespace ulna
