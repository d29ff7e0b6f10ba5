// A robot as SDF, of version 1.9. Links are placed where the loops are closed; joints have one
// frame, on the child, and count from that placement. Joints of several degrees that SDF has no
// type for become chains with massless links between.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "orientation.hpp"
#include "ulna/model/joints/joint_traits.hpp"
#include "wording.hpp"
#include "write/written_tree.hpp"

namespace ulna {
namespace {

using Kind = WrittenJoint::Kind;

class SdfWriter {
 public:
  explicit SdfWriter(WrittenTree tree) : tree_(std::move(tree)) {}

  WrittenRobot run() {
    const Robot& robot = tree_.robot();
    pugi::xml_node sdf = document_.append_child("sdf");
    sdf.append_attribute("version") = "1.9";
    pugi::xml_node outer = sdf;
    if (robot.gravity != Robot().gravity) {
      outer = sdf.append_child("world");
      outer.append_attribute("name") = "world_of_robot";
      say(outer, "gravity", xml_numbers(robot.gravity));
    }
    model_ = outer.append_child("model");
    model_.append_attribute("name") = robot.name.c_str();
    for (const WrittenBody& body : tree_.bodies) add_name(body);
    for (const WrittenBody& body : tree_.bodies) add_body(body);
    for (const FrameData& frame : robot.frames) add_frame(frame);
    for (const WrittenClosing& closing : tree_.closing) close_loop(closing);
    if (!tree_.closed_at_neutral)
      tree_.lose({robot.source}, "robot " + in_quotes(robot.name),
                 "its loops are open where all coordinates are zero; the joints of the file count "
                 "from a posture that closes them");
    for (const ElementData& element : tree_.robot().elements) lose_element(tree_, element);
    lose_rest();
    std::ostringstream out;
    document_.save(out, "  ");
    return {out.str(), std::move(tree_.lost)};
  }

 private:
  static pugi::xml_node say(pugi::xml_node node, const char* tag, const std::string& text) {
    pugi::xml_node child = node.append_child(tag);
    child.text() = text.c_str();
    return child;
  }

  static void place(pugi::xml_node node, const Pose<double>& X, const std::string& relative = {}) {
    Eigen::Matrix<double, 6, 1> pose;
    pose << X.position, rpy_of(X.rotation);
    if (relative.empty() && pose.isZero(0)) return;
    pugi::xml_node child = say(node, "pose", xml_numbers(pose));
    if (!relative.empty()) child.append_attribute("relative_to") = relative.c_str();
  }

  /// Names of nested models, "hand::palm", are not allowed in a file.
  static std::string plain(std::string name) {
    for (std::size_t at = name.find("::"); at != std::string::npos; at = name.find("::", at))
      name.replace(at, 2, "__");
    return name;
  }

  void add_name(const WrittenBody& body) {
    names_.insert(plain(body.name));
    if (plain(body.name) != body.name)
      tree_.lose(body.data->mark, "body " + in_quotes(body.name),
                 "is called " + in_quotes(plain(body.name)));
  }

  /// Links, joints and frames of SDF share their names.
  std::string unique(std::string name, const char* ending) {
    name = plain(name);
    while (!names_.insert(name).second) name += ending;
    return name;
  }

  static std::string why_renamed(const std::string& name) {
    return plain(name) == name ? ": a link or joint has its name" : "";
  }

  static std::string frame_of(const std::string& body) {
    return body == world_name ? "__model__" : plain(body);
  }

  // ---- links ------------------------------------------------------------------------------------

