// A robot as URDF. Body frames are kept: where a joint does not act in the frame of its child, a
// massless link stands between; so it does between the turns and slides of joints of several
// degrees. The world is the root link.

#include <fmt/format.h>

#include <cmath>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "ulna/model/joints/joint_traits.hpp"
#include "urdf/urdf_parts.hpp"
#include "wording.hpp"
#include "write/written_tree.hpp"

namespace ulna {
namespace {

using Kind = WrittenJoint::Kind;

class UrdfWriter {
 public:
  UrdfWriter(WrittenTree tree, const WriteOptions& options)
      : tree_(std::move(tree)), options_(options) {}

  WrittenRobot run() {
    robot_ = document_.append_child("robot");
    robot_.append_attribute("name") = tree_.robot().name.c_str();
    link_names_.insert(world_name);
    for (const WrittenBody& body : tree_.bodies) link_names_.insert(body.name);
    robot_.append_child("link").append_attribute("name") = world_name;
    for (const WrittenBody& body : tree_.bodies) add_link(body);
    for (const WrittenBody& body : tree_.bodies) add_joints(body);
    for (const FrameData& frame : tree_.robot().frames) add_frame(frame);
    for (const WrittenClosing& closing : tree_.closing) close_loop(closing);
    for (const ElementData& element : tree_.robot().elements) lose_element(tree_, element);
    lose_rest();
    std::ostringstream out;
    document_.save(out, "  ");
    return {out.str(), std::move(tree_.lost)};
  }

 private:
  static void origin(pugi::xml_node node, const Pose<double>& X, const char* tag = "origin") {
    const bool placed = !X.position.isZero(0), turned = X.rotation != Matrix3<double>::Identity();
    if (!placed && !turned) return;
    pugi::xml_node child = node.append_child(tag);
    if (placed) child.append_attribute("xyz") = xml_numbers(X.position).c_str();
    if (turned) child.append_attribute("rpy") = xml_numbers(rpy_of(X.rotation)).c_str();
  }

  static void attribute(pugi::xml_node node, const char* name, const std::string& value) {
    node.append_attribute(name) = value.c_str();
  }

  pugi::xml_node add_massless(const std::string& wanted) {
    std::string name = wanted;
    while (!link_names_.insert(name).second) name += "_";
    pugi::xml_node link = robot_.append_child("link");
    attribute(link, "name", name);
    return link;
  }

  void add_link(const WrittenBody& body) {
    pugi::xml_node link = robot_.append_child("link");
    attribute(link, "name", body.name);
    const Inertial& I = body.inertial;
    if (I.mass != 0 || !I.inertia.isZero(0)) {
      pugi::xml_node inertial = link.append_child("inertial");
      origin(inertial, Pose<double>::translation(I.centre));
      attribute(inertial.append_child("mass"), "value", xml_number(I.mass));
      pugi::xml_node inertia = inertial.append_child("inertia");
      const struct {
        const char* name;
        double value;
      } entries[] = {{"ixx", I.inertia(0, 0)}, {"ixy", I.inertia(0, 1)}, {"ixz", I.inertia(0, 2)},
                     {"iyy", I.inertia(1, 1)}, {"iyz", I.inertia(1, 2)}, {"izz", I.inertia(2, 2)}};
      for (const auto& entry : entries) attribute(inertia, entry.name, xml_number(entry.value));
    }
    for (const Geometry& shape : body.data->geometry) add_shape(link, body, shape);
  }

  void add_shape(pugi::xml_node link, const WrittenBody& body, const Geometry& shape) {
    using Shape = Geometry::Shape;
    if (shape.shape == Shape::capsule)
      tree_.lose(body.data->mark, "body " + in_quotes(body.name),
                 "a capsule is written as a cylinder of its length");
    const bool visual = shape.use == Geometry::Use::visual;
    pugi::xml_node node = link.append_child(visual ? "visual" : "collision");
    origin(node, shape.X_BG);
    pugi::xml_node geometry = node.append_child("geometry");
    if (shape.shape == Shape::box) {
      attribute(geometry.append_child("box"), "size", xml_numbers(shape.size));
    } else if (shape.shape == Shape::sphere) {
      attribute(geometry.append_child("sphere"), "radius", xml_number(shape.size.x()));
    } else if (shape.shape == Shape::mesh) {
      pugi::xml_node mesh = geometry.append_child("mesh");
      attribute(mesh, "filename", shape.mesh);
      if (shape.scale != Vector3<double>::Ones())
        attribute(mesh, "scale", xml_numbers(shape.scale));
    } else {
      pugi::xml_node cylinder = geometry.append_child("cylinder");
      attribute(cylinder, "radius", xml_number(shape.size.x()));
      attribute(cylinder, "length", xml_number(shape.size.y()));
    }
    if (!visual || !shape.colour) return;
    const auto& c = *shape.colour;
    pugi::xml_node material = node.append_child("material");
    attribute(material, "name", fmt::format("{}_{}", body.name, ++colours_));
    attribute(material.append_child("color"), "rgba",
              xml_numbers(Eigen::Vector4d(c[0], c[1], c[2], c[3])));
  }

