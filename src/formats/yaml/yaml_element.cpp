#include "yaml/yaml_element.hpp"

#include <fmt/format.h>

#include "ulna/model/parts/force_formula.hpp"
#include "ulna/motion/formula.hpp"
#include "wording.hpp"
#include "yaml/yaml_parts.hpp"

namespace ulna {
namespace {

using ElementType = ElementData::Type;
const std::vector<std::string> element_type_names = {"spring-damper", "actuator", "bushing",
                                                     "torsion"};

/// The units of a law along a line or about an axis.
struct LawUnits {
  const Quantity &stretch, &force, &stiffness, &hardening, &damping, &rate;
};
const LawUnits line_units{quantity::length,    quantity::force,   quantity::stiffness,
                          quantity::hardening, quantity::damping, quantity::velocity};
const LawUnits turn_units{quantity::angle,
                          quantity::torque,
                          quantity::angular_stiffness,
                          quantity::angular_hardening,
                          quantity::angular_damping,
                          quantity::angular_velocity};

std::vector<std::string> keys_of(const std::string& type) {
  std::vector<std::string> keys = {"name", "type", "from", "to"};
  const auto add = [&](std::initializer_list<const char*> more) {
    keys.insert(keys.end(), more.begin(), more.end());
  };
  if (type == "actuator") add({"through", "force", "stroke", "rate_limit"});
  if (type == "bushing") add({"stiffness", "damping"});
  if (type == "torsion") add({"axis", "joint", "rest"});
  if (type == "spring-damper") add({"through", "free_length"});
  if (type == "torsion" || type == "spring-damper")
    add({"stiffness", "hardening", "backlash", "damping", "preload", "table", "damper_table"});
  return keys;
}

/// The name of a frame, or a place on a body.
ElementEnd read_end(YamlContext& context, const YamlNode& node, const std::string& element) {
  ElementEnd end;
  if (node.kind == YamlNode::Kind::scalar) {
    end.frame = read_text(context, node, element);
    return end;
  }
  const YamlMap map(context, node, element, {"body", "point", "at"});
  end.body = map.needed_text("body", "the name of a body, or world");
  if (map.has("point") && map.has("at"))
    map.complain("at", "point and at are two names of the same value", "one of them");
  end.X_BE = map.has("at") ? read_pose(context, map, "at")
                           : Pose<double>::translation(
                                 map.vector("point", quantity::length, Vector3<double>::Zero()));
  return end;
}

void read_ends(YamlContext& context, const YamlMap& map, ElementData& element) {
  constexpr const char* expected = "the name of a frame, or {body, point}";
  if (const YamlNode* from = map.need("from", expected))
    element.from = read_end(context, *from, map.element() + ", from");
  if (const YamlNode* to = map.need("to", expected))
    element.to = read_end(context, *to, map.element() + ", to");
  if (const YamlNode* list = map.find("through"))
    for (const YamlNode& item : read_list(context, *list, map.element() + ", through"))
      element.through.push_back(read_end(context, item, map.element() + ", through"));
}

/// [[stretch, force], ...]
ElementTable read_force_table(YamlContext& context, const YamlMap& map, const char* key,
                              const Quantity& at, const Quantity& force) {
  ElementTable table;
  const YamlNode* node = map.find(key);
  if (!node) return table;
  const std::string element = map.element() + ", " + key;
  for (const YamlNode& row : read_list(context, *node, element)) {
    const std::vector<YamlNode>& pair = read_list(context, row, element);
    if (pair.size() != 2) {
      map.complain(key, fmt::format("a row with {} numbers", pair.size()),
                   "rows [place, force], such as [[-10 mm, -50], [10 mm, 80]]");
      return {};
    }
    table.at.push_back(read_number(context, pair[0], element, at));
    table.force.push_back(read_number(context, pair[1], element, force));
  }
  return table;
}

void read_law(YamlContext& context, const YamlMap& map, const char* rest, const LawUnits& units,
              ElementLaw& law) {
  law.stiffness = map.number("stiffness", units.stiffness, 0);
  law.hardening = map.number("hardening", units.hardening, 0);
  law.backlash = map.number("backlash", units.stretch, 0);
  law.damping = map.number("damping", units.damping, 0);
  law.preload = map.number("preload", units.force, 0);
  law.spring = read_force_table(context, map, "table", units.stretch, units.force);
  law.damper = read_force_table(context, map, "damper_table", units.rate, units.force);
  const bool line = &units == &line_units;
  if (line && law.has_rest()) map.need(rest, "the length at which the spring is slack; 0 counts");
  law.rest = map.number(rest, units.stretch, 0);
}

/// Six numbers on the diagonal, or six rows of six.
Eigen::Matrix<double, 6, 6> read_six(YamlContext& context, const YamlMap& map, const char* key) {
  Eigen::Matrix<double, 6, 6> out = Eigen::Matrix<double, 6, 6>::Zero();
  const YamlNode* node = map.find(key);
  if (!node) return out;
  const std::string element = map.element() + ", " + key;
  const std::vector<YamlNode>& list = read_list(context, *node, element);
  if (list.size() == 6 && list[0].kind == YamlNode::Kind::scalar) {
    const std::vector<double> d = read_numbers(context, *node, element, quantity::number, 6);
    for (int k = 0; k < 6; ++k) out(k, k) = d[k];
    return out;
  }
  if (list.size() != 6) {
    map.complain(key, fmt::format("a list of {}", list.size()),
                 "six numbers for the diagonal, or six rows of six: turns first, then shifts");
    return out;
  }
  for (int i = 0; i < 6; ++i) {
    const std::vector<double> row = read_numbers(context, list[i], element, quantity::number, 6);
    for (int j = 0; j < 6; ++j) out(i, j) = row[j];
  }
  return out;
}

/// A number, a formula of time and state, or `input`. What the formula refers to is looked up when
/// the robot is built.
void read_force(const YamlMap& map, ElementData& element) {
  const YamlNode* node = map.find("force");
  const bool text = node && node->kind == YamlNode::Kind::scalar;
  element.input = text && node->text == "input";
  if (element.input) return;
  if (!text || parse_quantity(node->text, quantity::force).complaint.empty()) {
    element.force = map.number("force", quantity::force, 0);
    return;
  }
  try {
    const ForceFormula read(node->text, element.name);
    VariableFormula(node->text).require(quantity::force);
    if (read.is_number())
      element.force = read.operations()[0].number;
    else
      element.formula = node->text;
  } catch (const InputError& error) {
    const Problem& p = error.problems().front();
    map.complain("force", p.element.empty() ? p.message : p.element + ": " + p.message,
                 p.expectation, p.hint);
  }
}

void read_actuator(YamlContext& context, const YamlMap& map, ElementData& element) {
  read_force(map, element);
  element.rate_limit = map.number("rate_limit", quantity::velocity, element.rate_limit);
  if (const YamlNode* stroke = map.find("stroke")) {
    const std::vector<double> ends =
        read_numbers(context, *stroke, map.element() + ", stroke", quantity::length, 2);
    element.least_length = ends[0];
    element.greatest_length = ends[1];
  }
}

std::string end_text(const ElementEnd& end) {
  return in_quotes(end.frame.empty() ? end.body : end.frame);
}

}  // namespace

ElementData read_element(YamlContext& context, const YamlNode& node) {
  std::string type;  // decides which keys are known
  for (const YamlEntry& entry : node.entries)
    if (entry.key == "type") type = entry.value.text;
  const YamlMap map(context, node, "element", keys_of(type));
  ElementData element;
  element.mark = map.mark();
  element.name = map.needed_text("name", "the element's name");
  map.needed_text("type", one_of(element_type_names));
  if (type == "spring-damper") {
    read_ends(context, map, element);
    read_law(context, map, "free_length", line_units, element.law);
  } else if (type == "actuator") {
    element.type = ElementType::actuator;
    read_ends(context, map, element);
    read_actuator(context, map, element);
  } else if (type == "bushing") {
    element.type = ElementType::bushing;
    read_ends(context, map, element);
    element.stiffness = read_six(context, map, "stiffness");
    element.damping = read_six(context, map, "damping");
  } else if (type == "torsion") {
    element.type = ElementType::torsion;
    element.joint = map.text("joint");
    if (element.joint.empty())
      read_ends(context, map, element);
    else
      for (const char* key : {"from", "to", "axis"})
        if (map.has(key)) map.complain(key, "a torsion along a joint has the joint's axis");
    const YamlNode* axis = map.find("axis");
    element.any_axis = axis && axis->kind == YamlNode::Kind::scalar && axis->text == "any";
    if (!element.any_axis) element.axis = map.vector("axis", quantity::number, element.axis);
    read_law(context, map, "rest", turn_units, element.law);
  } else if (!type.empty()) {
    map.complain("type", "unknown element type " + in_quotes(type), one_of(element_type_names),
                 nearest_name_hint(type, element_type_names));
  }
  context.report.used.push_back(
      {element.mark, type + " " + in_quotes(element.name),
       element.joint.empty()
           ? fmt::format("from {} to {}", end_text(element.from), end_text(element.to))
           : "along joint " + in_quotes(element.joint)});
  return element;
}

}  // namespace ulna
