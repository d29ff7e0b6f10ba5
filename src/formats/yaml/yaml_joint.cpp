#include "yaml/yaml_joint.hpp"

#include <fmt/format.h>

#include "orientation.hpp"
#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/model/parts/placement.hpp"
#include "wording.hpp"
#include "yaml/yaml_parts.hpp"

namespace ulna {

namespace {

class JointReader {
 public:
  JointReader(YamlContext& context, const YamlNode& node, const ZeroPoses& zero_poses)
      : context_(context),
        zero_poses_(zero_poses),
        map_(context, node, "joint",
             {"name",   "type",    "parent",       "child",    "axis",  "axis2",
              "pitch",  "at",      "on_child",     "child_at", "dh",    "screw_axis",
              "limits", "damping", "friction",     "spring",   "rotor", "mimic",
              "cut",    "drive",   "transmission", "bushings"}) {}

  JointData read() {
    joint_.mark = map_.mark();
    joint_.name = map_.needed_text("name", "the joint's name");
    if (!read_type()) return joint_;
    joint_.parent = map_.needed_text("parent", "the name of a body, or world");
    joint_.child = map_.needed_text("child", "the name of a body");
    read_placement();
    read_axes();
    joint_.degrees.resize(traits_->speeds.size());
    read_degrees();
    read_mimic();
    joint_.cut = map_.boolean("cut", false);
    read_bushings();
    return joint_;
  }

 private:
  bool read_type() {
    const std::string name = map_.needed_text("type", one_of(joint_type_names()));
    if (name.empty()) return false;
    const std::optional<JointType> type = joint_type_from_name(name);
    if (!type) {
      map_.complain("type", "unknown joint type " + in_quotes(name), one_of(joint_type_names()),
                    nearest_name_hint(name, joint_type_names()));
      return false;
    }
    joint_.type = *type;
    traits_ = &traits_of(*type);
    return true;
  }

  // ---- where the joint is -----------------------------------------------------------------------

  void read_placement() {
    const bool by_pose = map_.has("at") || map_.has("child_at") || map_.has("on_child");
    if (int(by_pose) + int(map_.has("dh")) + int(map_.has("screw_axis")) > 1) {
      map_.complain({}, "the joint is placed in several ways",
                    "one of at (with child_at), dh or screw_axis");
      return;
    }
    if (map_.has("dh")) return read_dh();
    if (map_.has("screw_axis")) return read_screw_axis();
    joint_.X_PF = read_pose(context_, map_, "at");
    if (map_.has("on_child") && map_.has("child_at"))
      map_.complain("on_child", "on_child says the same as child_at, the other way round",
                    "one of them");
    joint_.X_MC = map_.has("on_child") ? read_pose(context_, map_, "on_child").inverse()
                                       : read_pose(context_, map_, "child_at");
  }

  void place(const Placement& placement) {
    joint_.X_PF = {without_negative_zeros(placement.X_PF.rotation), placement.X_PF.position};
    joint_.X_MC = {without_negative_zeros(placement.X_MC.rotation), placement.X_MC.position};
  }

  void read_dh() {
    const YamlMap dh(context_, *map_.find("dh"), map_.element() + ", dh",
                     {"convention", "theta", "d", "a", "alpha", "b"});
    const std::vector<std::string> conventions = {"standard", "modified", "extended"};
    const std::string convention = dh.needed_text("convention", one_of(conventions));
    const double theta = dh.number("theta", quantity::angle, 0);
    const double d = dh.number("d", quantity::length, 0);
    const double a = dh.number("a", quantity::length, 0);
    const double alpha = dh.number("alpha", quantity::angle, 0);
    const double b = dh.number("b", quantity::length, 0);
    if (!traits_->keys.single_axis)
      map_.complain("dh", fmt::format("a {} joint has no single axis", name_of(joint_.type)),
                    "at and child_at");
    if (convention != "extended" && dh.has("b"))
      dh.complain("b", "the shift b belongs to the extended convention only",
                  "convention: extended");
    if (convention == "standard")
      place(standard_dh(theta, d, a, alpha));
    else if (convention == "modified")
      place(modified_dh(theta, d, a, alpha));
    else if (convention == "extended")
      place(extended_dh(theta, d, b, a, alpha));
    else if (!convention.empty())
      dh.complain("convention", "unknown convention " + in_quotes(convention), one_of(conventions),
                  nearest_name_hint(convention, conventions));
  }

