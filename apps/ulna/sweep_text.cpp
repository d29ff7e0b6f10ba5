#include "sweep_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "state_options.hpp"
#include "structure_options.hpp"
#include "vector_text.hpp"

namespace ulna::cli {
namespace {

constexpr long most_points = 100'000;

[[noreturn]] void refuse_range(const std::string& option, const std::string& found,
                               const std::string& expected) {
  throw InputError(Problem{{}, option, found, expected, {}});
}
[[noreturn]] void refuse(const std::string& found, const std::string& expected,
                         const std::string& hint = {}) {
  throw InputError(Problem{{}, "--sweep", found, expected, hint});
}

double value_of(const std::string& option, const std::string& text, Dimension dimension) {
  return parse_vector(option, text, {{"value", dimension}})(0);
}

// start:end:step, or a list.
std::vector<double> values_of(const std::string& text, Dimension dimension,
                              const std::string& option = "--sweep") {
  std::vector<double> values;
  const std::size_t first = text.find(':');
  if (first == std::string::npos) {
    for (const std::string& part : comma_parts(text))
      values.push_back(value_of(option, part, dimension));
    return values;
  }
  const std::size_t second = text.find(':', first + 1);
  if (second == std::string::npos) refuse_range(option, "found '" + text + "'", "START:END:STEP");
  const double start = value_of(option, text.substr(0, first), dimension);
  const double end = value_of(option, text.substr(first + 1, second - first - 1), dimension);
  const double step = value_of(option, text.substr(second + 1), dimension);
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
        {fmt::format("{}", value), value, std::make_shared<const Model>(change(value)), q});
}

}  // namespace

std::vector<double> parse_range(const std::string& option, const std::string& text) {
  return values_of(text, Dimension::number, option);
}

Sweep parse_sweep(const std::string& text, const Model& model, const Eigen::VectorXd& q) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) refuse("found '" + text + "'", "PARAMETER=START:END:STEP");
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
    for (const double value : values_of(values, entry.dimension)) {
      Eigen::VectorXd posture = q;
      posture(k) = value;
      sweep.variants.push_back({fmt::format("{}", value), value, shared, posture});
    }
    return sweep;
  }
  const Robot& robot = model.robot();
  if (sweep.parameter == "payload" || sweep.parameter.starts_with("payload.")) {
    sweep.unit = "kg";
    const std::string name = sweep.parameter.size() > 8 ? sweep.parameter.substr(8) : "";
    vary_robot(sweep, values_of(values, Dimension::number), q,
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
  refuse("unknown parameter '" + sweep.parameter + "'",
         "a coordinate, payload, payload.NAME, LINK.material or LINK.section.ratio",
         nearest_name_hint(sweep.parameter, names));
}

}  // namespace ulna::cli
