#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>

#include "mjcf/mjcf_document.hpp"
#include "mjcf/mjcf_parts.hpp"
#include "orientation.hpp"
#include "ulna/model/parts/placement.hpp"
#include "wording.hpp"

namespace ulna {

XmlElement MjcfContext::element(pugi::xml_node node) {
  const std::string name = node.attribute("name").value();
  return {*this, node,
          name.empty() ? fmt::format("<{}>", node.name())
                       : fmt::format("{} {}", node.name(), in_quotes(name))};
}

void MjcfContext::account(const XmlElement& element, pugi::xml_node node,
                          const std::set<std::string>& used) {
  std::set<std::string> seen;
  for (const pugi::xml_attribute attribute : node.attributes()) {
    const std::string name = attribute.name();
    if (name.starts_with('@') || used.count(name) || name == "class" || name == "name") continue;
    const std::vector<std::string>& known = mjcf_attributes(node.name());
    if (!known.empty() && std::find(known.begin(), known.end(), name) == known.end())
      if (const std::string hint = nearest_name_hint(name, known); !hint.empty()) {
        element.complain(fmt::format("<{}> has no attribute {}", node.name(), in_quotes(name)),
                         "an attribute of MuJoCo", hint);
        continue;
      }
    Tally& tally = ignored_attributes_[{node.name(), name}];
    if (tally.count++ == 0) tally.first = element.mark();
  }
}

void MjcfContext::write_tallies() {
  for (const auto& [what, tally] : ignored_attributes_)
    report.ignored.push_back(
        {tally.first, fmt::format("<{}>", what.first),
         fmt::format("attribute {} ignored{}: no effect on the dynamics of the robot",
                     in_quotes(what.second),
                     tally.count > 1 ? fmt::format(" in {} elements", tally.count) : "")});
}

void refuse_misspelt(const XmlElement& element, const std::vector<std::string>& known) {
  const std::string tag = element.tag();
  const bool right = std::find(known.begin(), known.end(), tag) != known.end();
  if (const std::string hint = right ? "" : nearest_name_hint(tag, known); !hint.empty())
    element.complain(fmt::format("there is no element <{}> here", tag), "an element of MuJoCo",
                     hint);
  else
    element.note_ignored(fmt::format("<{}> ignored: not part of the mechanics", tag));
}

std::set<std::string> with_pose(std::set<std::string> names) {
  names.insert({"pos", "quat", "axisangle", "euler", "xyaxes", "zaxis"});
  return names;
}

namespace {

/// Turns about the axes of the sequence, one after the other.
Matrix3<double> rotation_from_euler(const std::string& sequence,
                                    const std::vector<double>& angles) {
  Matrix3<double> R = Matrix3<double>::Identity();
  for (std::size_t k = 0; k < 3; ++k) {
    const char axis = sequence[k];
    const bool carried = axis >= 'x';
    const Vector3<double> unit = Vector3<double>::Unit(carried ? axis - 'x' : axis - 'X');
    const Matrix3<double> turn = rotation_from_axis_angle(unit, angles[k]);
    R = carried ? Matrix3<double>(R * turn) : Matrix3<double>(turn * R);
  }
  return R;
}

Vector3<double> direction(const XmlElement& element, const char* attribute,
                          const Vector3<double>& v) {
  if (v.norm() > 0) return v.normalized();
  element.complain(fmt::format("{} has no direction", attribute), "a vector that is not zero");
  return Vector3<double>::UnitZ();
}

Matrix3<double> euler_rotation(const MjcfContext& context, const XmlElement& element,
                               double factor = 1) {
  std::vector<double> angles = element.numbers("euler", 3);
  for (double& angle : angles) angle *= factor * context.settings.angle;
  return rotation_from_euler(context.settings.euler, angles);
}

Matrix3<double> mjcf_rotation(const MjcfContext& context, const XmlElement& element) {
  std::string given;
  for (const char* way : {"quat", "axisangle", "euler", "xyaxes", "zaxis"})
    if (element.has(way)) {
      if (!given.empty())
        element.complain(fmt::format("both {} and {} are given", given, way), "one orientation");
      given = way;
    }
  if (element.has("axisangle")) {
    const std::vector<double> v = element.numbers("axisangle", 4);
    return rotation_from_axis_angle(direction(element, "axisangle", {v[0], v[1], v[2]}),
                                    v[3] * context.settings.angle);
  }
  if (element.has("euler")) return euler_rotation(context, element);
  if (element.has("xyaxes")) {
    const std::vector<double> v = element.numbers("xyaxes", 6);
    const Vector3<double> x = direction(element, "xyaxes", {v[0], v[1], v[2]});
    Vector3<double> y(v[3], v[4], v[5]);
    y = direction(element, "xyaxes", y - x * x.dot(y));
    Matrix3<double> R;
    R << x, y, x.cross(y);
    return R;
  }
  if (element.has("zaxis"))
    return axes_along(
        direction(element, "zaxis", element.vector("zaxis", Vector3<double>::UnitZ())));
  if (element.has("quat")) {
    const std::vector<double> v = element.numbers("quat", 4);
    const Eigen::Vector4d wxyz(v[0], v[1], v[2], v[3]);
    if (wxyz.norm() > 0) return rotation_from_wxyz(wxyz.normalized());
    element.complain("quat is zero", "a quaternion w, x, y, z");
  }
  return Matrix3<double>::Identity();
}

bool is_true(const XmlElement& element, const char* attribute, bool fallback) {
  if (!element.has(attribute)) return fallback;
  const std::string value = element.text(attribute);
  if (value != "true" && value != "false")
    element.complain(fmt::format("{} is {}", attribute, in_quotes(value)), "true or false");
  return value == "true";
}

void read_compiler(MjcfContext& context, pugi::xml_node node) {
  MjcfSettings& s = context.settings;
  const XmlElement compiler = context.element(node);
  context.account(
      compiler, node,
      {"angle", "autolimits", "eulerseq", "inertiafromgeom", "inertiagrouprange", "boundmass",
       "boundinertia", "balanceinertia", "settotalmass", "meshdir", "assetdir", "fusestatic",
       "coordinate", "discardvisual", "exactmeshinertia", "strippath", "fitaabb"});
  if (compiler.has("angle")) {
    const std::string unit = compiler.text("angle");
    if (unit != "radian" && unit != "degree")
      compiler.complain("angle is " + in_quotes(unit), "radian or degree");
    s.angle = unit == "radian" ? 1 : std::numbers::pi / 180;
  }
  if (compiler.has("coordinate") && compiler.text("coordinate") != "local")
    compiler.complain("coordinate is " + in_quotes(compiler.text("coordinate")),
                      "local coordinates",
                      "newer versions of MuJoCo save such a model with local ones");
  if (compiler.has("eulerseq")) {
    s.euler = compiler.text("eulerseq");
    if (s.euler.size() != 3 || s.euler.find_first_not_of("xyzXYZ") != std::string::npos) {
      compiler.complain("eulerseq is " + in_quotes(s.euler),
                        "three of the letters x, y, z, X, Y, Z");
      s.euler = "xyz";
    }
  }
  s.limits_follow_range = is_true(compiler, "autolimits", s.limits_follow_range);
  if (compiler.has("inertiafromgeom")) {
    const std::string value = compiler.text("inertiafromgeom");
    s.inertia = value == "true"    ? MjcfSettings::FromGeoms::always
                : value == "false" ? MjcfSettings::FromGeoms::never
                                   : MjcfSettings::FromGeoms::where_missing;
    if (value != "true" && value != "false" && value != "auto")
      compiler.complain("inertiafromgeom is " + in_quotes(value), "true, false or auto");
  }
  if (compiler.has("inertiagrouprange")) {
    const std::vector<double> range = compiler.numbers("inertiagrouprange", 2);
    s.first_group = static_cast<int>(range[0]);
    s.last_group = static_cast<int>(range[1]);
  }
  s.least_mass = compiler.number("boundmass", s.least_mass);
  s.least_inertia = compiler.number("boundinertia", s.least_inertia);
  s.balance = is_true(compiler, "balanceinertia", s.balance);
  s.exact_meshes = is_true(compiler, "exactmeshinertia", s.exact_meshes);
  s.fit_to_bounds = is_true(compiler, "fitaabb", s.fit_to_bounds);
  s.strip_paths = is_true(compiler, "strippath", s.strip_paths);
  s.total_mass = compiler.number("settotalmass", s.total_mass);
  for (const char* name : {"assetdir", "meshdir"})
    if (compiler.has(name)) s.mesh_folder = compiler.text(name);
  if (is_true(compiler, "fusestatic", false))
    compiler.note_ignored(
        "fusestatic ignored: bodies without joints keep their names; the mechanics is the same");
  if (is_true(compiler, "discardvisual", false))
    compiler.note_ignored("discardvisual ignored: shapes are kept for drawing");
}

/// What a model switches off for its simulator is off here, too.
void read_flags(MjcfContext& context, pugi::xml_node node) {
  MjcfSettings& s = context.settings;
  const std::pair<const char*, std::vector<bool*>> switches[] = {
      {"constraint", {&s.equalities, &s.friction, &s.limits}},
      {"equality", {&s.equalities}},
      {"passive", {&s.springs, &s.dampers}},
      {"spring", {&s.springs}},
      {"damper", {&s.dampers}},
      {"frictionloss", {&s.friction}},
      {"limit", {&s.limits}}};
  const XmlElement flags = context.element(node);
  std::set<std::string> used = {"gravity"};
  for (const auto& [name, parts] : switches) used.insert(name);
  context.account(flags, node, used);
  const auto off = [&](const char* name) {
    if (!flags.has(name)) return false;
    const std::string value = flags.text(name);
    if (value != "enable" && value != "disable")
      flags.complain(fmt::format("{} is {}", name, in_quotes(value)), "enable or disable");
    if (value == "disable") flags.note_used(fmt::format("{} is switched off", name));
    return value == "disable";
  };
  if (off("gravity")) context.robot.gravity.setZero();
  for (const auto& [name, parts] : switches)
    if (off(name))
      for (bool* part : parts) *part = false;
}

void read_option(MjcfContext& context, pugi::xml_node node) {
  const XmlElement option = context.element(node);
  context.account(option, node, {"gravity", "density", "viscosity", "wind"});
  if (option.number("density", 0) != 0 || option.number("viscosity", 0) != 0)
    option.note_ignored("density, viscosity and wind ignored: forces of a fluid are not modelled");
  context.robot.gravity = option.vector("gravity", context.robot.gravity);
  for (const pugi::xml_node flag : node.children("flag")) read_flags(context, flag);
}

}  // namespace

Pose<double> mjcf_pose(const MjcfContext& context, const XmlElement& element) {
  Pose<double> X;
  X.position = element.vector("pos", Vector3<double>::Zero());
  X.rotation = without_negative_zeros(mjcf_rotation(context, element));
  return X;
}

Matrix3<double> mjcf_turn(const MjcfContext& context, const XmlElement& element, int times) {
  if (!element.has("euler")) return Matrix3<double>::Identity();
  return without_negative_zeros(euler_rotation(context, element, times));
}

void read_mjcf_settings(MjcfContext& context, pugi::xml_node root) {
  for (const pugi::xml_node node : root.children("compiler")) read_compiler(context, node);
  for (const pugi::xml_node node : root.children("option")) read_option(context, node);
  read_mjcf_meshes(context, root.child("asset"));
}

}  // namespace ulna
