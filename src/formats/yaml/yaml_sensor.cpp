#include "yaml/yaml_sensor.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/simulation/internal/closing_sensor.hpp"
#include "ulna/simulation/simulate.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

/// What the keys of a sensor name, in the order of `sensor_kinds`.
std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const SensorKind& kind : sensor_kinds()) names.emplace_back(kind.name);
  return names;
}

class SensorReader {
 public:
  SensorReader(YamlContext& context, const YamlNode& node, Experiment& experiment)
      : context_(context),
        e_(experiment),
        model_(*experiment.model),
        map_(context, node, "sensor",
             {"name", "encoder", "tachometer", "force-torque", "strain", "imu", "channel", "rate",
              "delay", "noise", "bias", "resolution", "counts", "range", "seed", "at", "offset"}) {}

  void read() {
    std::vector<std::string> given;
    for (const std::string& kind : kind_names())
      if (map_.has(kind)) given.push_back(kind);
    if (given.size() != 1)
      return map_.complain({}, fmt::format("{} kinds of sensor are given", given.size()),
                           "one of " + one_of(kind_names()));
    if (!map_.need("rate", "samples per second, such as 1 kHz")) return;
    const double rate = map_.number("rate", quantity::frequency, 1);
    if (!(rate > 0))
      return map_.complain("rate", fmt::format("the rate is {} Hz", rate), "above 0");
    try {
      for (Sensor& sensor : sensors_of(given.front(), 1 / rate)) finish(std::move(sensor));
    } catch (const InputError& error) {
      for (const Problem& p : error.problems())
        map_.complain(given.front(), p.message, p.expectation, p.hint);
    }
  }

 private:
  std::vector<Sensor> sensors_of(const std::string& kind, double period) {
    if (kind == "encoder" || kind == "tachometer") return of_joints(kind, period);
    const std::string name = map_.text(kind);
    std::vector<Sensor> list;
    if (kind == "force-torque")
      list.push_back(force_torque_sensor(model_, model_.joint(name), period));
    if (kind == "imu") list.push_back(imu(model_, model_.frame(name), period));
    if (kind == "strain") {
      const Vector3<double> offset =
          map_.vector("offset", quantity::length, Vector3<double>::Zero());
      if (!map_.has("offset"))
        map_.complain({}, "the place of the gauge in its section is missing",
                      "offset: [0, y, z], from the axis to the gauge");
      list.push_back(strain_gauge(model_, model_.body(name), map_.number("at", quantity::number, 0),
                                  offset.y(), offset.z(), period));
    }
    if (kind == "channel") {
      const std::vector<Channel> found = channels_named(e_, name);
      if (found.size() != 1)
        throw InputError(fmt::format("'{}' is a group of channels", name), "a single one");
      Sensor sensor;
      sensor.kind = "channel";
      sensor.name = name;
      sensor.channels = {name};
      sensor.outputs = {{"value", found[0].unit}};
      sensor.period = period;
      list.push_back(std::move(sensor));
    }
    return list;
  }

  /// A joint, a list of them, or all of the tree.
  std::vector<Sensor> of_joints(const std::string& kind, double period) {
    std::vector<Sensor> list;
    const auto add = [&](const std::string& name) {
      for (Sensor& sensor : of_joint(kind, name, period)) list.push_back(std::move(sensor));
    };
    const YamlNode& node = *map_.find(kind);
    if (node.kind == YamlNode::Kind::sequence) {
      for (const YamlNode& item : node.items)
        add(read_text(context_, item, map_.element() + ", " + kind));
    } else if (map_.text(kind) == "all") {
      list = of_all_joints(kind, period);
    } else {
      add(map_.text(kind));
    }
    if (list.size() > 1 && map_.has("name"))
      for (Sensor& sensor : list) sensor.name = map_.text("name") + "." + sensor.name;
    else if (map_.has("name") && !list.empty())
      list.front().name = map_.text("name");
    return list;
  }

