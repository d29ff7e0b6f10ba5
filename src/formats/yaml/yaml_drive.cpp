#include "yaml/yaml_drive.hpp"

#include "ulna/model/internal/elastic_drive.hpp"
#include "wording.hpp"
#include "yaml/yaml_joint.hpp"

namespace ulna {

void read_elastic_drive(YamlContext& context, const YamlNode& node, Robot& robot) {
  const YamlNode* found = nullptr;
  std::string key;
  for (const YamlEntry& entry : node.entries) {
    if (entry.key != "transmission" && entry.key != "drive") continue;
    if (found)
      context.problems.add(
          context.mark(entry.value), "joint " + in_quotes(robot.joints.back().name),
          "transmission and drive are two names of the same key", "transmission alone", {});
    found = &entry.value;
    key = entry.key;
  }
  if (!found) return;
  const JointData& joint = robot.joints.back();
  const std::string name = joint.name, element = "joint " + in_quotes(name);
  const bool slides = first_slides(joint.type);
  const YamlMap map(context, *found, element + ", " + key,
                    {"stiffness", "hardening", "backlash", "damping", "friction"});
  map.need("stiffness", "the stiffness of the transmission");
  ElasticDrive drive;
  drive.stiffness =
      map.number("stiffness", slides ? quantity::stiffness : quantity::angular_stiffness, 0);
  drive.hardening =
      map.number("hardening", slides ? quantity::hardening : quantity::angular_hardening, 0);
  drive.backlash = map.number("backlash", slides ? quantity::length : quantity::angle, 0);
  drive.damping = map.number("damping", slides ? quantity::damping : quantity::angular_damping, 0);
  drive.friction = map.number("friction", slides ? quantity::force : quantity::torque, 0);
  try {
    add_elastic_drive(robot, name, drive);
  } catch (const InputError& error) {
    for (const Problem& p : error.problems())
      context.problems.add(context.mark(*found), p.element, p.message, p.expectation, p.hint);
  }
}

}  // namespace ulna
