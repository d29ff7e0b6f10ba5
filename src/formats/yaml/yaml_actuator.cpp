#include "yaml/yaml_actuator.hpp"

#include <fmt/format.h>

#include <cmath>

#include "wording.hpp"

namespace ulna {
namespace {

/// The keys of each kind, besides those of all: one table for reading and for messages.
struct KeyTable {
  const char* kind;
  std::vector<std::string> keys;
};
const std::vector<KeyTable>& key_tables() {
  static const std::vector<std::string> motor = {
      "command",       "resistance",    "inductance", "torque_constant",
      "voltage_limit", "current_limit", "bandwidth",  "gear"};
  static const std::vector<KeyTable> tables = [] {
    std::vector<std::string> brushless = motor;
    brushless.push_back("pole_pairs");
    return std::vector<KeyTable>{
        {"limited", {"stall", "no_load", "peak"}},
        {"dc", motor},
        {"brushless", brushless},
        {"hydraulic",
         {"command", "area", "rod_area", "supply", "tank", "bulk_modulus", "volume", "rod_volume",
          "flow", "flow_pressure", "leakage", "valve_time", "gain", "start_effort"}}};
  }();
  return tables;
}

std::vector<std::string> actuator_keys(const YamlNode& node) {
  std::vector<std::string> keys = {"kind", "name", "window", "continuous"};
  std::string kind;
  if (node.kind == YamlNode::Kind::map)
    for (const YamlEntry& entry : node.entries)
      if (entry.key == "kind") kind = entry.value.text;
  for (const KeyTable& table : key_tables())
    if (table.kind == kind) keys.insert(keys.end(), table.keys.begin(), table.keys.end());
  return keys;
}

class ActuatorReader {
 public:
  ActuatorReader(YamlContext& context, const YamlNode& node, const Joint& joint, const Model& model)
      : context_(context),
        map_(context, node, fmt::format("actuator of joint '{}'", joint.name), actuator_keys(node)),
        slides_(model.speed_dimensions()[static_cast<std::size_t>(joint.v)] == Dimension::length) {}

  std::shared_ptr<Actuator> read() {
    std::vector<std::string> known;
    for (const ActuatorKind& kind : actuator_kinds()) known.emplace_back(kind.name);
    const std::string kind = map_.needed_text("kind", one_of(known));
    std::shared_ptr<Actuator> actuator;
    if (kind == "limited") actuator = limited();
    if (kind == "dc" || kind == "brushless") actuator = motor(kind == "brushless");
    if (kind == "hydraulic") actuator = cylinder();
    if (!actuator) {
      if (!kind.empty())
        map_.complain("kind", "found " + in_quotes(kind), one_of(known),
                      nearest_name_hint(kind, known));
      return nullptr;
    }
    actuator->window = map_.number("window", quantity::time, 0);
    actuator->continuous = map_.number("continuous", effort(), actuator->continuous);
    actuator->mark = map_.mark();
    return actuator;
  }
  std::string name(const std::string& otherwise) const { return map_.text("name", otherwise); }

 private:
  const Quantity& effort() const { return slides_ ? quantity::force : quantity::torque; }
  double number(const char* key, double fallback) const {
    return map_.number(key, quantity::number, fallback);
  }

  std::shared_ptr<Actuator> limited() {
    auto made = std::make_shared<LimitedEffort>();
    made->stall = map_.number("stall", effort(), made->stall);
    made->peak = map_.number("peak", effort(), made->peak);
    made->no_load = map_.number(
        "no_load", slides_ ? quantity::velocity : quantity::angular_velocity, made->no_load);
    return made;
  }

