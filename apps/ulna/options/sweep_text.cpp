#include "options/sweep_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "options/state_options.hpp"
#include "options/structure_options.hpp"
#include "ulna/kinematics/assembly.hpp"

namespace ulna::cli {
namespace {

constexpr long most_points = 100'000;

[[noreturn]] void refuse_range(const std::string& option, const std::string& found,
                               const std::string& expected) {
  throw InputError(Problem{{}, option, found, expected, {}});
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

}  // namespace ulna::cli
