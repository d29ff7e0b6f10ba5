// Loops in a URDF, which has no word for them: the elements that are in use, docs/formats.md,
// "Loops in URDF".

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/spatial/rotation.hpp"
#include "urdf/urdf_parts.hpp"
#include "wording.hpp"

namespace ulna {

namespace {

struct TypeName {
  const char* name;
  JointType type;
};
constexpr TypeName loop_types[] = {
    {"revolute", JointType::revolute},   {"continuous", JointType::revolute},
    {"prismatic", JointType::prismatic}, {"spherical", JointType::spherical},
    {"ball", JointType::spherical},      {"cylindrical", JointType::cylindrical},
    {"planar", JointType::planar},       {"fixed", JointType::fixed},
    {"universal", JointType::universal}};

std::vector<std::string> loop_type_names() {
  std::vector<std::string> names;
  for (const TypeName& known : loop_types) names.emplace_back(known.name);
  return names;
}

class LoopReader {
 public:
  LoopReader(const Robot& robot, XmlContext& context) : robot_(robot), context_(context) {}

  std::vector<JointData> run(pugi::xml_node node) {
    for (const pugi::xml_node loop : node.children("loop_joint"))
      loop_joint({context_, loop, "loop_joint " + in_quotes(loop.attribute("name").value())});
    for (const pugi::xml_node ball : node.children("drake:ball_constraint"))
      ball_constraint({context_, ball, "drake:ball_constraint"});
    for (const pugi::xml_node cut : node.children("constraint"))
      constraint({context_, cut, "constraint " + in_quotes(cut.attribute("name").value())});
    return std::move(joints_);
  }

 private:
  /// Two links, each with the pose of the joint on it; or parent and child, as a joint has them.
  void loop_joint(const XmlElement& element) {
    element.expect({"name", "type"},
                   {"link2", "parent", "child", "origin", "parent_origin", "child_origin", "axis",
                    "axis2", "limit", "dynamics"},
                   {"link1"});
    JointData joint = begun(element, element.needed_text("name"));
    if (!read_type(element, joint)) return;
    read_axis(element, joint);
    if (element.child("link1"))
      two_links(element, joint);
    else
      parent_and_child(element, joint);
    if (joint.degrees.size() == 1)
      read_urdf_degree(element, element.text("type") == "continuous", joint.degrees[0]);
    finish(element, std::move(joint));
  }

  /// Proposed to the URDF parser in 2026: a joint that was cut, with a frame and an axis on each of
  /// its links.
  void constraint(const XmlElement& element) {
    element.expect({"name", "type"}, {"parent", "parent_origin", "parent_axis", "child",
                                      "child_origin", "child_axis", "limit", "dynamics"});
    JointData joint = begun(element, element.needed_text("name"));
    if (!read_type(element, joint)) return;
    const XmlElement parent = element.needed_child("parent"), child = element.needed_child("child");
    if (!parent || !child) return;
    for (const XmlElement& end : {parent, child}) end.expect({"link"});
    joint.parent = parent.needed_text("link");
    joint.child = child.needed_text("link");
    joint.X_PF = placed(element, "parent_origin");
    Pose<double> X_CM = placed(element, "child_origin");
    X_CM.rotation = X_CM.rotation * read_axes(element, joint);
    joint.X_MC = X_CM.inverse();
    if (joint.degrees.size() == 1)
      read_urdf_degree(element, element.text("type") == "continuous" || !element.child("limit"),
                       joint.degrees[0]);
    finish(element, std::move(joint));
  }

  static Pose<double> placed(const XmlElement& element, const char* tag) {
    const XmlElement origin = element.child(tag);
    if (!origin) return {};
    origin.expect({"xyz", "rpy", "quat_xyzw"});
    return origin.pose();
  }

