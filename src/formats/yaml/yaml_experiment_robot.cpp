// The robot of an experiment file, with what the experiment changes of it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "ulna/dynamics/internal/exact_level.hpp"
#include "ulna/elastic/geometrically_exact.hpp"
#include "ulna/elastic/modal_body.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/model/internal/recut.hpp"
#include "wording.hpp"
#include "yaml/yaml_experiment_reader.hpp"
#include "yaml/yaml_parts.hpp"

namespace ulna {
namespace fs = std::filesystem;

ReadResult read_robot_beside(const std::string& folder, const std::string& name,
                             const ReadOptions& options) {
  const fs::path beside = fs::path(folder) / name;
  std::error_code ignored;
  const bool local = !fs::path(name).is_absolute() && fs::is_regular_file(beside, ignored);
  return read_robot(local ? beside.string() : name, options);
}

bool ExperimentReader::read_robot_of(ImportReport& report) {
  const std::string name = map_.needed_text("robot", "a robot file or the name of a shipped robot");
  if (name.empty()) return false;
  if (e_.model) return true;
  try {
    ReadResult result = robot_ ? *robot_ : read_robot_beside(folder_, name, options_);
    report = std::move(result.report);
    result.robot.gravity = map_.vector("gravity", quantity::acceleration, result.robot.gravity);
    if (const YamlNode* list = map_.find("payloads"))
      for (const YamlNode& item : read_list(context_, *list, "payloads"))
        result.robot.payloads.push_back(read_payload(context_, item));
    read_elastic(result.robot);
    e_.model = std::make_shared<const Model>(std::move(result.robot));
    // What is driven or started needs coordinates: loops are cut elsewhere.
    std::vector<std::string> names = joints_spoken_of();
    e_.model = with_joints_in_tree(e_.model, names);
    const std::vector<std::string> stopped = joints_with_stops();
    names.insert(names.end(), stopped.begin(), stopped.end());
    e_.model = with_joints_in_tree(e_.model, names);
    return true;
  } catch (const InputError& error) {
    for (const Problem& p : error.problems())
      context_.problems.add(p.where.line > 0 ? p.where : context_.mark(*map_.find("robot")),
                            p.element.empty() ? "robot " + in_quotes(name) : p.element, p.message,
                            p.expectation, p.hint);
    return false;
  }
}

/// Names under motions, efforts, drives and start.
std::vector<std::string> ExperimentReader::joints_spoken_of() const {
  std::vector<std::string> names;
  const auto add = [&](const YamlNode* node) {
    if (node && node->kind == YamlNode::Kind::map)
      for (const YamlEntry& entry : node->entries) names.push_back(entry.key);
  };
  add(map_.find("motions"));
  add(map_.find("drives"));
  for (const std::string& title : efforts_.titles) {
    const std::string name = title_without_unit(title);
    names.push_back(name.starts_with("tau.") ? name.substr(4) : name);
  }
  if (const YamlNode* start = map_.find("start"); start && start->kind == YamlNode::Kind::map)
    for (const YamlEntry& entry : start->entries) add(&entry.value);
  return names;
}

std::vector<std::string> ExperimentReader::joints_with_stops() const {
  const YamlNode* stops = map_.find("stops");
  if (!stops || (stops->kind == YamlNode::Kind::scalar && stops->text != "true")) return {};
  if (const YamlNode* start = map_.find("start"); start && start->kind == YamlNode::Kind::map)
    for (const YamlEntry& entry : start->entries)
      if (entry.value.kind == YamlNode::Kind::sequence) return {};
  std::vector<std::string> names;
  for (const JointData& joint : e_.model->robot().joints)
    if (std::any_of(joint.degrees.begin(), joint.degrees.end(), [](const DegreeData& degree) {
          return std::isfinite(degree.lower) || std::isfinite(degree.upper);
        }))
      names.push_back(joint.name);
  return names;
}

/// elastic: {level: geometrically-exact, elements: 8, shear: true}
static GeometricallyExact elements_in(const YamlMap& map) {
  GeometricallyExact exact;
  for (const char* key : {"modes", "family"})
    if (map.has(key))
      map.complain(key, fmt::format("{} of geometrically exact links", key), "elements: NUMBER");
  const double elements = map.number("elements", quantity::number, exact.elements);
  if (elements >= 1 && elements <= 500 && elements == std::floor(elements))
    exact.elements = static_cast<int>(elements);
  else
    map.complain("elements", fmt::format("found {}", elements), "a whole number, 1 to 500");
  exact.shear = map.boolean("shear", false);
  return exact;
}

/// `BODY: 0` makes a link rigid; geometrically exact links have no modes to count.
static void make_rigid_at_zero(const YamlMap& map, const std::string& body, Robot& robot) {
  if (!map.has(body)) return;
  const YamlNode& node = *map.find(body);
  if (node.kind == YamlNode::Kind::scalar && map.number(body, quantity::number, 0) == 0)
    robot = with_rigid_links(std::move(robot), {body});
  else
    map.complain(body, "modes of a geometrically exact link",
                 "0 for a rigid link; elements: NUMBER cuts all others");
}

/// The level, and how many modes each bending plane of each flexible body has here.
void ExperimentReader::read_elastic(Robot& robot) {
  const YamlNode* node = map_.find("elastic");
  if (!node) return;
  const auto level = [&](const std::string& name, const YamlNode& at) {
    if (const auto found = elastic_level_from_name(name))
      e_.elastic = *found;
    else
      context_.problems.add(context_.mark(at), "elastic", "found " + in_quotes(name),
                            one_of(elastic_level_names()),
                            nearest_name_hint(name, elastic_level_names()));
  };
  // From here on the robot has its elements, and nothing is left out of its equations.
  const auto cut = [&](const GeometricallyExact& exact) {
    robot = with_geometrically_exact_links(std::move(robot), exact);
    e_.elastic = ElasticLevel::exact;
  };
  if (node->kind != YamlNode::Kind::map) {
    level(read_text(context_, *node, "elastic"), *node);
    if (e_.elastic == ElasticLevel::geometrically_exact) cut({});
    return;
  }
  std::vector<std::string> flexible;
  for (const BodyData& body : robot.bodies)
    if (body.modal) flexible.push_back(body.name);
  std::vector<std::string> keys = {"level", "modes", "rigid", "family", "elements", "shear"};
  keys.insert(keys.end(), flexible.begin(), flexible.end());
  const YamlMap map(context_, *node, "elastic", keys);
  if (map.has("level")) level(map.text("level", ""), *map.find("level"));
  if (const YamlNode* list = map.find("rigid")) {
    std::vector<std::string> bodies;
    for (const YamlNode& item : read_list(context_, *list, "elastic, rigid")) {
      bodies.push_back(read_text(context_, item, "elastic, rigid"));
      if (std::ranges::count(flexible, bodies.back()) == 0)
        context_.problems.add(context_.mark(item), "elastic, rigid",
                              "found " + in_quotes(bodies.back()), one_of(flexible),
                              nearest_name_hint(bodies.back(), flexible));
    }
    if (!bodies.empty()) robot = with_rigid_links(std::move(robot), bodies);
  }
  if (e_.elastic == ElasticLevel::geometrically_exact) {
    for (const std::string& body : flexible) make_rigid_at_zero(map, body, robot);
    return cut(elements_in(map));
  }
  for (const char* key : {"elements", "shear"})
    if (map.has(key))
      map.complain(key, fmt::format("{} beside another level", key), "level: geometrically-exact");
  for (const std::string& body : flexible) read_elastic_body(map, body, robot);
}

/// `modes` and `family` for all bodies, and what stands under the name of one.
void ExperimentReader::read_elastic_body(const YamlMap& map, const std::string& body,
                                         Robot& robot) {
  std::optional<int> modes;
  std::optional<ModeFamily> family;
  const auto read_modes = [&](const YamlMap& from, const char* key, int least) {
    const double x = from.number(key, quantity::number, 2);
    if (x >= least && x <= 50 && x == std::floor(x))
      modes = static_cast<int>(x);
    else
      from.complain(key, fmt::format("found {}", x),
                    fmt::format("a whole number, {} to 50", least));
  };
  const auto read_family = [&](const YamlMap& from) {
    const std::string name = from.text("family");
    std::vector<std::string> names;
    for (int k = 0; k <= static_cast<int>(ModeFamily::finite_element); ++k) {
      names.emplace_back(name_of(static_cast<ModeFamily>(k)));
      if (name == names.back()) family = static_cast<ModeFamily>(k);
    }
    if (!family)
      from.complain("family", "found " + in_quotes(name), one_of(names),
                    nearest_name_hint(name, names));
  };
  const std::size_t before = context_.problems.count();
  // A body that `rigid` lists is out of the question.
  const auto data = std::ranges::find(robot.bodies, body, &BodyData::name);
  const bool bends = data->modal != nullptr;
  const bool table = bends && std::ranges::none_of(data->beams, [](const BeamData& beam) {
                       return beam.flexible.has_value();
                     });
  if (map.has("modes") && !table) read_modes(map, "modes", 1);
  if (map.has("family") && !table) read_family(map);
  if (const YamlNode* node = map.find(body)) {
    if (node->kind == YamlNode::Kind::map) {
      const YamlMap own(context_, *node, "elastic, " + body, {"modes", "family"});
      if (own.has("modes")) read_modes(own, "modes", 0);
      if (own.has("family")) read_family(own);
    } else {
      read_modes(map, body.c_str(), 0);
    }
    if (!bends) map.complain(body, "it is listed under rigid as well", "one of both");
  }
  if (context_.problems.count() != before || !bends || (!modes && !family)) return;
  try {
    robot = with_body_modes(robot, body, modes, family);
  } catch (const InputError& error) {
    for (const Problem& p : error.problems())
      context_.problems.add(p.where.line > 0 ? p.where : map.mark(), "elastic, " + body, p.message,
                            p.expectation, p.hint);
  }
}

}  // namespace ulna