  std::shared_ptr<Actuator> motor(bool brushless) {
    auto made = std::make_shared<DcMotor>();
    if (chosen("effort", "voltage") == 1) made->command = DcMotor::Command::voltage;
    map_.need("resistance", "the resistance of the winding, ohm");
    map_.need("torque_constant", "the torque constant, N m/A");
    made->resistance = number("resistance", made->resistance);
    made->inductance = number("inductance", made->inductance);
    made->torque_constant = number("torque_constant", made->torque_constant);
    made->voltage_limit = number("voltage_limit", made->voltage_limit);
    made->current_limit = number("current_limit", made->current_limit);
    made->bandwidth = number("bandwidth", made->bandwidth);
    if (brushless) {
      const double pairs = number("pole_pairs", 1);
      if (!(pairs >= 1 && pairs <= 1000 && pairs == std::floor(pairs)))
        map_.complain("pole_pairs", fmt::format("found {}", pairs), "a whole number, 1 or more");
      else
        made->pole_pairs = static_cast<int>(pairs);
    }
    if (const YamlNode* node = map_.find("gear")) read_gear(*node, made->gear);
    return made;
  }

  void read_gear(const YamlNode& node, Gear& gear) {
    const YamlMap map(
        context_, node, map_.element() + ", gear",
        {"ratio", "efficiency", "play", "stiffness", "damping", "inertia", "transition"});
    gear.ratio = map.number("ratio", slides_ ? quantity::gear_ratio_to_length : quantity::number,
                            gear.ratio);
    gear.efficiency = map.number("efficiency", quantity::number, gear.efficiency);
    gear.play = map.number("play", slides_ ? quantity::length : quantity::angle, gear.play);
    gear.stiffness = map.number(
        "stiffness", slides_ ? quantity::stiffness : quantity::angular_stiffness, gear.stiffness);
    gear.damping = map.number("damping", slides_ ? quantity::damping : quantity::angular_damping,
                              gear.damping);
    gear.inertia = map.number("inertia", quantity::inertia, gear.inertia);
    gear.transition = map.number(
        "transition", slides_ ? quantity::velocity : quantity::angular_velocity, gear.transition);
  }

  std::shared_ptr<Actuator> cylinder() {
    auto made = std::make_shared<HydraulicCylinder>();
    if (chosen("effort", "valve") == 1) made->command = HydraulicCylinder::Command::valve;
    map_.need("area", "the area of the piston");
    made->area = map_.number("area", slides_ ? quantity::area : quantity::number, made->area);
    made->rod_area =
        map_.number("rod_area", slides_ ? quantity::area : quantity::number, made->area);
    made->supply = map_.number("supply", quantity::modulus, made->supply);
    made->tank = map_.number("tank", quantity::modulus, made->tank);
    made->bulk_modulus = map_.number("bulk_modulus", quantity::modulus, made->bulk_modulus);
    made->volume = number("volume", made->volume);
    made->rod_volume = number("rod_volume", made->volume);
    made->flow = number("flow", made->flow);
    made->flow_pressure = map_.number("flow_pressure", quantity::modulus, made->flow_pressure);
    made->leakage = number("leakage", made->leakage);
    made->valve_time = map_.number("valve_time", quantity::time, made->valve_time);
    made->gain = number("gain", made->gain);
    made->start_effort = map_.number("start_effort", effort(), made->start_effort);
    return made;
  }

  /// Which of two commands; the first when it is not said.
  int chosen(const char* first, const char* second) {
    const std::string found = map_.text("command", first);
    if (found == second) return 1;
    if (found != first)
      map_.complain("command", "found " + in_quotes(found), fmt::format("{} or {}", first, second));
    return 0;
  }

  YamlContext& context_;
  YamlMap map_;
  bool slides_;
};

}  // namespace

void read_actuator(YamlContext& context, const YamlNode& node, int j, Experiment& e) {
  const Model& model = *e.model;
  const Joint& joint = model.joints()[static_cast<std::size_t>(j)];
  if (joint.speeds != 1)
    return context.problems.add(
        context.mark(node), fmt::format("actuator of joint '{}'", joint.name),
        fmt::format("a {} joint has {} speeds", name_of(joint.type), joint.speeds),
        "a joint with one degree of freedom");
  ActuatorReader reader(context, node, joint, model);
  const std::size_t before = context.problems.count();
  const std::shared_ptr<Actuator> actuator = reader.read();
  if (!actuator || context.problems.count() != before) return;
  actuator->name = reader.name(joint.name);
  actuator->speed = joint.v;
  std::erase_if(e.actuators, [&](const auto& other) { return other->speed == joint.v; });
  e.actuators.push_back(actuator);
}

}  // namespace ulna