  /// Of the tree, where the coordinates are angles or lengths: there is no encoder of a ball.
  std::vector<Sensor> of_all_joints(const std::string& kind, double period) {
    std::vector<Sensor> list;
    for (int k = 0; k < model_.joint_speeds(); ++k) {
      if (model_.coordinate_of_speed()[static_cast<std::size_t>(k)] < 0) continue;
      list.push_back(kind == "encoder" ? encoder(model_, k, period)
                                       : tachometer(model_, k, period));
    }
    if (list.empty())
      map_.complain(kind,
                    fmt::format("no joint of robot '{}' has an angle or a length", model_.name()),
                    "an imu, or the channel of a frame");
    return list;
  }

  std::vector<Sensor> of_joint(const std::string& kind, const std::string& name, double period) {
    const bool position = kind == "encoder";
    std::vector<Sensor> list = closing_sensors(model_, name, position, period);
    if (!list.empty()) return list;
    const Joint& joint = model_.joints()[static_cast<std::size_t>(model_.joint(name))];
    for (int k = joint.v; k < joint.v + joint.speeds; ++k)
      list.push_back(position ? encoder(model_, k, period) : tachometer(model_, k, period));
    return list;
  }

  void finish(Sensor sensor) {
    sensor.mark = map_.mark();
    const bool of_joint = sensor.kind == "encoder" || sensor.kind == "tachometer";
    if (map_.has("name") && !of_joint) sensor.name = map_.text("name");
    sensor.delay = map_.number("delay", quantity::time, 0);
    const double seed = map_.number("seed", quantity::number, 1);
    if (!(seed >= 0) || seed != std::floor(seed) || seed > 1e15)
      map_.complain("seed", fmt::format("found {}", seed), "a whole number, 0 or more");
    else
      sensor.seed = static_cast<std::uint64_t>(seed);
    each("noise", sensor, &Sensor::Output::noise);
    each("bias", sensor, &Sensor::Output::bias);
    each("resolution", sensor, &Sensor::Output::resolution);
    each("range", sensor, &Sensor::Output::range);
    if (map_.has("counts")) {
      const double counts = map_.number("counts", quantity::number, 1);
      if (sensor.kind != "encoder" || !(counts > 0) || map_.has("resolution"))
        map_.complain("counts", fmt::format("found {}", counts),
                      "the counts of an encoder per turn, above 0, without resolution");
      else if (sensor.outputs.front().unit != "rad")
        map_.complain("counts", fmt::format("joint '{}' slides and has no turns", sensor.name),
                      "resolution: 1 um, or the like");
      else
        sensor.outputs.front().resolution = 2 * M_PI / counts;
    }
    e_.sensors.push_back(std::move(sensor));
  }

  /// One number for all outputs, or a list with one each.
  void each(const char* key, Sensor& sensor, double Sensor::Output::*member) {
    const YamlNode* node = map_.find(key);
    if (!node) return;
    const std::string element = map_.element() + ", " + key;
    const bool list = node->kind == YamlNode::Kind::sequence;
    if (list && node->items.size() != sensor.outputs.size())
      return map_.complain(key, fmt::format("{} values", node->items.size()),
                           fmt::format("{}, one for each output", sensor.outputs.size()));
    for (std::size_t k = 0; k < sensor.outputs.size(); ++k)
      sensor.outputs[k].*member = read_number(context_, list ? node->items[k] : *node, element,
                                              quantity_of(sensor.outputs[k].unit));
  }
  static Quantity quantity_of(const std::string& unit) {
    if (unit == "rad") return quantity::angle;
    if (unit == "m") return quantity::length;
    if (unit == "rad/s") return quantity::angular_velocity;
    if (unit == "m/s") return quantity::velocity;
    if (unit == "m/s^2") return quantity::acceleration;
    if (unit == "N") return quantity::force;
    if (unit == "Nm") return quantity::torque;
    return quantity::number;
  }

  YamlContext& context_;
  Experiment& e_;
  const Model& model_;
  YamlMap map_;
};

}  // namespace

void read_sensor(YamlContext& context, const YamlNode& node, Experiment& experiment) {
  SensorReader(context, node, experiment).read();
}

}  // namespace ulna
