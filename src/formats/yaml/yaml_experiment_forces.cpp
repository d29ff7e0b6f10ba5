// What acts on the bodies in an experiment file: `wrenches`, `inputs` of actuators, `stops` and
// `friction` of joints, the law of `impacts`.

#include <fmt/format.h>

#include "ulna/simulation/internal/element_input.hpp"
#include "wording.hpp"
#include "yaml/yaml_experiment_reader.hpp"
#include "yaml/yaml_state_formula.hpp"

namespace ulna {
namespace {

/// A function of time, a formula of the state, or {delivers: JOINT}; null, with the problem noted,
/// when it is none of them.
std::shared_ptr<ElementInput> read_input(MotionContext& motions, const YamlEntry& entry,
                                         const Model& model) {
  const std::string owner = "input " + in_quotes(entry.key);
  auto input = std::make_shared<ElementInput>();
  input->mark = {motions.yaml.file, entry.line, entry.column};
  const YamlNode& value = entry.value;
  try {
    input->element = element_named(model, entry.key);
    if (value.kind == YamlNode::Kind::map && value.entries.size() == 1 &&
        value.entries[0].key == "delivers") {
      const Joint& joint =
          model.joints()[static_cast<std::size_t>(model.joint(value.entries[0].value.text))];
      if (joint.speeds != 1)
        throw InputError(
            fmt::format("joint {} has {} degrees of freedom", in_quotes(joint.name), joint.speeds),
            "a joint with one degree of freedom");
      input->delivers = joint.v;
      return input;
    }
  } catch (const InputError& error) {
    for (const Problem& p : error.problems())
      motions.yaml.problems.add(input->mark, owner, p.message, p.expectation, p.hint);
    return nullptr;
  }
  input->formula = state_formula(value, motions);
  if (!input->formula) input->force = read_motion(motions, value, owner, quantity::force);
  return input->formula || input->force ? input : nullptr;
}

}  // namespace

/// `inputs`: the forces of actuators among the elements of the robot, a map by element.
void ExperimentReader::read_inputs() {
  const YamlNode* node = map_.find("inputs");
  if (!node) return;
  if (node->kind != YamlNode::Kind::map)
    return map_.complain("inputs", "found " + describe(*node),
                         "a map with the names of elements of type actuator");
  for (const YamlEntry& entry : node->entries)
    if (auto input = read_input(motions_, entry, model()))
      e_.controllers.push_back(std::move(input));
}

void ExperimentReader::read_wrenches() {
  read_inputs();
  const YamlNode* list = map_.find("wrenches");
  if (!list) return;
  for (const YamlNode& item : read_list(context_, *list, "wrenches")) {
    const YamlMap map(context_, item, "wrench", {"body", "point", "frame", "force", "moment"});
    AppliedWrench wrench;
    const auto find = [&](const char* key, auto search) {
      try {
        return search();
      } catch (const InputError& error) {
        for (const Problem& p : error.problems())
          map.complain(key, p.message, p.expectation, p.hint);
        return 0;
      }
    };
    const std::string body = map.needed_text("body", "the name of a body");
    if (!body.empty()) wrench.body = find("body", [&] { return model().body(body); });
    wrench.point = map.vector("point", quantity::length, wrench.point);
    if (map.has("frame"))
      wrench.expressed_in = find("frame", [&] { return model().frame(map.text("frame")); });
    read_vector_function(map, "force", quantity::force, wrench.force);
    read_vector_function(map, "moment", quantity::torque, wrench.moment);
    if (!map.has("force") && !map.has("moment"))
      map.complain({}, "neither force nor moment is given", "one of them, or both");
    e_.wrenches.push_back(wrench);
  }
}

void ExperimentReader::read_vector_function(const YamlMap& map, const char* key, const Quantity& q,
                                            ScalarMotionPtr (&out)[3]) {
  const YamlNode* node = map.find(key);
  if (!node) return;
  if (node->kind != YamlNode::Kind::sequence || node->items.size() != 3)
    return map.complain(key, "found " + describe(*node), "[x, y, z], each a function of time");
  for (int k = 0; k < 3; ++k)
    out[k] = read_motion(motions_, node->items[k], map.element() + ", " + key, q);
}

/// `stops: true`, or a map.
void ExperimentReader::read_stops() {
  const YamlNode* node = map_.find("stops");
  if (!node) return;
  StopOptions& stops = e_.stops;
  if (node->kind == YamlNode::Kind::scalar) {
    stops.enabled = map_.boolean("stops", false);
    return;
  }
  const YamlMap map(context_, *node, "stops", {"restitution", "rest_speed"});
  stops.enabled = true;
  stops.restitution = map.number("restitution", quantity::number, stops.restitution);
  stops.rest_speed = map.number("rest_speed", quantity::number, stops.rest_speed);
}

void ExperimentReader::read_impacts() {
  if (!map_.has("impacts")) return;
  const std::string name = map_.text("impacts");
  for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::sequential})
    if (name == name_of(law)) {
      e_.impact_law = law;
      return;
    }
  map_.complain("impacts", fmt::format("there is no impact law '{}'", name),
                "newton, poisson or sequential");
}

void ExperimentReader::read_friction() {
  const YamlNode* node = map_.find("friction");
  if (!node) return;
  for_each_joint(*node, "friction", [&](int j, const YamlNode& value) {
    const Joint& joint = model().joints()[static_cast<std::size_t>(j)];
    const YamlMap map(context_, value, "friction of joint '" + joint.name + "'",
                      {"static", "stribeck_speed"});
    for (int k = 0; k < joint.speeds; ++k) {
      const bool slides = model().speed_dimensions()[joint.v + k] == Dimension::length;
      JointFriction friction;
      friction.v = joint.v + k;
      friction.mark = map.mark();
      friction.at_rest = map.number("static", slides ? quantity::force : quantity::torque, 0);
      friction.stribeck_speed =
          map.number("stribeck_speed", slides ? quantity::velocity : quantity::angular_velocity, 0);
      std::erase_if(e_.joint_friction, [&](const JointFriction& f) { return f.v == friction.v; });
      e_.joint_friction.push_back(friction);
    }
  });
}

}  // namespace ulna