  pugi::xml_node add_link(const std::string& name, const std::string& parent,
                          const Pose<double>& X_PC, const Inertial& I) {
    pugi::xml_node link = model_.append_child("link");
    link.append_attribute("name") = plain(name).c_str();
    place(link, X_PC, frame_of(parent));
    pugi::xml_node inertial = link.append_child("inertial");
    place(inertial, Pose<double>::translation(I.centre));
    say(inertial, "mass", xml_number(I.mass));
    pugi::xml_node inertia = inertial.append_child("inertia");
    const struct {
      const char* name;
      double value;
    } entries[] = {{"ixx", I.inertia(0, 0)}, {"ixy", I.inertia(0, 1)}, {"ixz", I.inertia(0, 2)},
                   {"iyy", I.inertia(1, 1)}, {"iyz", I.inertia(1, 2)}, {"izz", I.inertia(2, 2)}};
    for (const auto& entry : entries) say(inertia, entry.name, xml_number(entry.value));
    return link;
  }

  void add_body(const WrittenBody& body) {
    const bool universal = body.joints.size() == 2 && body.joints[0].kind == Kind::hinge &&
                           body.joints[1].kind == Kind::hinge;
    std::string from = body.parent;
    Pose<double> X_PF = body.X_PF;
    if (!universal)
      for (std::size_t k = 0; k + 1 < body.joints.size(); ++k) {
        // A massless link at the joint's frame, moved by this part.
        const std::string between = unique(fmt::format("{}_{}", body.name, k + 1), "_");
        const Pose<double> X = X_PF * part_pose(body, k);
        add_link(between, from, X, {});
        add_joint(body.joints[k], from, between, {});
        from = between;
        X_PF = {};
      }
    Pose<double> X_PC = X_PF;
    if (!body.joints.empty() && !universal) X_PC = X_PC * part_pose(body, body.joints.size() - 1);
    if (universal) X_PC = X_PC * part_pose(body, 0) * part_pose(body, 1);
    X_PC = X_PC * body.X_MC;
    pugi::xml_node link = add_link(body.name, from, X_PC, body.inertial);
    for (const Geometry& shape : body.data->geometry) add_shape(link, body, shape);
    const Pose<double> X_CM = body.X_MC.inverse();
    if (body.joints.empty())
      joint_node(body.joint, "fixed", from, body.name, X_CM);
    else if (universal)
      add_universal(body, X_CM);
    else
      add_joint(body.joints.back(), from, body.name, X_CM);
  }

  /// M in F of the k-th part at the posture of the file.
  Pose<double> part_pose(const WrittenBody& body, std::size_t k) const {
    WrittenBody alone = body;
    alone.X_PF = alone.X_MC = {};
    alone.joints = {body.joints[k]};
    return pose_on_parent(tree_, alone, tree_.posture);
  }

  void add_shape(pugi::xml_node link, const WrittenBody& body, const Geometry& shape) {
    using Shape = Geometry::Shape;
    const bool visual = shape.use == Geometry::Use::visual;
    pugi::xml_node node = link.append_child(visual ? "visual" : "collision");
    node.append_attribute("name") = fmt::format("{}_{}", plain(body.name), ++shapes_).c_str();
    place(node, shape.X_BG);
    pugi::xml_node geometry = node.append_child("geometry");
    if (shape.shape == Shape::box) {
      say(geometry.append_child("box"), "size", xml_numbers(shape.size));
    } else if (shape.shape == Shape::sphere) {
      say(geometry.append_child("sphere"), "radius", xml_number(shape.size.x()));
    } else if (shape.shape == Shape::mesh) {
      pugi::xml_node mesh = geometry.append_child("mesh");
      say(mesh, "uri", shape.mesh);
      say(mesh, "scale", xml_numbers(shape.scale));
    } else {
      pugi::xml_node round =
          geometry.append_child(shape.shape == Shape::capsule ? "capsule" : "cylinder");
      say(round, "radius", xml_number(shape.size.x()));
      say(round, "length", xml_number(shape.size.y()));
    }
    if (!visual || !shape.colour) return;
    const auto& c = *shape.colour;
    pugi::xml_node material = node.append_child("material");
    for (const char* tag : {"ambient", "diffuse"})
      say(material, tag, xml_numbers(Eigen::Vector4d(c[0], c[1], c[2], c[3])));
  }

