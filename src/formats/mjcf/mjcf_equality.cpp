// Loops and couplings of a MuJoCo model (<equality>), and its actuators. MuJoCo's
// equalities are soft; here they are hard constraints.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mjcf/mjcf_parts.hpp"
#include "orientation.hpp"
#include "ulna/model/parts/loop.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

class EqualityReader {
 public:
  EqualityReader(MjcfContext& context, pugi::xml_node root)
      : context_(context), tendons_(read_mjcf_tendons(context, root)) {}

  void run(pugi::xml_node equality) {
    for (const pugi::xml_node node : equality.children()) {
      if (node.type() != pugi::node_element) continue;
      const XmlElement element = context_.element(node);
      const std::string tag = element.tag();
      const bool active = node.attribute("active").value() != std::string("false");
      if (!active || !context_.settings.equalities) {
        element.note_ignored(
            fmt::format("<{}> ignored: {}", tag,
                        active ? "equalities are switched off by a <flag>" : "it is not active"));
        continue;
      }
      if (tag == "connect")
        connect(element, node);
      else if (tag == "weld")
        weld(element, node);
      else if (tag == "joint")
        couple_joints(element, node);
      else if (tag == "tendon")
        couple_tendons(element, node);
      else
        element.complain(fmt::format("<{}> of <equality> is not read", tag),
                         "connect, weld, joint or tendon");
    }
  }

 private:
  /// Ends of a closing joint: two sites, or two bodies that meet where every joint stands at its
  /// reference.
  bool ends(const XmlElement& element, JointData& joint, Vector3<double> anchor, bool with_pose) {
    if (element.has("site1")) {
      const MjcfSite* one = site(element, "site1");
      const MjcfSite* two = site(element, "site2");
      if (!one || !two) return false;
      joint.parent = one->body;
      joint.child = two->body;
      joint.X_PF = one->X_BS;
      joint.X_MC = two->X_BS.inverse();
      return true;
    }
    const MjcfBody* one = body(element, "body1");
    const MjcfBody* two =
        element.has("body2") ? body(element, "body2") : &context_.bodies.at(world_name);
    if (!one || !two) return false;
    joint.parent = one->name;
    joint.child = two->name;
    const Pose<double> X_12 = one->X_WB.inverse() * two->X_WB;
    if (with_pose) {
      joint.X_MC = {};
      joint.X_PF = X_12;
      return true;
    }
    joint.X_PF.position = anchor;
    joint.X_MC.position = -(X_12.inverse() * anchor);
    return true;
  }

  void connect(const XmlElement& element, pugi::xml_node node) {
    context_.account(element, node, {"active", "body1", "body2", "anchor", "site1", "site2"});
    JointData joint = begun(element, "connect");
    joint.type = JointType::spherical;
    joint.degrees.resize(3);
    if (!element.has("site1")) element.needed_text("anchor");
    if (!ends(element, joint, element.vector("anchor", Vector3<double>::Zero()), false)) return;
    finish(element, std::move(joint));
  }

  void weld(const XmlElement& element, pugi::xml_node node) {
    context_.account(
        element, node,
        {"active", "body1", "body2", "relpose", "anchor", "torquescale", "site1", "site2"});
    JointData joint = begun(element, "weld");
    if (!ends(element, joint, Vector3<double>::Zero(), true)) return;
    if (!element.has("site1")) {
      // The point of body2 that is held where relpose, or the posture of the file, places it.
      const Vector3<double> anchor = element.vector("anchor", Vector3<double>::Zero());
      Pose<double> X_12 = joint.X_PF;
      X_12.position = X_12 * anchor;
      if (element.has("relpose")) {
        const std::vector<double> v = element.numbers("relpose", 7);
        const Eigen::Vector4d quaternion(v[3], v[4], v[5], v[6]);
        // A zero quaternion stands for the posture of the file.
        if (quaternion.norm() > 0)
          X_12 = {rotation_from_wxyz(quaternion.normalized()), {v[0], v[1], v[2]}};
      }
      joint.X_PF = X_12;
      joint.X_MC.position = -anchor;
    }
    // Without torque a weld holds the point only.
    if (element.number("torquescale", 1) == 0) {
      joint.type = JointType::spherical;
      joint.degrees.resize(3);
    }
    finish(element, std::move(joint));
  }

