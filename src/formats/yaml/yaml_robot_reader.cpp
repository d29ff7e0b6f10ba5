#include <fmt/format.h>

#include <filesystem>

#include "text_file.hpp"
#include "ulna/elastic/modal_body.hpp"
#include "ulna/formats/read_robot.hpp"
#include "wording.hpp"
#include "yaml/file_kind.hpp"
#include "yaml/yaml_beam.hpp"
#include "yaml/yaml_constraint.hpp"
#include "yaml/yaml_drive.hpp"
#include "yaml/yaml_element.hpp"
#include "yaml/yaml_joint.hpp"
#include "yaml/yaml_parts.hpp"
#include "yaml/yaml_posture.hpp"
#include "yaml/yaml_solid.hpp"

namespace ulna {

namespace {

void note_used(YamlContext& context, const YamlMap& map, std::string what) {
  context.report.used.push_back({map.mark(), map.element(), std::move(what)});
}

BodyData read_body(YamlContext& context, const YamlNode& node, ZeroPoses& zero_poses) {
  const YamlMap map(
      context, node, "body",
      {"name", "mass", "density", "centre", "inertia", "beam", "beams", "geometry", "at_zero"});
  BodyData body;
  body.mark = map.mark();
  body.name = map.needed_text("name", "the body's name");
  body.inertial = read_inertial(context, map);
  body.beams = read_beams(context, map, body.modal);
  if (const YamlNode* list = map.find("geometry"))
    for (const YamlNode& item : read_list(context, *list, map.element() + ", geometry"))
      body.geometry.push_back(read_geometry(context, item, map.element() + ", geometry"));
  if (takes_inertia_from_geometry(map)) inertia_from_geometry(context, map, body);
  if (map.has("at_zero")) zero_poses[body.name] = read_pose(context, map, "at_zero");
  const bool has_mass =
      map.has("mass") || map.has("inertia") || map.has("density") || !body.beams.empty();
  note_used(context, map, has_mass ? "body" : "body without mass");
  return body;
}

FrameData read_frame(YamlContext& context, const YamlNode& node) {
  const YamlMap map(context, node, "frame", {"name", "body", "at"});
  FrameData frame;
  frame.mark = map.mark();
  frame.name = map.needed_text("name", "the frame's name");
  frame.body = map.needed_text("body", "the name of a body, or world");
  frame.X_BF = read_pose(context, map, "at");
  note_used(context, map, "frame on " + in_quotes(frame.body));
  return frame;
}

// False when the file is of another version, or no robot file at all: nothing else is worth saying.
bool check_version(YamlContext& context, const YamlMap& map) {
  const YamlNode* version = map.need("ulna", "'ulna: 1', the version of the robot file format");
  if (!version) return false;
  if (version->kind == YamlNode::Kind::scalar && version->text == "1") return true;
  map.complain("ulna", fmt::format("version {} of the robot file", describe(*version)), "'ulna: 1'",
               "this library reads version 1");
  return context.problems.count() == 0;
}

/// `urdf: arm.urdf`: the robot of that file, to which this one adds. False when it cannot be read.
bool read_urdf_base(YamlContext& context, const YamlMap& map, const ReadOptions& options,
                    Robot& robot) {
  const std::string name = map.text("urdf");
  const std::filesystem::path beside = std::filesystem::path(context.file).parent_path() / name;
  std::error_code ignored;
  const bool local = !name.empty() && std::filesystem::is_regular_file(beside, ignored);
  if (!name.ends_with(".urdf")) {
    map.complain("urdf", "found " + in_quotes(name), "a .urdf file");
    return false;
  }
  try {
    ReadResult base = read_robot(local ? beside.string() : name, options);
    robot = std::move(base.robot);
    context.report = std::move(base.report);
    return true;
  } catch (const InputError& error) {
    for (const Problem& p : error.problems())
      context.problems.add(p.where.file.empty() ? map.mark() : p.where, p.element, p.message,
                           p.expectation, p.hint);
    return false;
  }
}

Robot read_root(YamlContext& context, const YamlNode& root, const ReadOptions& options) {
  Robot robot;
  const YamlMap map(
      context, root, "robot",
      {"ulna", "name", "description", "gravity", "loop_tolerance", "bodies", "joints",
       "constraints", "elements", "frames", "payloads", "postures", "urdf", "planar"});
  if (!check_version(context, map)) return robot;
  const bool added = map.has("urdf");  // to the robot of a URDF
  if (added && !read_urdf_base(context, map, options, robot)) return robot;
  robot.name = added ? map.text("name", robot.name) : map.needed_text("name", "the robot's name");
  robot.description = map.text("description", robot.description);
  robot.gravity = map.vector("gravity", quantity::acceleration, robot.gravity);
  robot.loop_tolerance = map.number("loop_tolerance", quantity::number, robot.loop_tolerance);

  ZeroPoses zero_poses;
  const auto part = [&](const char* key, const char* expectation) {
    return added ? map.find(key) : map.need(key, expectation);
  };
  if (const YamlNode* bodies = part("bodies", "a list of bodies"))
    for (const YamlNode& item : read_list(context, *bodies, "bodies"))
      robot.bodies.push_back(read_body(context, item, zero_poses));
  if (const YamlNode* joints = part("joints", "a list of joints"))
    for (const YamlNode& item : read_list(context, *joints, "joints")) {
      robot.joints.push_back(read_joint(context, item, zero_poses));
      const JointData& joint = robot.joints.back();
      context.report.used.push_back({joint.mark, "joint " + in_quotes(joint.name),
                                     fmt::format("{} joint from {} to {}", name_of(joint.type),
                                                 in_quotes(joint.parent), in_quotes(joint.child))});
      read_elastic_drive(context, item, robot);
    }
  if (const YamlNode* constraints = map.find("constraints"))
    for (const YamlNode& item : read_list(context, *constraints, "constraints"))
      robot.constraints.push_back(read_constraint(context, item, robot.joints));
  if (const YamlNode* elements = map.find("elements"))
    for (const YamlNode& item : read_list(context, *elements, "elements"))
      robot.elements.push_back(read_element(context, item));
  if (const YamlNode* frames = map.find("frames"))
    for (const YamlNode& item : read_list(context, *frames, "frames"))
      robot.frames.push_back(read_frame(context, item));
  if (const YamlNode* payloads = map.find("payloads"))
    for (const YamlNode& item : read_list(context, *payloads, "payloads"))
      robot.payloads.push_back(read_payload(context, item));
  if (const YamlNode* postures = map.find("postures"))
    for (const YamlNode& item : read_list(context, *postures, "postures"))
      robot.postures.push_back(read_posture(context, item, robot.joints));
  if (map.has("planar")) complete_planar(context, map, robot);
  return robot;
}

}  // namespace

PayloadData read_payload(YamlContext& context, const YamlNode& node) {
  const YamlMap map(context, node, "payload", {"name", "body", "at", "mass", "centre", "inertia"});
  PayloadData payload;
  payload.mark = map.mark();
  payload.name = map.needed_text("name", "the payload's name");
  payload.body = map.needed_text("body", "the name of the body that carries it");
  payload.X_BL = read_pose(context, map, "at");
  payload.inertial = read_inertial(context, map);
  if (takes_inertia_from_geometry(map))
    map.complain("inertia", "a payload has no shapes", "numbers, or a body fixed by a joint");
  note_used(context, map, "payload on " + in_quotes(payload.body));
  return payload;
}

ReadResult read_robot_yaml_text(const std::string& text, const std::string& file_name,
                                const ReadOptions& options) {
  check_text(text, file_name, largest_yaml);
  return read_robot_yaml_tree(parse_file_of(FileKind::robot, text, file_name), file_name, options);
}

ReadResult read_robot_yaml_tree(const YamlNode& root, const std::string& file_name,
                                const ReadOptions& options) {
  YamlContext context{file_name, {}, {}};
  ReadResult result;
  result.robot = read_root(context, root, options);
  context.problems.throw_if_any();
  result.robot.source = file_name;
  make_flexible(result.robot);
  result.report = std::move(context.report);
  if (options.strict) refuse_losses(result.report);
  return result;
}

}  // namespace ulna
