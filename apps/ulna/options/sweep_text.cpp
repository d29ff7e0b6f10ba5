#include "options/sweep_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "options/state_options.hpp"
#include "options/structure_options.hpp"
#include "ulna/formats/parameters.hpp"
#include "ulna/kinematics/assembly.hpp"

namespace ulna::cli {
namespace {

constexpr long most_points = 100'000;

[[noreturn]] void refuse_range(const std::string& option, const std::string& found,
                               const std::string& expected) {
  throw InputError(Problem{{}, option, found, expected, {}});
}
[[noreturn]] void refuse_sweep(const std::string& found, const std::string& expected,
                               const std::string& hint = {}) {
  throw InputError(Problem{{}, "--sweep", found, expected, hint});
}

double value_of(const std::string& option, const std::string& text, Dimension dimension,
                const std::string& rate) {
  return parse_vector(option, text, {{"value", dimension}}, rate)(0);
}

// start:end:step, or a list.
std::vector<double> values_of(const std::string& text, Dimension dimension,
                              const std::string& option = "--sweep", const std::string& rate = {}) {
  std::vector<double> values;
  const std::size_t first = text.find(':');
  if (first == std::string::npos) {
    for (const std::string& part : comma_parts(text))
      values.push_back(value_of(option, part, dimension, rate));
    return values;
  }
  const std::size_t second = text.find(':', first + 1);
  if (second == std::string::npos) refuse_range(option, "found '" + text + "'", "START:END:STEP");
  const double start = value_of(option, text.substr(0, first), dimension, rate);
  const double end = value_of(option, text.substr(first + 1, second - first - 1), dimension, rate);
  const double step = value_of(option, text.substr(second + 1), dimension, rate);
  const double count = (end - start) / step;
  if (!(step != 0) || !(count >= 0) || count > double(most_points))
    refuse_range(option, fmt::format("from {} to {} by {}", start, end, step),
                 fmt::format("a step towards the end, and at most {} points", most_points));
  for (long k = 0; k <= std::lround(std::floor(count + 1e-9)); ++k)
    values.push_back(start + double(k) * step);
  return values;
}

template <class Change>
void vary_robot(Sweep& sweep, const std::vector<double>& values, const Eigen::VectorXd& q,
                Change&& change) {
  for (const double value : values)
    sweep.variants.push_back(
        {fmt::format("{:.7g}", value), value, std::make_shared<const Model>(change(value)), q});
}

}  // namespace

std::vector<double> parse_range(const std::string& option, const std::string& text,
                                Dimension dimension, const std::string& rate) {
  return values_of(text, dimension, option, rate);
}

namespace {

CoordinateRange range_of(const std::string& option, const std::string& text, const Model& model) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    refuse_range(option, "found '" + text + "'", "COORDINATE=START:END:STEP for each of two");
  CoordinateRange range;
  range.name = text.substr(0, equals);
  const auto& names = model.coordinate_names();
  const auto at = std::find(names.begin(), names.end(), range.name);
  if (at == names.end())
    throw InputError(Problem{{},
                             option,
                             "the robot has no coordinate '" + range.name + "'",
                             "names as 'ulna info' lists them",
                             nearest_name_hint(range.name, names)});
  range.coordinate = static_cast<int>(at - names.begin());
  const Entry entry = coordinate_entries(model)[range.coordinate];
  range.unit = unit_of(entry.dimension);
  range.values = values_of(text.substr(equals + 1), entry.dimension, option);
  if (range.values.size() < 2) refuse_range(option, "found '" + text + "'", "two points or more");
  return range;
}

}  // namespace

std::array<CoordinateRange, 2> parse_map(const std::string& text, const Model& model) {
  const std::vector<std::string> parts = comma_parts(text);
  if (parts.size() != 2)
    refuse_range("--map", "found '" + text + "'", "COORDINATE=START:END:STEP,COORDINATE=...");
  std::array<CoordinateRange, 2> ranges = {range_of("--map", parts[0], model),
                                           range_of("--map", parts[1], model)};
  if (ranges[0].coordinate == ranges[1].coordinate)
    refuse_range("--map", "both are '" + ranges[0].name + "'", "two coordinates that differ");
  if (double(ranges[0].values.size()) * double(ranges[1].values.size()) > double(most_points))
    refuse_range("--map",
                 fmt::format("{} by {} points", ranges[0].values.size(), ranges[1].values.size()),
                 fmt::format("at most {} in all", most_points));
  return ranges;
}

Eigen::VectorXd posture_with(const Model& model, const Eigen::VectorXd& q,
                             const std::vector<int>& coordinates,
                             const std::vector<double>& values) {
  Eigen::VectorXd now = q, goal = q;
  for (std::size_t k = 0; k < coordinates.size(); ++k) goal(coordinates[k]) = values[k];
  const double way = (goal - q).norm();
  const int pieces = std::max(1, static_cast<int>(std::ceil(way / 0.03)));
  AssemblyOptions options;
  options.held = coordinates;
  options.tolerance = 1e-11;
  options.restarts = 0;  // another start would be another branch
  for (int k = 1; k <= pieces; ++k) {
    options.start = now;
    for (const int c : coordinates)
      options.start(c) = k == pieces ? goal(c) : q(c) + (goal(c) - q(c)) * k / pieces;
    const Eigen::VectorXd next = assembled(model, options);
    // The others move some times as fast as those given, and far only when they jump.
    if (model.difference(options.start, next).norm() > 0.02 + 10 * way / pieces)
      throw ComputationError("the loops close only on another branch");
    now = next;
  }
  return now;
}