  /// The axes of a <constraint>; returns the turn of the joint's frame on the child that makes its
  /// axis there the one on the parent.
  static Matrix3<double> read_axes(const XmlElement& element, JointData& joint) {
    const JointKeys& keys = traits_of(joint.type).keys;
    const XmlElement on_parent = element.child("parent_axis"),
                     on_child = element.child("child_axis");
    for (const XmlElement& axis : {on_parent, on_child})
      if (axis) axis.expect({"xyz"});
    const Vector3<double> x = Vector3<double>::UnitX();
    if (keys.axis2) {
      joint.axis = element.needed_child("parent_axis").vector("xyz", x);
      joint.axis2 = element.needed_child("child_axis").vector("xyz", Vector3<double>::UnitY());
      return Matrix3<double>::Identity();
    }
    if (!keys.axis) return Matrix3<double>::Identity();
    if (!on_parent && !on_child)
      element.note_used("no <parent_axis>: (1, 0, 0) by the rule of URDF");
    joint.axis = (on_parent ? on_parent : on_child).vector("xyz", x);
    const Vector3<double> other = (on_child ? on_child : on_parent).vector("xyz", x);
    if (other == joint.axis || !(other.norm() > 0) || !(joint.axis.norm() > 0))
      return Matrix3<double>::Identity();
    return turn_between(joint.axis, other);
  }

  static bool read_type(const XmlElement& element, JointData& joint) {
    const std::string type = element.needed_text("type");
    const auto known = std::find_if(std::begin(loop_types), std::end(loop_types),
                                    [&](const TypeName& t) { return type == t.name; });
    if (known == std::end(loop_types)) {
      if (!type.empty())
        element.complain("no loop can be closed by a joint of type " + in_quotes(type),
                         one_of(loop_type_names()), nearest_name_hint(type, loop_type_names()));
      return false;
    }
    joint.type = known->type;
    joint.degrees.resize(static_cast<std::size_t>(size_of(joint.type).speeds));
    return true;
  }

  /// Some writers say link1 twice.
  void two_links(const XmlElement& element, JointData& joint) {
    const std::vector<XmlElement> first = element.children("link1");
    const XmlElement second = first.size() > 1 ? first[1] : element.needed_child("link2");
    if (!second) return;
    for (const XmlElement& end : {first[0], second})
      end.expect({"link", "xyz", "rpy", "quat_xyzw"});
    joint.parent = first[0].needed_text("link");
    joint.child = second.needed_text("link");
    joint.X_PF = first[0].pose();
    joint.X_MC = second.pose().inverse();
  }

  void parent_and_child(const XmlElement& element, JointData& joint) {
    const XmlElement parent = element.needed_child("parent"), child = element.needed_child("child");
    if (!parent || !child) return;
    parent.expect({"link"});
    child.expect({"link"});
    joint.parent = parent.needed_text("link");
    joint.child = child.needed_text("link");
    const XmlElement on_parent =
        element.child("parent_origin") ? element.child("parent_origin") : element.child("origin");
    const XmlElement on_child = element.child("child_origin");
    if (on_parent) joint.X_PF = on_parent.pose();
    Pose<double> X_CM = on_child ? on_child.pose() : Pose<double>();
    // Files of this kind give points: the frames then agree where all coordinates are zero.
    if (!on_child || !(on_child.has("rpy") || on_child.has("quat_xyzw"))) {
      const Pose<double> X_CP = at_zero(joint.child).inverse() * at_zero(joint.parent);
      X_CM.rotation = X_CP.rotation * joint.X_PF.rotation;
      if (!on_child) X_CM.position = X_CP * joint.X_PF.position;
      element.note_used(on_child ? "no rpy of <child_origin>: turned as at zero coordinates"
                                 : "no <child_origin>: the loop is closed at zero coordinates");
    }
    joint.X_MC = X_CM.inverse();
  }