  pugi::xml_node add_joint(const std::string& name, const char* type, const std::string& parent,
                           const std::string& child, const Pose<double>& X) {
    pugi::xml_node joint = robot_.append_child("joint");
    attribute(joint, "name", name);
    attribute(joint, "type", type);
    attribute(joint.append_child("parent"), "link", parent);
    attribute(joint.append_child("child"), "link", child);
    origin(joint, X);
    return joint;
  }

  void add_joints(const WrittenBody& body) {
    std::vector<WrittenJoint> parts;
    for (const WrittenJoint& joint : body.joints) add_parts(joint, parts);
    const bool shifted =
        body.X_MC.rotation != Matrix3<double>::Identity() || !body.X_MC.position.isZero(0);
    if (parts.empty()) {
      add_joint(body.joint, "fixed", body.parent, body.name, body.X_PF * body.X_MC);
      return;
    }
    std::string from = body.parent;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const bool last = k + 1 == parts.size();
      const std::string to =
          last && !shifted
              ? body.name
              : add_massless(fmt::format("{}_{}", body.name, k + 1)).attribute("name").value();
      add_part(parts[k], from, to, k == 0 ? body.X_PF : Pose<double>());
      from = to;
    }
    if (shifted) add_joint(body.joint + "_end", "fixed", from, body.name, body.X_MC);
  }

  /// A ball becomes three hinges.
  void add_parts(const WrittenJoint& joint, std::vector<WrittenJoint>& parts) {
    if (joint.kind == Kind::screw)
      tree_.lose(joint.of->mark, "joint " + in_quotes(joint.of->name),
                 "is a screw; written as a hinge, without its advance");
    if (joint.kind != Kind::ball) {
      parts.push_back(joint);
      return;
    }
    tree_.lose(joint.of->mark, "joint " + in_quotes(joint.of->name),
               "is a ball; written as three hinges about x, y and z, whose angles are its "
               "coordinates");
    constexpr const char* endings[] = {".x", ".y", ".z"};
    for (int k = 0; k < 3; ++k) {
      WrittenJoint hinge = joint;
      hinge.kind = Kind::hinge;
      hinge.name = joint.name + endings[k];
      hinge.axis = Vector3<double>::Unit(k);
      hinge.degrees = {joint.degrees[static_cast<std::size_t>(k)]};
      parts.push_back(std::move(hinge));
    }
  }

  void add_part(const WrittenJoint& part, const std::string& from, const std::string& to,
                const Pose<double>& X) {
    if (part.kind == Kind::free) {
      add_joint(part.name, "floating", from, to, X);
      lose_degrees(tree_, *part.of, part.degrees, {true, true, true, true});
      return;
    }
    const DegreeData& degree = part.degrees[0];
    const bool limited = std::isfinite(degree.lower) || std::isfinite(degree.upper);
    const char* type = part.kind == Kind::slide ? "prismatic" : limited ? "revolute" : "continuous";
    pugi::xml_node joint = add_joint(part.name, type, from, to, X);
    attribute(joint.append_child("axis"), "xyz", xml_numbers(part.axis));
    add_degree(joint, *part.of, degree, limited || part.kind == Kind::slide);
    if (!part.mimic) return;
    pugi::xml_node mimic = joint.append_child("mimic");
    attribute(mimic, "joint", part.mimic->joint);
    attribute(mimic, "multiplier", xml_number(part.mimic->multiplier));
    attribute(mimic, "offset", xml_number(part.mimic->offset));
  }