  /// a of y - y0 = a0 + a1 (x - x0) + ... + a4 (x - x0)^4
  std::vector<double> polynomial(const XmlElement& element) {
    std::vector<double> a = {0, 1, 0, 0, 0};
    if (element.has("polycoef")) {
      const std::size_t count = element.count("polycoef");
      if (count < 1 || count > 5) {
        element.complain("polycoef holds no or too many numbers", "1 to 5 numbers");
        return a;
      }
      const std::vector<double> given = element.numbers("polycoef", count);
      std::copy(given.begin(), given.end(), a.begin());
    }
    return a;
  }

  /// Without x the constant alone counts.
  void couple(const XmlElement& element, const MjcfSum& first, const MjcfSum* second) {
    const std::vector<double> a = polynomial(element);
    ConstraintData constraint;
    constraint.name = name(element, "coupling");
    constraint.mark = element.mark();
    constraint.type = ConstraintData::Type::coupling;
    constraint.terms = first.terms;
    constraint.offset = first.reference + a[0];
    if (second) subtract(element, a, *second, constraint);
    element.note_used("coupling of coordinates");
    context_.robot.constraints.push_back(std::move(constraint));
  }

  /// a1 (x - x0) + ... to the other side. A power of a sum of several coordinates is no sum of
  /// powers.
  void subtract(const XmlElement& element, const std::vector<double>& a, const MjcfSum& x,
                ConstraintData& constraint) {
    std::vector<double> higher;
    for (std::size_t k = 2; k < a.size(); ++k) higher.push_back(-a[k]);
    while (!higher.empty() && higher.back() == 0) higher.pop_back();
    if (!higher.empty() && x.terms.size() > 1) {
      element.complain(
          "polycoef has terms of second order or higher in a weighted sum of several coordinates",
          "a linear coupling, a0 a1 0 0 0, or a second tendon over one joint");
      return;
    }
    if (higher.empty()) constraint.offset -= a[1] * x.reference;
    for (ConstraintData::Term term : x.terms) {
      const double shift = higher.empty() ? 0 : -x.reference;
      const std::vector<double> p = substituted(-a[1], higher, term.factor, shift);
      term.factor = p[1];
      term.higher.assign(p.begin() + 2, p.end());
      constraint.offset -= p[0];
      if (term.factor != 0 || !term.higher.empty()) constraint.terms.push_back(std::move(term));
    }
  }

  void couple_joints(const XmlElement& element, pugi::xml_node node) {
    context_.account(element, node, {"active", "joint1", "joint2", "polycoef"});
    const std::optional<MjcfSum> first = mjcf_joint_sum(context_, element, "joint1");
    if (!first) return;
    if (!element.has("joint2")) return couple(element, *first, nullptr);
    if (const std::optional<MjcfSum> second = mjcf_joint_sum(context_, element, "joint2"))
      couple(element, *first, &*second);
  }

  void couple_tendons(const XmlElement& element, pugi::xml_node node) {
    context_.account(element, node, {"active", "tendon1", "tendon2", "polycoef"});
    const auto find = [&](const char* attribute) -> const MjcfSum* {
      const std::string tendon = element.needed_text(attribute);
      const auto known = tendons_.find(tendon);
      if (known != tendons_.end()) return &known->second;
      if (!tendon.empty()) complain_unknown(element, "fixed tendon", tendon, tendons_);
      return nullptr;
    };
    const MjcfSum* first = find("tendon1");
    if (!first) return;
    if (!element.has("tendon2")) return couple(element, *first, nullptr);
    if (const MjcfSum* second = find("tendon2")) couple(element, *first, second);
  }

  JointData begun(const XmlElement& element, const char* kind) {
    JointData joint;
    joint.name = name(element, kind);
    joint.mark = element.mark();
    joint.cut = true;
    return joint;
  }

  std::string name(const XmlElement& element, const char* kind) {
    std::string name = element.text("name");
    if (name.empty()) name = fmt::format("{}{}", kind, ++unnamed_);
    const auto taken = [&] {
      const auto same = [&](const auto& other) { return other.name == name; };
      return std::any_of(context_.robot.joints.begin(), context_.robot.joints.end(), same) ||
             std::any_of(context_.robot.constraints.begin(), context_.robot.constraints.end(),
                         same);
    };
    while (taken()) name += "_";
    return name;
  }

  void finish(const XmlElement& element, JointData joint) {
    element.note_used(fmt::format("{} joint that closes a loop from {} to {}", name_of(joint.type),
                                  in_quotes(joint.parent), in_quotes(joint.child)));
    context_.robot.joints.push_back(std::move(joint));
  }

  const MjcfBody* body(const XmlElement& element, const char* attribute) {
    return find(element, attribute, "body", context_.bodies);
  }
  const MjcfSite* site(const XmlElement& element, const char* attribute) {
    return find(element, attribute, "site", context_.sites);
  }