  void ball_constraint(const XmlElement& element) {
    const auto tag = [](const char* what) { return std::string("drake:ball_constraint_") + what; };
    element.expect({"name"}, {tag("body_A"), tag("body_B"), tag("p_AP"), tag("p_BQ")});
    const XmlElement A = element.needed_child(tag("body_A").c_str()),
                     B = element.needed_child(tag("body_B").c_str());
    if (!A || !B) return;
    JointData joint = begun(element, element.text("name"));
    if (joint.name.empty()) joint.name = fmt::format("ball_constraint_{}", ++unnamed_);
    joint.type = JointType::spherical;
    joint.degrees.resize(3);
    joint.parent = A.needed_text("name");
    joint.child = B.needed_text("name");
    const Vector3<double> zero = Vector3<double>::Zero();
    if (const XmlElement p = element.child(tag("p_AP").c_str()))
      joint.X_PF.position = p.vector("value", zero);
    if (const XmlElement p = element.child(tag("p_BQ").c_str()))
      joint.X_MC.position = -p.vector("value", zero);
    finish(element, std::move(joint));
  }

  static JointData begun(const XmlElement& element, std::string name) {
    JointData joint;
    joint.mark = element.mark();
    joint.name = std::move(name);
    joint.cut = true;
    return joint;
  }

  /// As of a <joint>, in the axes of the joint on its first link.
  static void read_axis(const XmlElement& element, JointData& joint) {
    const bool with_axis = traits_of(joint.type).keys.axis;
    const XmlElement axis = element.child("axis");
    if (axis && !with_axis)
      axis.note_ignored("<axis> ignored: this joint has none");
    else if (axis) {
      axis.expect({"xyz", "frame"});
      joint.axis = axis.vector("xyz", Vector3<double>::UnitX());
      if (axis.has("frame") && axis.text("frame") != "parent")
        axis.complain("the axis is in the frame " + in_quotes(axis.text("frame")),
                      "frame=\"parent\"");
    } else if (with_axis) {
      joint.axis = Vector3<double>::UnitX();
      element.note_used("no <axis>: (1, 0, 0) by the rule of URDF");
    }
    if (!traits_of(joint.type).keys.axis2) return;
    if (const XmlElement second = element.needed_child("axis2"))
      joint.axis2 = second.vector("xyz", Vector3<double>::UnitY());
  }

  void finish(const XmlElement& element, JointData joint) {
    std::vector<std::string> links;
    for (const BodyData& body : robot_.bodies) links.push_back(body.name);
    for (const std::string& end : {joint.parent, joint.child})
      if (std::find(links.begin(), links.end(), end) == links.end()) {
        if (!end.empty())
          element.complain("there is no link " + in_quotes(end), "a link of this robot",
                           nearest_name_hint(end, links));
        return;
      }
    const auto same = [&](const JointData& other) { return other.name == joint.name; };
    if (std::any_of(robot_.joints.begin(), robot_.joints.end(), same) ||
        std::any_of(joints_.begin(), joints_.end(), same)) {
      element.complain("the name " + in_quotes(joint.name) + " is taken by another joint",
                       "names that differ");
      return;
    }
    element.note_used(fmt::format("{} joint that closes a loop from {} to {}", name_of(joint.type),
                                  in_quotes(joint.parent), in_quotes(joint.child)));
    joints_.push_back(std::move(joint));
  }

  /// The pose of a link in the root where all coordinates are zero.
  Pose<double> at_zero(const std::string& link) const {
    Pose<double> X;
    std::string at = link;
    for (std::size_t most = robot_.joints.size(); most > 0; --most) {
      const auto up =
          std::find_if(robot_.joints.begin(), robot_.joints.end(),
                       [&](const JointData& joint) { return joint.child == at && !joint.cut; });
      if (up == robot_.joints.end()) break;
      X = up->X_PF * X;
      at = up->parent;
    }
    return X;
  }

  const Robot& robot_;
  XmlContext& context_;
  std::vector<JointData> joints_;
  int unnamed_ = 0;
};

}  // namespace

const char* urdf_loop_type(JointType type) {
  for (const TypeName& known : loop_types)
    if (known.type == type) return known.name;
  return nullptr;
}

std::vector<JointData> read_urdf_loops(XmlContext& context, pugi::xml_node robot_node,
                                       const Robot& tree) {
  return LoopReader(tree, context).run(robot_node);
}

}  // namespace ulna