  void read_screw_axis() {
    const YamlMap screw(context_, *map_.find("screw_axis"), map_.element() + ", screw_axis",
                        {"direction", "point"});
    const YamlNode* given = screw.need("direction", "the axis in the base frame at q = 0");
    const Vector3<double> direction =
        screw.vector("direction", quantity::number, Vector3<double>::UnitZ());
    const Vector3<double> point = screw.vector("point", quantity::length, Vector3<double>::Zero());
    if (given && given->items.size() == 3 && !(direction.stableNorm() > 0))
      screw.complain("direction", "the direction is zero", "a direction such as [0, 0, 1]");
    if (!traits_->keys.single_axis)
      map_.complain("screw_axis",
                    fmt::format("a {} joint has no single axis", name_of(joint_.type)),
                    "at and child_at");
    const std::optional<Pose<double>> X_WP = zero_pose(joint_.parent);
    const std::optional<Pose<double>> X_WC = zero_pose(joint_.child);
    if (X_WP && X_WC && direction.stableNorm() > 0)
      place(screw_axis(direction, point, *X_WP, *X_WC));
  }

  std::optional<Pose<double>> zero_pose(const std::string& body) {
    if (body == world_name) return Pose<double>::identity();
    const auto found = zero_poses_.find(body);
    if (found != zero_poses_.end()) return found->second;
    map_.complain("screw_axis", fmt::format("body {} has no at_zero", in_quotes(body)),
                  "the body's pose in the base frame at q = 0",
                  "at_zero: [0, 0, 0] puts it on the base frame");
    return std::nullopt;
  }

  void read_axes() {
    const auto refuse = [&](const char* key, const std::string& why) {
      if (map_.has(key)) map_.complain(key, why);
    };
    const JointKeys& keys = traits_->keys;
    if (!keys.axis) refuse("axis", fmt::format("a {} joint has no axis", traits_->name));
    for (const char* placed : {"dh", "screw_axis"})
      if (map_.has(placed)) refuse("axis", fmt::format("{} already defines the axis", placed));
    if (keys.axis) joint_.axis = map_.vector("axis", quantity::number, joint_.axis);

    if (keys.axis2)
      joint_.axis2 = map_.vector("axis2", quantity::number, joint_.axis2);
    else
      refuse("axis2", "only a universal joint has a second axis");
    if (keys.pitch) {
      map_.need("pitch", std::string("the advance per turn, such as ") + quantity::pitch.example);
      joint_.pitch = map_.number("pitch", quantity::pitch, 0);
    } else {
      refuse("pitch", "only a screw joint has a pitch");
    }
  }

  // ---- what acts along it -----------------------------------------------------------------------

  // One value for all degrees of freedom, or a list with one for each. Only limits may be `none`.
  void read_per_degree(const YamlMap& map, const char* key, double DegreeData::*member,
                       const Quantity& turning, const Quantity& sliding, bool may_be_none = false) {
    const YamlNode* node = map.find(key);
    if (!node) return;
    const std::string element = map.element() + ", " + key;
    const bool list = node->kind == YamlNode::Kind::sequence;
    if (list && node->items.size() != joint_.degrees.size()) {
      context_.problems.add(context_.mark(*node), element, "found " + describe(*node),
                            fmt::format("one value for each of the {} degrees of freedom of a {} "
                                        "joint, or a single value",
                                        joint_.degrees.size(), traits_->name));
      return;
    }
    const std::size_t before = context_.problems.count();
    for (std::size_t i = 0; i < joint_.degrees.size(); ++i) {
      const YamlNode& value = list ? node->items[i] : *node;
      if (may_be_none && value.kind == YamlNode::Kind::scalar && value.text == "none") continue;
      joint_.degrees[i].*member =
          read_number(context_, value, element, slides(i) ? sliding : turning);
      if (!list && context_.problems.count() > before) return;  // say it once
    }
  }