  /// Parsers ask for all numbers of a limit; one of `urdf_unlimited` is none.
  void add_degree(pugi::xml_node joint, const JointData& of, const DegreeData& degree,
                  bool with_positions) {
    const auto bound = [](double x) {
      return xml_number(std::isfinite(x) ? x : std::copysign(urdf_unlimited, x));
    };
    if (with_positions || std::isfinite(degree.effort_limit) ||
        std::isfinite(degree.velocity_limit)) {
      pugi::xml_node limit = joint.append_child("limit");
      if (with_positions) {
        attribute(limit, "lower", bound(degree.lower));
        attribute(limit, "upper", bound(degree.upper));
      }
      attribute(limit, "effort", bound(degree.effort_limit));
      attribute(limit, "velocity", bound(degree.velocity_limit));
    }
    if (degree.damping != 0 || degree.friction != 0) {
      pugi::xml_node dynamics = joint.append_child("dynamics");
      attribute(dynamics, "damping", xml_number(degree.damping));
      attribute(dynamics, "friction", xml_number(degree.friction));
    }
    lose_degrees(tree_, of, {degree}, {true, true, false, false});
  }

  void add_frame(const FrameData& frame) {
    const std::string link = add_massless(frame.name).attribute("name").value();
    add_joint(frame.name + "_frame", "fixed", frame.body, link, frame.X_BF);
  }

  // ---- loops ------------------------------------------------------------------------------------

  void close_loop(const WrittenClosing& closing) {
    const JointData& joint = *closing.joint;
    const std::string element = "joint " + in_quotes(joint.name);
    const std::vector<DegreeData>& degrees = closing.degrees;
    const bool one = degrees.size() == 1;
    const bool limited =
        one && (std::isfinite(degrees[0].lower) || std::isfinite(degrees[0].upper));
    const char* type =
        closing.is({Kind::hinge}) && !limited ? "continuous" : urdf_loop_type(joint.type);
    if (options_.urdf_loops == WriteOptions::UrdfLoops::none || !type) {
      tree_.lose(joint.mark, element,
                 fmt::format("closes a loop and is not written{}",
                             type ? "" : std::string(": URDF has no ") + name_of(joint.type)));
      return;
    }
    const bool constraint = options_.urdf_loops == WriteOptions::UrdfLoops::constraint;
    pugi::xml_node node = robot_.append_child(constraint ? "constraint" : "loop_joint");
    attribute(node, "name", joint.name);
    attribute(node, "type", type);
    const JointKeys& keys = traits_of(joint.type).keys;
    const std::string axis = xml_numbers(joint.axis.normalized()),
                      axis2 = xml_numbers(joint.axis2.normalized());
    if (constraint) {
      attribute(node.append_child("parent"), "link", joint.parent);
      origin(node, joint.X_PF, "parent_origin");
      if (keys.axis) attribute(node.append_child("parent_axis"), "xyz", axis);
      attribute(node.append_child("child"), "link", joint.child);
      origin(node, joint.X_MC.inverse(), "child_origin");
      if (keys.axis) attribute(node.append_child("child_axis"), "xyz", keys.axis2 ? axis2 : axis);
    } else {
      end(node, "link1", joint.parent, joint.X_PF);
      end(node, "link2", joint.child, joint.X_MC.inverse());
      if (keys.axis) attribute(node.append_child("axis"), "xyz", axis);
      if (keys.axis2) attribute(node.append_child("axis2"), "xyz", axis2);
    }
    if (one)
      add_degree(node, joint, degrees[0], limited);
    else
      lose_degrees(tree_, joint, degrees, {true, true, true, true});
  }

  static void end(pugi::xml_node node, const char* tag, const std::string& link,
                  const Pose<double>& X) {
    pugi::xml_node child = node.append_child(tag);
    attribute(child, "link", link);
    attribute(child, "xyz", xml_numbers(X.position));
    attribute(child, "rpy", xml_numbers(rpy_of(X.rotation)));
  }

  void lose_rest() {
    const Robot& robot = tree_.robot();
    for (const ConstraintData& constraint : robot.constraints)
      if (constraint.type == ConstraintData::Type::coupling)
        tree_.lose(constraint.mark, "coupling " + in_quotes(constraint.name),
                   "not written: URDF has only mimic joints");
    for (const PostureData& posture : robot.postures)
      tree_.lose(posture.mark, "posture " + in_quotes(posture.name),
                 "not written: URDF has no postures");
    if (robot.gravity != Robot().gravity)
      tree_.lose({robot.source}, "gravity", "not written: URDF has none");
  }

  WrittenTree tree_;
  WriteOptions options_;
  pugi::xml_document document_;
  pugi::xml_node robot_;
  std::set<std::string> link_names_;
  int colours_ = 0;
};

}  // namespace

WrittenRobot write_urdf(WrittenTree tree, const WriteOptions& options) {
  return UrdfWriter(std::move(tree), options).run();
}

}  // namespace ulna
