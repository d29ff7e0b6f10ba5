#include "write/mjcf_elements.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ulna {
namespace {

void put(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name) = value.c_str();
}

/// Body and place of an end, which may be given by the name of a frame or body.
std::pair<std::string, Vector3<double>> resolved(const Robot& robot, const ElementEnd& end) {
  if (end.frame.empty()) return {end.body, end.X_BE.position};
  for (const FrameData& frame : robot.frames)
    if (frame.name == end.frame) return {frame.body, frame.X_BF * end.X_BE.position};
  return {end.frame, end.X_BE.position};
}

/// MuJoCo's springs are linear, with a dead band; -1 as a length has a meaning of its own.
bool is_plain(const ElementLaw& law) {
  return law.hardening == 0 && law.preload == 0 && law.spring.empty() && law.damper.empty();
}

void add_law(pugi::xml_node tendon, const ElementLaw& law, double rest) {
  if (law.stiffness != 0) put(tendon, "stiffness", xml_number(law.stiffness));
  if (law.damping != 0) put(tendon, "damping", xml_number(law.damping));
  if (law.stiffness == 0) return;
  if (law.backlash == 0)
    put(tendon, "springlength", xml_number(rest));
  else
    put(tendon, "springlength",
        xml_numbers(Eigen::Vector2d(rest - law.backlash, rest + law.backlash)));
}

bool add_fixed(const WrittenTree& tree, const ElementData& element, pugi::xml_node tendons) {
  const bool known =
      std::any_of(tree.bodies.begin(), tree.bodies.end(), [&](const WrittenBody& body) {
        return std::any_of(body.joints.begin(), body.joints.end(), [&](const WrittenJoint& joint) {
          return joint.name == element.joint && joint.degrees.size() == 1;
        });
      });
  const double rest = std::abs(element.law.rest);
  if (!known || rest < element.law.backlash) return false;
  pugi::xml_node fixed = tendons.append_child("fixed");
  put(fixed, "name", element.name);
  add_law(fixed, element.law, rest);
  pugi::xml_node joint = fixed.append_child("joint");
  put(joint, "joint", element.joint);
  put(joint, "coef", element.law.rest < 0 ? "-1" : "1");  // lengths are not negative
  return true;
}

/// A torsion about any axis between the two frames of a ball joint is its stiffness.
bool add_to_ball(const WrittenTree& tree, const ElementData& element,
                 std::map<std::string, pugi::xml_node>& bodies) {
  const ElementLaw& law = element.law;
  if (law.backlash != 0 || law.hardening != 0 || !element.from.frame.empty() ||
      !element.to.frame.empty())
    return false;
  for (const WrittenBody& body : tree.bodies) {
    if (body.joints.size() != 1 || body.joints[0].kind != WrittenJoint::Kind::ball) continue;
    const auto at = [](const ElementEnd& end, const std::string& name, const Pose<double>& X) {
      constexpr double same = 1e-12;
      return end.body == name && (end.X_BE.position - X.position).norm() < same &&
             (end.X_BE.rotation - X.rotation).norm() < same;
    };
    const Pose<double> X_CM = body.X_MC.inverse();
    const bool along = at(element.from, body.parent, body.X_PF) && at(element.to, body.name, X_CM),
               back = at(element.to, body.parent, body.X_PF) && at(element.from, body.name, X_CM);
    if (!along && !back) continue;
    pugi::xml_node joint =
        bodies[body.name].find_child_by_attribute("joint", "name", body.joints[0].name.c_str());
    if (!joint || joint.attribute("stiffness")) return false;
    put(joint, "stiffness", xml_number(element.law.stiffness));
    return true;
  }
  return false;
}

}  // namespace

bool write_mjcf_element(const WrittenTree& tree, const ElementData& element,
                        std::map<std::string, pugi::xml_node>& bodies, pugi::xml_node tendons) {
  if (element.any_axis) return add_to_ball(tree, element, bodies);
  if (!is_plain(element.law)) return false;
  if (element.type == ElementData::Type::torsion && !element.joint.empty())
    return add_fixed(tree, element, tendons);
  if (element.type != ElementData::Type::spring_damper || element.law.rest < element.law.backlash)
    return false;
  pugi::xml_node spatial = tendons.append_child("spatial");
  put(spatial, "name", element.name);
  add_law(spatial, element.law, element.law.rest);
  std::vector<ElementEnd> points = element.through;
  points.insert(points.begin(), element.from);
  points.push_back(element.to);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const auto [body, place] = resolved(tree.robot(), points[k]);
    const std::string name = fmt::format("{}.{}", element.name, k + 1);
    pugi::xml_node site = bodies[body].append_child("site");
    put(site, "name", name);
    put(site, "pos", xml_numbers(place));
    put(spatial.append_child("site"), "site", name);
  }
  return true;
}

}  // namespace ulna