  void read_degrees() {
    if (joint_.degrees.empty()) {
      for (const char* key : {"limits", "damping", "friction", "spring", "rotor"})
        if (map_.has(key)) map_.complain(key, fmt::format("a fixed joint has no {}", key));
      return;
    }
    read_per_degree(map_, "damping", &DegreeData::damping, quantity::angular_damping,
                    quantity::damping);
    read_per_degree(map_, "friction", &DegreeData::friction, quantity::torque, quantity::force);
    if (const YamlNode* node = map_.find("limits")) {
      const YamlMap limits(context_, *node, map_.element() + ", limits",
                           {"lower", "upper", "velocity", "effort"});
      read_per_degree(limits, "lower", &DegreeData::lower, quantity::angle, quantity::length, true);
      read_per_degree(limits, "upper", &DegreeData::upper, quantity::angle, quantity::length, true);
      read_per_degree(limits, "velocity", &DegreeData::velocity_limit, quantity::angular_velocity,
                      quantity::velocity, true);
      read_per_degree(limits, "effort", &DegreeData::effort_limit, quantity::torque,
                      quantity::force, true);
    }
    if (const YamlNode* node = map_.find("spring")) {
      const YamlMap spring(context_, *node, map_.element() + ", spring",
                           {"stiffness", "rest", "hardening", "backlash"});
      spring.need("stiffness", "the spring's stiffness");
      read_per_degree(spring, "hardening", &DegreeData::hardening, quantity::angular_hardening,
                      quantity::hardening);
      read_per_degree(spring, "backlash", &DegreeData::backlash, quantity::angle, quantity::length);
      read_per_degree(spring, "stiffness", &DegreeData::stiffness, quantity::angular_stiffness,
                      quantity::stiffness);
      read_per_degree(spring, "rest", &DegreeData::rest, quantity::angle, quantity::length);
    }
    if (const YamlNode* node = map_.find("rotor")) {
      const YamlMap rotor(context_, *node, map_.element() + ", rotor", {"inertia", "gear_ratio"});
      read_per_degree(rotor, "inertia", &DegreeData::rotor_inertia, quantity::inertia,
                      quantity::inertia);
      read_per_degree(rotor, "gear_ratio", &DegreeData::gear_ratio, quantity::number,
                      quantity::gear_ratio_to_length);
    }
  }

  void read_mimic() {
    const YamlNode* node = map_.find("mimic");
    if (!node) return;
    const YamlMap map(context_, *node, map_.element() + ", mimic",
                      {"joint", "multiplier", "offset"});
    Mimic mimic;
    mimic.joint = map.needed_text("joint", "the name of the joint to follow");
    mimic.multiplier = map.number("multiplier", quantity::number, 1);
    mimic.offset =
        map.number("offset", first_slides(joint_.type) ? quantity::length : quantity::angle, 0);
    joint_.mimic = mimic;
  }

  // A number, or `rigid`.
  double read_hold(const YamlMap& map, const char* key, const Quantity& quantity) {
    return map.text(key) == "rigid" ? BushingData::rigid : map.number(key, quantity, 0);
  }

  void read_bushings() {
    const YamlNode* node = map_.find("bushings");
    if (!node) return;
    const std::string element = map_.element() + ", bushings";
    for (const YamlNode& item : read_list(context_, *node, element)) {
      const YamlMap map(context_, item, element, {"on", "at", "stiffness", "tilting", "torsion"});
      BushingData bushing;
      bushing.mark = map.mark();
      const std::string side = map.text("on");
      if (side == "parent") bushing.on = BushingData::Side::parent;
      if (side == "child") bushing.on = BushingData::Side::child;
      if (!side.empty() && bushing.on == BushingData::Side::automatic)
        map.complain("on", "found " + in_quotes(side), "parent or child");
      bushing.at = map.number("at", quantity::length, 0);
      if (map.has("stiffness"))
        bushing.stiffness = read_hold(map, "stiffness", quantity::stiffness);
      if (map.has("tilting"))
        bushing.tilting = read_hold(map, "tilting", quantity::angular_stiffness);
      if (map.has("torsion"))
        bushing.torsion = read_hold(map, "torsion", quantity::angular_stiffness);
      joint_.bushings.push_back(bushing);
    }
  }

  bool slides(std::size_t degree) const {
    return traits_->speeds[degree].dimension == Dimension::length;
  }

  YamlContext& context_;
  const ZeroPoses& zero_poses_;
  YamlMap map_;
  JointData joint_;
  const JointTraits* traits_ = nullptr;
};

}  // namespace

bool first_slides(JointType type) {
  const std::span<const Degree> speeds = traits_of(type).speeds;
  return !speeds.empty() && speeds[0].dimension == Dimension::length;
}

JointData read_joint(YamlContext& context, const YamlNode& node, const ZeroPoses& zero_poses) {
  return JointReader(context, node, zero_poses).read();
}

}  // namespace ulna