  void add_frame(const FrameData& frame) {
    pugi::xml_node node = model_.append_child("frame");
    const std::string name = unique(frame.name, "_frame");
    if (name != frame.name)
      tree_.lose(frame.mark, "frame " + in_quotes(frame.name),
                 "is called " + in_quotes(name) + why_renamed(frame.name));
    node.append_attribute("name") = name.c_str();
    node.append_attribute("attached_to") = frame_of(frame.body).c_str();
    place(node, frame.X_BF);
  }

  // ---- joints -----------------------------------------------------------------------------------

  pugi::xml_node joint_node(const std::string& name, const char* type, const std::string& parent,
                            const std::string& child, const Pose<double>& X_CM) {
    pugi::xml_node joint = model_.append_child("joint");
    const std::string unique_name = unique(name, "_joint");
    if (unique_name != name)
      tree_.lose({tree_.robot().source}, "joint " + in_quotes(name),
                 "is called " + in_quotes(unique_name) + why_renamed(name));
    joint.append_attribute("name") = unique_name.c_str();
    joint.append_attribute("type") = type;
    say(joint, "parent", plain(parent));
    say(joint, "child", plain(child));
    place(joint, X_CM);
    return joint;
  }

  void add_joint(const WrittenJoint& joint, const std::string& parent, const std::string& child,
                 const Pose<double>& X_CM) {
    if (joint.kind == Kind::free) {
      if (parent != world_name)
        tree_.lose(joint.of->mark, "joint " + in_quotes(joint.name),
                   "floats on another body; in SDF it floats in the world");
      lose_degrees(tree_, *joint.of, joint.degrees, {true, true, true, true});
      return;  // what no joint holds floats
    }
    if (joint.kind == Kind::ball) {
      joint_node(joint.name, "ball", parent, child, X_CM);
      lose_degrees(tree_, *joint.of, joint.degrees, {true, true, true, true});
      return;
    }
    const DegreeData& degree = joint.degrees[0];
    pugi::xml_node node = joint_node(joint.name, type_of(joint.kind, degree), parent, child, X_CM);
    if (joint.kind == Kind::screw) add_pitch(node, joint.pitch);
    add_axis(node, "axis", joint.axis, *joint.of, degree,
             coordinate_of(tree_, joint, tree_.posture));
    if (joint.mimic)
      tree_.lose(joint.of->mark, "joint " + in_quotes(joint.name),
                 "follows another joint; written as a joint of its own");
  }

  static const char* type_of(Kind kind, const DegreeData& degree) {
    if (kind == Kind::slide) return "prismatic";
    if (kind == Kind::screw) return "screw";
    return std::isfinite(degree.lower) || std::isfinite(degree.upper) ? "revolute" : "continuous";
  }

  /// Radians a metre, of a left-handed thread.
  static void add_pitch(pugi::xml_node node, double pitch) {
    say(node, "thread_pitch", xml_number(-1 / pitch));
  }

  void add_universal(const WrittenBody& body, const Pose<double>& X_CM) {
    const WrittenJoint &first = body.joints[0], &second = body.joints[1];
    const double q1 = coordinate_of(tree_, first, tree_.posture),
                 q2 = coordinate_of(tree_, second, tree_.posture);
    pugi::xml_node node = joint_node(first.of->name, "universal", body.parent, body.name, X_CM);
    add_two_axes(node, first, second, q1, q2);
  }

  /// Both axes in the frame on the child, which the second turn has moved.
  void add_two_axes(pugi::xml_node node, const WrittenJoint& first, const WrittenJoint& second,
                    double q1, double q2) {
    add_axis(node, "axis", rotation_from_axis_angle(second.axis, -q2) * first.axis, *first.of,
             first.degrees[0], q1);
    add_axis(node, "axis2", second.axis, *second.of, second.degrees[0], q2);
  }