  template <class Known>
  const typename Known::mapped_type* find(const XmlElement& element, const char* attribute,
                                          const char* what, const Known& known) {
    const std::string wanted = element.needed_text(attribute);
    const auto found = known.find(wanted);
    if (found != known.end()) return &found->second;
    if (!wanted.empty()) complain_unknown(element, what, wanted, known);
    return nullptr;
  }

  MjcfContext& context_;
  std::map<std::string, MjcfSum> tendons_;
  int unnamed_ = 0;
};

/// The first of the numbers in a list: all that a joint of one degree, or a fixed gain, uses.
double first_number(const XmlElement& element, const char* attribute, double fallback) {
  const std::string text(trimmed(element.text(attribute)));
  std::from_chars(text.data(), text.data() + text.size(), fallback);
  return fallback;
}

/// The largest force that an actuator can have at its joint; infinite where nothing bounds it.
double effort_bound(const XmlElement& actuator, bool automatic) {
  const auto largest = [&](const char* range, const char* flag) {
    const std::string limited = actuator.has(flag) ? actuator.text(flag) : "auto";
    if (!actuator.has(range) || limited == "false" || (limited == "auto" && !automatic))
      return DegreeData::unlimited;
    const std::vector<double> ends = actuator.numbers(range, 2);
    return std::max(std::abs(ends[0]), std::abs(ends[1]));
  };
  double bound = largest("forcerange", "forcelimited");
  // Only of a motor is the control a force, and of what is a motor written out.
  const auto plain = [&](const char* attribute, const std::string& value) {
    return !actuator.has(attribute) || actuator.text(attribute) == value;
  };
  if (actuator.tag() == "motor")
    bound = std::min(bound, largest("ctrlrange", "ctrllimited"));
  else if (actuator.tag() == "general" && plain("dyntype", "none") && plain("gaintype", "fixed") &&
           plain("biastype", "none"))
    bound = std::min(bound, std::abs(first_number(actuator, "gainprm", 1)) *
                                largest("ctrlrange", "ctrllimited"));
  return bound;
}

}  // namespace

void read_mjcf_equalities(MjcfContext& context, pugi::xml_node root) {
  EqualityReader(context, root).run(root.child("equality"));
}

void read_mjcf_actuators(MjcfContext& context, pugi::xml_node root) {
  for (const pugi::xml_node node : root.child("actuator").children()) {
    if (node.type() != pugi::node_element) continue;
    const XmlElement actuator = context.element(node);
    std::set<std::string> used = {"joint",       "jointinparent", "gear",
                                  "forcerange",  "forcelimited",  "ctrlrange",
                                  "ctrllimited", "armature",      "damping"};
    if (actuator.tag() == "general") used.insert({"gainprm", "gaintype", "biastype", "dyntype"});
    context.account(actuator, node, used);
    const double armature = actuator.number("armature", 0), damping = actuator.number("damping", 0);
    const auto refuse_inertia = [&](const char* where) {
      if (armature != 0 || damping != 0)
        actuator.complain(fmt::format("armature or damping of an actuator {} is not read", where),
                          "an actuator of a hinge or a slide");
    };
    const char* attribute = actuator.has("joint") ? "joint" : "jointinparent";
    const auto known = context.joints.find(actuator.text(attribute));
    if (known == context.joints.end()) {
      if (actuator.has(attribute))
        actuator.complain("there is no joint " + in_quotes(actuator.text(attribute)),
                          "a joint of this model");
      else
        actuator.note_ignored("actuator ignored: it does not act on a single joint");
      refuse_inertia("that does not act on a single joint");
      continue;
    }
    JointData& joint = context.robot.joints[known->second.index];
    if (joint.degrees.size() != 1) {
      actuator.note_ignored("actuator of a joint with several degrees ignored");
      refuse_inertia("of a joint with several degrees");
      continue;
    }
    const double gear = first_number(actuator, "gear", 1);
    // What the actuator adds is behind its gear.
    joint.degrees[0].rotor_inertia += gear * gear * armature;
    joint.degrees[0].damping += gear * gear * damping;
    const double bound =
        effort_bound(actuator, context.settings.limits_follow_range) * std::abs(gear);
    if (std::isfinite(bound))
      joint.degrees[0].effort_limit = std::min(joint.degrees[0].effort_limit, bound);
    actuator.note_used(
        std::isfinite(bound)
            ? fmt::format("motor of joint {}, effort up to {:.6g}", in_quotes(joint.name), bound)
            : fmt::format("motor of joint {}", in_quotes(joint.name)));
  }
}

}  // namespace ulna