namespace {

/// A number and the unit behind it, which may be missing.
struct Measure {
  double value;
  std::string unit;
};
Measure measure_of(const std::string& text) {
  const std::size_t end = text.find_last_of("0123456789.") + 1;
  std::string unit = text.substr(end);
  unit.erase(0, std::min(unit.find_first_not_of(' '), unit.size()));
  return {parse_number("--sweep", text.substr(0, end)), unit};
}

/// "A:B:STEP" in one unit, or a list of anything that the robot file takes there.
std::vector<std::string> texts_of(const std::string& text, std::string& unit) {
  if (text.find(':') == std::string::npos) return comma_parts(text);
  std::string numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t colon = std::min(text.find(':', begin), text.size());
    const Measure part = measure_of(text.substr(begin, colon - begin));
    if (begin > 0 && part.unit != unit)
      refuse_sweep("found '" + text + "'", "START:END:STEP in one unit");
    unit = part.unit;
    numbers += fmt::format("{}{}", begin > 0 ? ":" : "", part.value);
    begin = colon + 1;
  }
  std::vector<std::string> texts;
  for (const double value : values_of(numbers, Dimension::number))
    texts.push_back(fmt::format("{}{}{}", value, unit.empty() ? "" : " ", unit));
  return texts;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_of("0123456789") < 2 &&
         text.find_first_not_of("+-.0123456789") != 0;
}

/// A value of the robot file; where words are listed, they are numbered.
void vary_path(Sweep& sweep, const std::string& values, const Model& model,
               const Eigen::VectorXd& q) {
  for (const std::string& text : texts_of(values, sweep.unit)) {
    const auto varied =
        std::make_shared<const Model>(with_value(model.robot(), sweep.parameter, text));
    const double value =
        is_number(text) ? measure_of(text).value : double(sweep.variants.size() + 1);
    sweep.variants.push_back({text, value, varied, posture_with(*varied, q, {}, {})});
  }
}

}  // namespace

Sweep parse_sweep(const std::string& text, const Model& model, const Eigen::VectorXd& q) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) refuse_sweep("found '" + text + "'", "PARAMETER=START:END:STEP");
  Sweep sweep;
  sweep.parameter = text.substr(0, equals);
  const std::string values = text.substr(equals + 1);
  const auto& names = model.coordinate_names();
  const auto at = std::find(names.begin(), names.end(), sweep.parameter);
  if (at != names.end()) {
    const auto k = static_cast<int>(at - names.begin());
    const Entry entry = coordinate_entries(model)[k];
    sweep.unit = unit_of(entry.dimension);
    const auto shared = std::make_shared<const Model>(model);
    Eigen::VectorXd posture = q;
    for (const double value : values_of(values, entry.dimension)) {
      posture = posture_with(model, posture, {k}, {value});
      sweep.variants.push_back({fmt::format("{:.7g}", value), value, shared, posture});
    }
    return sweep;
  }
  const Robot& robot = model.robot();
  if (is_robot_path(sweep.parameter)) {
    vary_path(sweep, values, model, q);
    return sweep;
  }
  if (sweep.parameter == "payload" || sweep.parameter.starts_with("payload.")) {
    sweep.unit = "kg";
    const std::string name = sweep.parameter.size() > 8 ? sweep.parameter.substr(8) : "";
    vary_robot(sweep, values_of(values, Dimension::mass), q,
               [&](double mass) { return Model(with_payload_mass(robot, name, mass)); });
    return sweep;
  }
  if (sweep.parameter.ends_with(".section.ratio")) {
    const std::string body = sweep.parameter.substr(0, sweep.parameter.size() - 14);
    vary_robot(sweep, values_of(values, Dimension::number), q,
               [&](double ratio) { return Model(with_section_ratio(robot, body, ratio)); });
    return sweep;
  }
  if (sweep.parameter.ends_with(".material")) {
    const std::string body = sweep.parameter.substr(0, sweep.parameter.size() - 9);
    for (const std::string& material : comma_parts(values))
      sweep.variants.push_back({material, double(sweep.variants.size() + 1),
                                std::make_shared<const Model>(with_material(robot, body, material)),
                                q});
    return sweep;
  }
  refuse_sweep(
      "unknown parameter '" + sweep.parameter + "'",
      "a coordinate, payload, payload.NAME, LINK.material, LINK.section.ratio, or a place in the "
      "robot file such as bodies.NAME.mass, joints.NAME.spring.stiffness, "
      "beams.NAME.section.outer",
      nearest_name_hint(sweep.parameter, names));
}

}  // namespace ulna::cli
