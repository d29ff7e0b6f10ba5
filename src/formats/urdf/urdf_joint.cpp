#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "urdf/urdf_parts.hpp"
#include "wording.hpp"

namespace ulna {

namespace {

std::optional<JointType> type_from_urdf(const std::string& name) {
  if (name == "fixed") return JointType::fixed;
  if (name == "revolute" || name == "continuous") return JointType::revolute;
  if (name == "prismatic") return JointType::prismatic;
  if (name == "planar") return JointType::planar;
  if (name == "floating") return JointType::free;
  return std::nullopt;
}

/// Drake has these in elements of its own, <drake:joint>.
std::optional<JointType> type_from_drake(const std::string& name) {
  if (name == "ball") return JointType::spherical;
  if (name == "universal") return JointType::universal;
  if (name == "planar") return JointType::planar;
  if (name == "screw") return JointType::screw;
  return std::nullopt;
}

const std::vector<std::string> drake_types = {"ball", "universal", "planar", "screw"};
const std::vector<std::string> urdf_types = {"revolute", "continuous", "prismatic",
                                             "fixed",    "floating",   "planar"};

std::string link_of(const XmlElement& joint, const char* tag) {
  const XmlElement end = joint.needed_child(tag);
  if (!end) return {};
  end.expect({"link"});
  return end.needed_text("link");
}

// URDF's own rule: lower and upper are 0 when a <limit> does not give them.
void read_limit(const XmlElement& limit, bool continuous, DegreeData& degree) {
  limit.expect({"lower", "upper", "effort", "velocity"});
  const auto bound = [&](const char* attribute, double fallback) {
    const double value = limit.number(attribute, fallback);
    return std::abs(value) < urdf_unlimited ? value : std::copysign(DegreeData::unlimited, value);
  };
  degree.effort_limit = bound("effort", DegreeData::unlimited);
  degree.velocity_limit = bound("velocity", DegreeData::unlimited);
  if (continuous) {
    if (limit.has("lower") || limit.has("upper"))
      limit.note_ignored("lower and upper of <limit> ignored: the joint is continuous");
    return;
  }
  degree.lower = bound("lower", 0);
  degree.upper = bound("upper", 0);
  if (!limit.has("lower") || !limit.has("upper"))
    limit.note_used("<limit> without lower or upper: 0 by the rule of URDF");
  if (degree.lower == degree.upper)
    limit.note_used(fmt::format("<limit> leaves the single position {}", degree.lower));
  if (degree.effort_limit == 0 || degree.velocity_limit == 0)
    limit.note_used("<limit> with effort or velocity 0 kept as written");
}

Mimic read_mimic(const XmlElement& element) {
  element.expect({"joint", "multiplier", "offset"});
  Mimic mimic;
  mimic.joint = element.needed_text("joint");
  mimic.multiplier = element.number("multiplier", 1);
  mimic.offset = element.number("offset", 0);
  return mimic;
}

}  // namespace

void read_urdf_degree(const XmlElement& joint, bool continuous, DegreeData& degree) {
  if (const XmlElement limit = joint.child("limit"))
    read_limit(limit, continuous, degree);
  else if (!continuous)
    joint.note_used("no <limit>: taken as unlimited");
  if (const XmlElement dynamics = joint.child("dynamics")) {
    dynamics.expect({"damping", "friction"});
    degree.damping = dynamics.number("damping", 0);
    degree.friction = dynamics.number("friction", 0);
  }
}

namespace {

/// Ends and place, as every joint has them.
JointData begun_joint(const XmlElement& element) {
  JointData joint;
  joint.mark = element.mark();
  joint.name = element.needed_text("name");
  joint.parent = link_of(element, "parent");
  joint.child = link_of(element, "child");
  joint.X_PF = element.origin();
  return joint;
}

}  // namespace

JointData read_urdf_joint(const XmlElement& element) {
  element.expect({"name", "type"},
                 {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"});
  JointData joint = begun_joint(element);
  const std::string type_name = element.needed_text("type");
  const std::optional<JointType> type = type_from_urdf(type_name);
  if (!type) {
    if (!type_name.empty())
      element.complain("unknown joint type " + in_quotes(type_name), one_of(urdf_types),
                       nearest_name_hint(type_name, urdf_types));
    return joint;
  }
  joint.type = *type;
  joint.degrees.resize(static_cast<std::size_t>(size_of(*type).speeds));
  element.note_used(fmt::format("{} joint from {} to {}", name_of(*type), in_quotes(joint.parent),
                                in_quotes(joint.child)));

  const bool with_axis = *type != JointType::fixed && *type != JointType::free;
  if (const XmlElement axis = element.child("axis"); axis && with_axis) {
    axis.expect({"xyz"});
    joint.axis = axis.vector("xyz", Vector3<double>::UnitX());
  } else if (with_axis) {
    joint.axis = Vector3<double>::UnitX();  // URDF's default
    element.note_used("no <axis>: (1, 0, 0) by the rule of URDF");
  }
  const bool one_degree = joint.degrees.size() == 1;
  if (one_degree) read_urdf_degree(element, type_name == "continuous", joint.degrees[0]);
  for (const char* tag : {"axis", "limit", "dynamics", "mimic"}) {
    const XmlElement extra = element.child(tag);
    const bool used = std::string(tag) == "axis" ? with_axis : one_degree;
    if (extra && !used)
      extra.note_ignored(
          fmt::format("<{}> ignored: it means nothing for a {} joint", tag, type_name));
  }
  if (const XmlElement mimic = element.child("mimic"); mimic && one_degree)
    joint.mimic = read_mimic(mimic);
  return joint;
}

JointData read_drake_joint(const XmlElement& element) {
  element.expect({"name", "type"}, {"origin", "parent", "child", "axis", "limit", "dynamics",
                                    "drake:screw_thread_pitch"});
  JointData joint = begun_joint(element);
  const std::string type_name = element.needed_text("type");
  const std::optional<JointType> type = type_from_drake(type_name);
  if (!type) {
    if (!type_name.empty())
      element.complain("unknown type " + in_quotes(type_name) + " of a <drake:joint>",
                       one_of(drake_types), nearest_name_hint(type_name, drake_types));
    return joint;
  }
  joint.type = *type;
  joint.degrees.resize(static_cast<std::size_t>(size_of(*type).speeds));
  element.note_used(fmt::format("{} joint from {} to {}", name_of(*type), in_quotes(joint.parent),
                                in_quotes(joint.child)));
  // About x and y, or in the plane of x and y.
  if (*type == JointType::universal) {
    joint.axis = Vector3<double>::UnitX();
    joint.axis2 = Vector3<double>::UnitY();
  }
  if (*type == JointType::screw) {
    const XmlElement axis = element.child("axis");
    joint.axis = axis ? axis.vector("xyz", Vector3<double>::UnitX()) : Vector3<double>::UnitX();
    if (const XmlElement pitch = element.needed_child("drake:screw_thread_pitch"))
      joint.pitch = pitch.needed_number("value") / (2 * std::numbers::pi);  // metres a turn
    read_urdf_degree(element, false, joint.degrees[0]);
    return joint;
  }
  for (const char* tag : {"axis", "limit"})
    if (const XmlElement extra = element.child(tag))
      extra.note_ignored(
          fmt::format("<{}> ignored: it means nothing for a {} joint", tag, type_name));
  const XmlElement dynamics = element.child("dynamics");
  if (!dynamics) return joint;
  dynamics.expect({"damping"});
  const bool each = dynamics.count("damping") > 1;
  const std::vector<double> damping = dynamics.numbers("damping", each ? joint.degrees.size() : 1);
  for (std::size_t k = 0; k < joint.degrees.size(); ++k)
    joint.degrees[k].damping = damping[each ? k : 0];
  return joint;
}

void read_drake_rotors(XmlContext& context, pugi::xml_node robot_node, Robot& robot) {
  for (const pugi::xml_node node : robot_node.children("transmission")) {
    const XmlElement motor(context, node.child("actuator"), "transmission");
    const XmlElement inertia = motor.child("drake:rotor_inertia"),
                     gear = motor.child("drake:gear_ratio");
    if (!inertia && !gear) continue;
    const std::string name = node.child("joint").attribute("name").value();
    const auto joint = std::find_if(robot.joints.begin(), robot.joints.end(),
                                    [&](const JointData& each) { return each.name == name; });
    if (joint == robot.joints.end() || joint->degrees.size() != 1) {
      motor.complain("its rotor turns joint " + in_quotes(name), "a joint with one degree");
      continue;
    }
    if (inertia) joint->degrees[0].rotor_inertia = inertia.needed_number("value");
    if (gear) joint->degrees[0].gear_ratio = gear.needed_number("value");
    motor.note_used("rotor of joint " + in_quotes(name));
  }
}

}  // namespace ulna