  /// Coordinates count from the posture of the file.
  void add_axis(pugi::xml_node joint, const char* tag, const Vector3<double>& direction,
                const JointData& of, const DegreeData& degree, double zero) {
    pugi::xml_node axis = joint.append_child(tag);
    say(axis, "xyz", xml_numbers(direction));
    pugi::xml_node limit = axis.append_child("limit");
    if (std::isfinite(degree.lower)) say(limit, "lower", xml_number(degree.lower - zero));
    if (std::isfinite(degree.upper)) say(limit, "upper", xml_number(degree.upper - zero));
    if (std::isfinite(degree.effort_limit)) say(limit, "effort", xml_number(degree.effort_limit));
    if (std::isfinite(degree.velocity_limit))
      say(limit, "velocity", xml_number(degree.velocity_limit));
    if (!limit.first_child()) {
      say(limit, "lower", "-1e16");  // SDF's own numbers for no limits
      say(limit, "upper", "1e16");
    }
    if (degree.damping != 0 || degree.friction != 0 || degree.stiffness != 0) {
      pugi::xml_node dynamics = axis.append_child("dynamics");
      say(dynamics, "damping", xml_number(degree.damping));
      say(dynamics, "friction", xml_number(degree.friction));
      say(dynamics, "spring_reference", xml_number(degree.rest - zero));
      say(dynamics, "spring_stiffness", xml_number(degree.stiffness));
    }
    lose_degrees(tree_, of, {degree}, {false, true, false, false});
  }

  /// The world carries and is not carried: a joint to it is written the other way round.
  void close_loop(WrittenClosing closing) {
    const JointData& joint = *closing.joint;
    const bool turned = joint.child == world_name;
    const Pose<double> X_CM = turned ? joint.X_PF : joint.X_MC.inverse();
    const auto node = [&](const char* type) {
      return joint_node(joint.name, type, turned ? joint.child : joint.parent,
                        turned ? joint.parent : joint.child, X_CM);
    };
    if (turned) {
      for (WrittenJoint& part : closing.parts) part.axis = -part.axis;
      std::reverse(closing.parts.begin(), closing.parts.end());
      std::reverse(closing.degrees.begin(), closing.degrees.end());
      closing.q.reverseInPlace();
    }
    if (closing.is({})) {
      node("fixed");
    } else if (closing.is({Kind::ball})) {
      node("ball");
      lose_degrees(tree_, joint, closing.degrees, {true, true, true, true});
    } else if (closing.is({Kind::hinge}) || closing.is({Kind::slide}) ||
               closing.is({Kind::screw})) {
      const WrittenJoint& part = closing.parts[0];
      pugi::xml_node made = node(type_of(part.kind, closing.degrees[0]));
      if (part.kind == Kind::screw) add_pitch(made, part.pitch);
      add_axis(made, "axis", part.axis, joint, closing.degrees[0], closing.q(0));
    } else if (closing.is({Kind::hinge, Kind::hinge})) {
      add_two_axes(node("universal"), closing.parts[0], closing.parts[1], closing.q(0),
                   closing.q(1));
    } else {
      tree_.lose(joint.mark, "joint " + in_quotes(joint.name),
                 fmt::format("closes a loop and is not written: SDF has no {} joint",
                             name_of(joint.type)));
    }
  }

  void lose_rest() {
    const Robot& robot = tree_.robot();
    for (const ConstraintData& constraint : robot.constraints)
      if (constraint.type == ConstraintData::Type::coupling)
        tree_.lose(constraint.mark, "coupling " + in_quotes(constraint.name),
                   "not written: SDF has no such element");
    for (const PostureData& posture : robot.postures)
      tree_.lose(posture.mark, "posture " + in_quotes(posture.name),
                 "not written: SDF has no postures");
  }

  WrittenTree tree_;
  pugi::xml_document document_;
  pugi::xml_node model_;
  std::set<std::string> names_{world_name};
  int shapes_ = 0;
};

}  // namespace

WrittenRobot write_sdf(WrittenTree tree, const WriteOptions&) {
  return SdfWriter(std::move(tree)).run();
}

}  // namespace ulna
