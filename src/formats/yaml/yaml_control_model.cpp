// What a controller takes for the robot: `model: other_robot.yaml`, or factors on the parameters of
// the robot itself.

#include <fmt/format.h>

#include <filesystem>

#include "ulna/elastic/modal_body.hpp"
#include "ulna/model/internal/recut.hpp"
#include "wording.hpp"
#include "yaml/yaml_controller_reader.hpp"

namespace ulna {
namespace fs = std::filesystem;
namespace {

void scale(Inertial& inertial, double mass, double centre, double inertia) {
  inertial.mass *= mass;
  inertial.centre *= centre;
  inertial.inertia *= inertia;
}

}  // namespace

void ControllerReader::read_model() {
  const YamlNode& node = *map_.find("model");
  const bool is_map = node.kind == YamlNode::Kind::map;
  const std::string element = map_.element() + ", model";
  try {
    Robot robot = e_.model->robot();
    std::string file = is_map ? std::string() : read_text(context_, node, element);
    const YamlNode factors =
        is_map ? node : YamlNode{YamlNode::Kind::map, node.line, node.column, {}, {}, {}};
    const YamlMap map(context_, factors, element,
                      {"robot", "inertial", "mass", "centre", "inertia", "bodies", "damping",
                       "friction", "stiffness", "rotor_inertia", "gravity", "rigid"});
    if (map.has("robot")) file = map.text("robot");
    if (!file.empty()) {
      const fs::path beside = fs::path(folder_) / file;
      std::error_code ignored;
      const bool local = !fs::path(file).is_absolute() && fs::is_regular_file(beside, ignored);
      robot = read_robot(local ? beside.string() : file, options_).robot;
    }
    if (map.boolean("rigid", false)) robot = with_rigid_links(std::move(robot));
    read_parameter_factors(map, robot);
    own_model_ = std::make_shared<const Model>(std::move(robot));
    // Its joints have coordinates where those of the robot do.
    std::vector<std::string> joints;
    for (const Joint& joint : e_.model->joints()) joints.push_back(joint.name);
    own_model_ = with_joints_in_tree(own_model_, joints);
  } catch (const InputError& error) {
    for (const Problem& p : error.problems())
      context_.problems.add(p.where.line > 0 ? p.where : context_.mark(node),
                            p.element.empty() ? element : p.element, p.message, p.expectation,
                            p.hint);
  }
}

void ControllerReader::read_parameter_factors(const YamlMap& map, Robot& robot) {
  const auto factor = [&](const char* key) {
    const double x = map.number(key, quantity::number, 1);
    if (!(x >= 0)) map.complain(key, fmt::format("the factor is {}", x), "0 or more");
    return x;
  };
  const double all = factor("inertial");
  const double mass = all * factor("mass"), centre = factor("centre"),
               inertia = all * factor("inertia");
  const double rotor = factor("rotor_inertia"), damping = factor("damping"),
               friction = factor("friction"), stiffness = factor("stiffness");
  robot.gravity *= factor("gravity");
  for (BodyData& body : robot.bodies) scale(body.inertial, mass, centre, inertia);
  for (PayloadData& payload : robot.payloads) scale(payload.inertial, mass, centre, inertia);
  for (JointData& joint : robot.joints)
    for (DegreeData& degree : joint.degrees) {
      degree.rotor_inertia *= rotor;
      degree.damping *= damping;
      degree.friction *= friction;
      degree.stiffness *= stiffness;
    }
  const YamlNode* bodies = map.find("bodies");
  if (!bodies) return;
  if (bodies->kind != YamlNode::Kind::map)
    return map.complain("bodies", "found " + describe(*bodies), "names of bodies with factors");
  for (const YamlEntry& entry : bodies->entries) {
    const double x =
        read_number(context_, entry.value, map.element() + ", bodies", quantity::number);
    std::vector<std::string> known;
    bool found = false;
    for (BodyData& body : robot.bodies) {
      known.push_back(body.name);
      if (body.name != entry.key) continue;
      scale(body.inertial, x, 1, x);
      found = true;
    }
    if (!found)
      context_.problems.add({context_.file, entry.line, entry.column}, map.element() + ", bodies",
                            fmt::format("there is no body {}", in_quotes(entry.key)), one_of(known),
                            nearest_name_hint(entry.key, known));
  }
}

}  // namespace ulna
