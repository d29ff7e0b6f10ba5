#include "log/log_titles.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "run/csv_table.hpp"
#include "text_file.hpp"
#include "ulna/simulation/channels.hpp"

namespace ulna {
namespace {

/// Words of titles, small letters, by kind. Those of the time stand alone.
const std::vector<std::pair<LogKind, std::vector<std::string>>>& kind_words() {
  static const std::vector<std::pair<LogKind, std::vector<std::string>>> words = {
      {LogKind::time,
       {"t", "time", "timestamp", "stamp", "clock", "datetime", "zeit", "temps", "tiempo"}},
      {LogKind::q,
       {"q", "pos", "position", "positions", "angle", "angles", "coordinate", "winkel", "lage"}},
      {LogKind::v,
       {"v", "qd", "dq", "qdot", "vel", "velocity", "velocities", "speed", "speeds", "rate",
        "geschwindigkeit", "drehzahl"}},
      {LogKind::a,
       {"a", "qdd", "ddq", "qddot", "acc", "acceleration", "accelerations", "beschleunigung"}},
      {LogKind::tau,
       {"tau", "torque", "torques", "effort", "efforts", "moment", "force", "drehmoment",
        "kraft"}}};
  return words;
}

std::string small_letters(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
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
  if (measures(quantity::angle, quantity::length)) return LogKind::q;
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

/// "tau_2", or the unit tells what was measured: "J2 [deg]", "M2 [Nm]". The letter a counts axes as
/// well as accelerations.
std::optional<Reading> reading_by_number(std::vector<std::string> words,
                                         std::optional<LogKind> measured) {
  const bool axis = measured && std::find(words.begin(), words.end(), "a") != words.end();
  const auto named = kind_among(words), kind = named && !axis ? named : measured;
  if (!kind || (!named && words.size() != 2)) return std::nullopt;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (!std::isdigit(static_cast<unsigned char>(words[k][0])) || words[k].size() > 3) continue;
    return Reading{*kind, -1, std::stoi(words[k]), words.size() - 1, named.has_value()};
  }
  return std::nullopt;
}

std::optional<Reading> reading_of_parts(const Model& model, const TitleParts& title) {
  const std::vector<std::string> words = words_of(title.name);
  const std::optional<LogKind> measured = kind_by_unit(title.unit);
  // Positions need no word beside the name of the joint; with one they are something else.
  const auto for_names = measured == LogKind::q ? std::nullopt : measured;
  if (const auto by_name = reading_by_name(model, words, for_names)) return by_name;
  if (const auto by_number = reading_by_number(words, measured)) return by_number;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto& known = kind_words()[0].second;
    if (std::find(known.begin(), known.end(), words[k]) != known.end())
      return Reading{LogKind::time, 0, -1, words.size() - 1, true};
  }
  for (const char* unit : {"s", "ms", "us", "ns"})  // a unit of time alone
    if (plain_unit(title.name) == unit) return Reading{LogKind::time, 0, -1, 0, true, unit};
  return std::nullopt;
}

}  // namespace

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

TitleParts parts_without_brackets(const TitleParts& title) {
  const std::size_t at = title.name.find_last_of(" _-.");
  if (!title.unit.empty() || at == std::string::npos || at == 0) return {title.name, {}};
  const std::string word = title.name.substr(at + 1), unit = plain_unit(word);
  if (word.empty() || (unit == word && !unit_named(unit))) return {title.name, {}};
  return {title.name.substr(0, at), word};
}

const std::vector<std::string>& names_for(const Model& model, LogKind kind) {
  return kind == LogKind::q ? model.coordinate_names() : model.speed_names();
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

bool unit_fits(const Model& model, LogKind kind, int place, const std::string& unit) {
  const Quantity* expected = quantity_of(model, kind, place);
  return expected && parse_quantity("1 " + plain_unit(unit), *expected).complaint.empty();
}

std::optional<Reading> reading_of(const Model& model, const std::string& text) {
  const TitleParts title = title_parts(text), open = parts_without_brackets(title);
  std::optional<Reading> best = reading_of_parts(model, title);
  if (best && best->unit.empty()) best->unit = title.unit;
  if (open.unit.empty()) return best;
  std::optional<Reading> shorter = reading_of_parts(model, open);
  if (!shorter) return best;
  const bool same = best && best->kind == shorter->kind && best->number == shorter->number &&
                    best->place == shorter->place && shorter->rest < best->rest;
  // Joints that are counted may be of any kind; their units are looked at when they are known.
  const bool fits =
      shorter->place >= 0 ? unit_fits(model, shorter->kind, shorter->place, open.unit) : same;
  if (!fits || (best && !same)) return best;
  shorter->unit = open.unit;
  return shorter;
}

}  // namespace ulna
