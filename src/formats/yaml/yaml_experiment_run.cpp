// How an experiment is run: `method`, `integrator`, `record`.

#include <fmt/format.h>

#include <cmath>

#include "wording.hpp"
#include "yaml/yaml_experiment_reader.hpp"

namespace ulna {

/// What a channel is measured in, so that limits may have units.
Quantity ExperimentReader::quantity_of(const std::string& channel) const {
  try {
    const std::vector<Channel> found = channels_named(e_, channel);
    if (found.size() != 1) return quantity::number;
    const std::string& unit = found[0].unit;
    if (unit == "rad") return quantity::angle;
    if (unit == "m") return quantity::length;
    if (unit == "rad/s") return quantity::angular_velocity;
    if (unit == "m/s") return quantity::velocity;
    if (unit == "Nm") return quantity::torque;
    if (unit == "N") return quantity::force;
  } catch (const InputError&) {  // said later, by the check of the experiment
  }
  return quantity::number;
}

void ExperimentReader::read_dynamics() {
  if (const YamlNode* node = map_.find("method")) {
    e_.method = map_.text("method");
    if (e_.method == "automatic") e_.method.clear();
    e_.dynamics_mark = context_.mark(*node);
  }
  if (const YamlNode* node = map_.find("closing")) {
    const std::string name = map_.text("closing");
    const bool embedding = name == name_of(LoopMethod::embedding);
    if (!embedding && name != name_of(LoopMethod::multipliers))
      map_.complain("closing", "found " + in_quotes(name), "multipliers or embedding");
    e_.closing = embedding ? LoopMethod::embedding : LoopMethod::multipliers;
    if (e_.method.empty()) e_.dynamics_mark = context_.mark(*node);
  }
}

void ExperimentReader::read_integrator() {
  const YamlNode* node = map_.find("integrator");
  if (!node) return;
  const YamlMap map(context_, *node, "integrator",
                    {"method", "rtol", "atol", "step", "largest_step", "most_steps"});
  IntegratorOptions& o = e_.integrator;
  const std::string name = map.text("method", name_of(o.method));
  if (const auto method = integrator_from_name(name))
    o.method = *method;
  else
    map.complain("method", "found " + in_quotes(name), one_of(integrator_names()),
                 nearest_name_hint(name, integrator_names()));
  o.tolerances.relative = map.number("rtol", quantity::number, o.tolerances.relative);
  o.tolerances.absolute = map.number("atol", quantity::number, 1e-2 * o.tolerances.relative);
  o.step = map.number("step", quantity::time, o.step);
  o.largest_step = map.number("largest_step", quantity::time, o.largest_step);
  const double most = map.number("most_steps", quantity::number, static_cast<double>(o.most_steps));
  if (most >= 1 && most <= 1e15 && most == std::floor(most))
    o.most_steps = static_cast<long>(most);
  else
    map.complain("most_steps", fmt::format("most_steps is {}", most), "a whole number, 1 or more");
}

void ExperimentReader::read_record() {
  const YamlNode* node = map_.find("record");
  if (!node) return;
  const YamlMap map(context_, *node, "record", {"interval", "channels", "interpolate"});
  e_.record.interval = map.number("interval", quantity::time, 0);
  if (map.has("interval") && !(e_.record.interval > 0))
    map.complain("interval", fmt::format("the interval is {} s", e_.record.interval),
                 "a time above 0");
  if (const YamlNode* list = map.find("channels"))
    for (const YamlNode& item : read_list(context_, *list, "record, channels")) {
      const std::string name = read_text(context_, item, "record, channels");
      try {
        channels_named(e_, name);
        e_.record.channels.push_back(name);
      } catch (const InputError& error) {
        for (const Problem& p : error.problems())
          context_.problems.add(context_.mark(item), "record, channels", p.message, p.expectation,
                                p.hint);
      }
    }
  e_.record.interpolate = map.boolean("interpolate", false);
}

}  // namespace ulna
