// Bodies of a MuJoCo model. Its joints stand inside the body they move, in the order in which they
// act, each about an anchor and an axis in the axes of the body. A body with k joints becomes a
// chain of k - 1 massless bodies and itself.

#include <fmt/format.h>

#include <algorithm>

#include "mjcf/mjcf_document.hpp"
#include "mjcf/mjcf_parts.hpp"
#include "orientation.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

class BodyReader {
 public:
  explicit BodyReader(MjcfContext& context) : context_(context) {}

  void world(pugi::xml_node worldbody) {
    context_.bodies[world_name] = {world_name, {}};
    children(worldbody, nullptr, {world_name, {}}, {});
  }

 private:
  /// What is gathered of a body while its elements are read.
  struct Parts {
    std::vector<pugi::xml_node> joints;
    std::vector<Pose<double>> joint_frames;  ///< X_BF of the <frame>s around each
    pugi::xml_node inertial;
    Pose<double> X_BF_of_inertial;
    MjcfMasses masses;
    std::vector<Geometry> shapes;
    std::vector<std::pair<pugi::xml_node, Pose<double>>> bodies;
  };

  /// Elements of a body, also those inside <frame>, which only places them.
  void gather(pugi::xml_node node, const Pose<double>& X_BF, const MjcfBody& body, Parts& parts) {
    Pose<double> before;  // of the copy before, of <replicate>
    for (const pugi::xml_node child : node.children()) {
      if (child.type() != pugi::node_element) continue;
      const std::string tag = child.name();
      const XmlElement element = context_.element(child);
      if (tag == "frame") {
        context_.account(element, child, with_pose({"childclass"}));
        const Pose<double> X_FC = child.attribute("@repeat") ? copy_pose(element, child, before)
                                                             : mjcf_pose(context_, element);
        gather(child, X_BF * X_FC, body, parts);
      } else if (tag == "body") {
        parts.bodies.emplace_back(child, X_BF);
      } else if (tag == "joint" || tag == "freejoint") {
        parts.joints.push_back(child);
        parts.joint_frames.push_back(X_BF);
      } else if (tag == "inertial") {
        parts.inertial = child;
        parts.X_BF_of_inertial = X_BF;
      } else if (tag == "geom") {
        add_geom(child, X_BF, parts);
      } else if (tag == "site") {
        add_site(child, X_BF, body);
      } else if (tag == "composite" || tag == "flexcomp") {
        element.complain(fmt::format("<{}> is not read", tag),
                         "bodies, joints and geoms written out",
                         "let MuJoCo save the compiled model as XML and read that");
      } else if (tag == "plugin") {
        element.complain("<plugin> of a body is not read", "a body without forces of a plugin");
      } else {
        refuse_misspelt(element, {"body", "joint", "freejoint", "geom", "site", "inertial", "frame",
                                  "camera", "light", "plugin", "composite", "flexcomp", "attach",
                                  "replicate", "include"});
      }
    }
  }

  /// Copy k of a <replicate> is turned by k times its Euler angles, and shifted by its offset in
  /// the axes of the copy before.
  Pose<double> copy_pose(const XmlElement& element, pugi::xml_node node,
                         Pose<double>& before) const {
    const int k = node.attribute("@repeat").as_int();
    Pose<double> X;
    if (k > 0) X.position = before * element.vector("pos", Vector3<double>::Zero());
    X.rotation = mjcf_turn(context_, element, k);
    before = X;
    return X;
  }

  void add_geom(pugi::xml_node node, const Pose<double>& X_BF, Parts& parts) {
    MjcfGeom geom = read_mjcf_geom(context_, node, X_BF);
    if (geom.inertia) {
      parts.masses.sum += *geom.inertia;
      parts.masses.any = parts.masses.any || geom.inertia->mass > 0;
    }
    if (geom.mesh) parts.masses.meshes.push_back(std::move(*geom.mesh));
    if (geom.shape) parts.shapes.push_back(std::move(*geom.shape));
  }

  void add_site(pugi::xml_node node, const Pose<double>& X_BF, const MjcfBody& body) {
    const XmlElement site = context_.element(node);
    context_.account(site, node, with_pose({"fromto"}));
    FrameData frame;
    frame.name = site.text("name");
    frame.body = body.name;
    frame.X_BF = X_BF * (site.has("fromto") ? mjcf_fromto(site).first : mjcf_pose(context_, site));
    frame.mark = site.mark();
    if (frame.name.empty()) {
      site.note_ignored("<site> without a name ignored");
      return;
    }
    context_.sites[frame.name] = {body.name, frame.X_BF};
    context_.robot.frames.push_back(frame);
  }

  void children(pugi::xml_node node, BodyData* data, const MjcfBody& body, const Pose<double>&) {
    Parts parts;
    gather(node, {}, body, parts);
    if (!data) {
      if (!parts.joints.empty())
        context_.element(parts.joints[0])
            .complain("the world has a joint", "joints inside a <body>");
      if (!parts.shapes.empty())
        context_.report.ignored.push_back({context_.element(node).mark(), "<worldbody>",
                                           "<geom> of the world ignored: the world has no shape"});
    }
    for (const auto& [child, X_BF] : parts.bodies) add_body(child, body, X_BF);
  }

  void add_body(pugi::xml_node node, const MjcfBody& parent, const Pose<double>& X_PF) {
    const XmlElement element = context_.element(node);
    context_.account(element, node, with_pose({"childclass", "mocap", "gravcomp"}));
    MjcfBody body;
    body.name = unique_body_name(node.attribute("name").value(), parent.name);
    const Pose<double> X_PB = X_PF * mjcf_pose(context_, element);
    body.X_WB = parent.X_WB * X_PB;
    const std::string key = node.attribute("name").value();
    if (!key.empty() && !context_.bodies.emplace(key, body).second)
      element.complain("the name " + in_quotes(key) + " is taken by another body",
                       "names that differ");
    if (node.attribute("gravcomp") && element.number("gravcomp", 0) != 0)
      element.note_ignored("gravcomp ignored: compensation of gravity is a force of the simulator");

    Parts parts;
    gather(node, {}, body, parts);
    BodyData data;
    data.name = body.name;
    data.mark = element.mark();
    data.inertial = mjcf_inertial(context_, element, parts.inertial, parts.X_BF_of_inertial,
                                  std::move(parts.masses));
    data.geometry = std::move(parts.shapes);
    add_joints(element, parts, parent, X_PB, body.name);
    context_.robot.bodies.push_back(std::move(data));
    for (const auto& [child, X_BF] : parts.bodies) add_body(child, body, X_BF);
  }

  std::string unique_body_name(std::string name, const std::string& parent) {
    if (name == world_name) name.clear();
    if (name.empty()) name = fmt::format("{}_body{}", parent, ++unnamed_);
    while (!body_names_.insert(name).second) name += "_";
    return name;
  }

  // ---- joints -----------------------------------------------------------------------------------

  void add_joints(const XmlElement& body, const Parts& parts, const MjcfBody& parent,
                  const Pose<double>& X_PB, const std::string& child) {
    if (parts.joints.empty()) {
      JointData weld;
      weld.name = unique_joint_name("", child + "_weld");
      weld.parent = parent.name;
      weld.child = child;
      weld.X_PF = X_PB;
      weld.mark = body.mark();
      context_.robot.joints.push_back(std::move(weld));
      return;
    }
    std::string from = parent.name;
    Pose<double> X_FB = X_PB;  // the body's frame at the reference, in the frame of `from`
    for (std::size_t k = 0; k < parts.joints.size(); ++k) {
      const bool last = k + 1 == parts.joints.size();
      std::string to = child;
      if (!last) {
        to = unique_body_name(fmt::format("{}_{}", child, k + 1), child);
        BodyData between;
        between.name = to;
        between.mark = body.mark();
        context_.robot.bodies.push_back(std::move(between));
      }
      add_joint(parts.joints[k], parts.joint_frames[k], from, to, X_FB, k);
      from = to;
      X_FB = {};
    }
  }

  std::string unique_joint_name(const std::string& given, const std::string& otherwise) {
    std::string name = given.empty() ? otherwise : given;
    while (!joint_names_.insert(name).second) name += "_";
    return name;
  }

  void add_joint(pugi::xml_node node, const Pose<double>& X_BF, const std::string& from,
                 const std::string& to, const Pose<double>& X_PB, std::size_t number) {
    const XmlElement element = context_.element(node);
    context_.account(
        element, node,
        {"type", "pos", "axis", "range", "limited", "ref", "springref", "stiffness", "damping",
         "frictionloss", "armature", "actuatorfrcrange", "actuatorfrclimited", "springdamper"});
    const std::string type = element.tag() == "freejoint" ? "free"
                             : element.has("type")        ? element.text("type")
                                                          : "hinge";
    JointData joint;
    joint.name = unique_joint_name(
        node.attribute("name").value(),
        fmt::format("{}_joint{}", to, number == 0 ? "" : std::to_string(number + 1)));
    joint.parent = from;
    joint.child = to;
    joint.mark = element.mark();
    const Vector3<double> anchor = X_BF * element.vector("pos", Vector3<double>::Zero());
    double reference = 0;
    if (type == "hinge" || type == "slide") {
      reference = one_degree(element, type == "hinge", X_BF, X_PB, anchor, joint);
    } else if (type == "ball") {
      joint.type = JointType::spherical;
      joint.X_PF = {X_PB.rotation, X_PB * anchor};
      joint.X_MC.position = -anchor;
      several_degrees(element, 3, joint);
      add_ball_spring(element, joint);
    } else if (type == "free") {
      joint.type = JointType::free;
      if (from != world_name)
        element.complain("a free joint inside another body",
                         "a free joint in a body of <worldbody>");
      several_degrees(element, 6, joint);
      if (joint.degrees[0].friction != 0)
        element.note_changed(
            "frictionloss of the shifts acts along the axes of the body, in MuJoCo along those of "
            "the world");
      element.note_used("free joint: coordinates are its pose in the world, as in MuJoCo");
    } else {
      element.complain("type of <joint> is " + in_quotes(type), "hinge, slide, ball or free");
      return;
    }
    const std::string key = node.attribute("name").value();
    if (!key.empty() &&
        !context_.joints.emplace(key, MjcfJoint{context_.robot.joints.size(), reference}).second)
      element.complain("the name " + in_quotes(key) + " is taken by another joint",
                       "names that differ");
    element.note_used(fmt::format("{} joint", name_of(joint.type)));
    context_.posture_joints.push_back(joint.name);
    context_.robot.joints.push_back(std::move(joint));
  }

  /// Returns the coordinate in the posture of the file.
  double one_degree(const XmlElement& element, bool hinge, const Pose<double>& X_BF,
                    const Pose<double>& X_PB, const Vector3<double>& anchor, JointData& joint) {
    const double unit = hinge ? context_.settings.angle : 1;
    joint.type = hinge ? JointType::revolute : JointType::prismatic;
    Vector3<double> axis = element.vector("axis", Vector3<double>::UnitZ());
    if (!(axis.norm() > 0)) {
      element.complain("the axis has no direction", "a vector that is not zero");
      axis = Vector3<double>::UnitZ();
    }
    joint.axis = (X_BF.rotation * axis).normalized();
    const double reference = unit * element.number("ref", 0);
    joint.X_PF = {X_PB.rotation, X_PB * anchor};
    // Moving by q - ref is moving by q in front of what takes the reference back.
    if (hinge) joint.X_MC.rotation = rotation_from_axis_angle(joint.axis, -reference);
    joint.X_MC.position = joint.X_MC.rotation * -anchor;
    if (!hinge) joint.X_MC.position -= reference * joint.axis;
    context_.references[joint.name] = reference;
    if (const std::array<double, 2> given = spring_damper(element); given[0] > 0 && given[1] > 0)
      context_.spring_dampers[joint.name] = given;
    DegreeData degree = forces(element);
    if (context_.spring_dampers.count(joint.name)) degree.damping = 0;  // it takes its place
    degree.rest = unit * element.number("springref", 0);
    context_.slack_at_reference = context_.slack_at_reference && degree.rest == reference;
    read_spring(element, degree);
    if (context_.settings.limits && limited(element, "range", "limited")) {
      const std::vector<double> range = element.numbers("range", 2);
      degree.lower = unit * range[0];
      degree.upper = unit * range[1];
    }
    if (limited(element, "actuatorfrcrange", "actuatorfrclimited")) {
      const std::vector<double> range = element.numbers("actuatorfrcrange", 2);
      degree.effort_limit = std::max(std::abs(range[0]), std::abs(range[1]));
    }
    joint.degrees = {degree};
    return reference;
  }

  /// -(k0 x + k1 x^2 + k2 x^3) with x from the rest; k1 would pull to one side.
  void read_spring(const XmlElement& element, DegreeData& degree) const {
    if (!context_.settings.springs || !element.has("stiffness")) return;
    const std::size_t count = std::clamp<std::size_t>(element.count("stiffness"), 1, 3);
    const std::vector<double> k = element.numbers("stiffness", count);
    degree.stiffness = k[0];
    if (count > 1 && k[1] != 0)
      element.complain("stiffness has a term of second order", "k0, or k0 0 k2");
    if (count > 2) degree.hardening = k[2];
  }

  static bool has_spring(const XmlElement& element) {
    if (!element.has("stiffness")) return false;
    const std::vector<double> k = element.numbers("stiffness", element.count("stiffness"));
    return std::any_of(k.begin(), k.end(), [](double x) { return x != 0; });
  }

  /// A torsion about the axis of the turn from the posture of the file: springref is of one degree.
  void add_ball_spring(const XmlElement& element, const JointData& joint) {
    if (!context_.settings.springs || !has_spring(element)) return;
    DegreeData law;
    read_spring(element, law);
    ElementData spring;
    spring.name = joint.name + ".spring";
    spring.mark = element.mark();
    spring.type = ElementData::Type::torsion;
    spring.any_axis = true;
    spring.from.body = joint.parent;
    spring.from.X_BE = joint.X_PF;
    spring.to.body = joint.child;
    spring.to.X_BE = joint.X_MC.inverse();
    spring.law.stiffness = law.stiffness;
    spring.law.hardening = law.hardening;
    context_.robot.elements.push_back(std::move(spring));
  }

  void several_degrees(const XmlElement& element, std::size_t count, JointData& joint) {
    if (count > 3 && context_.settings.springs && has_spring(element))
      element.complain("a spring on a free joint is not read",
                       "stiffness on hinges, slides and balls");
    if (const std::array<double, 2> given = spring_damper(element); given[0] > 0 && given[1] > 0)
      element.complain("a springdamper on a joint of several degrees is not read",
                       "springdamper on hinges and slides");
    if (element.has("range") && limited(element, "range", "limited"))
      element.note_ignored("range ignored: a ball joint has no limits here");
    DegreeData degree = forces(element);
    if (degree.rotor_inertia != 0)
      element.complain(fmt::format("armature on a {} joint is not read", name_of(joint.type)),
                       "armature on hinges and slides",
                       "it may come from a default class: set armature=\"0\" on this joint");
    degree.rotor_inertia = 0;
    joint.degrees.assign(count, degree);
  }

  /// Time constant and damping ratio; one that is not positive leaves stiffness and damping alone.
  static std::array<double, 2> spring_damper(const XmlElement& element) {
    if (!element.has("springdamper")) return {0, 0};
    const std::vector<double> given = element.numbers("springdamper", 2);
    return {given[0], given[1]};
  }

  DegreeData forces(const XmlElement& element) {
    const MjcfSettings& s = context_.settings;
    DegreeData degree;
    degree.damping = s.dampers ? element.number("damping", 0) : 0;
    degree.friction = s.friction ? element.number("frictionloss", 0) : 0;
    degree.rotor_inertia = element.number("armature", 0);
    return degree;
  }

  bool limited(const XmlElement& element, const char* range, const char* flag) {
    const std::string value = element.has(flag) ? element.text(flag) : "auto";
    if (value == "auto") return context_.settings.limits_follow_range && element.has(range);
    return value == "true" && element.has(range);
  }

  MjcfContext& context_;
  std::set<std::string> body_names_{world_name}, joint_names_;
  int unnamed_ = 0;
};

/// Masses scaled so that they sum to settotalmass.
void scale_to_total_mass(Robot& robot, double total) {
  double sum = 0;
  for (const BodyData& body : robot.bodies) sum += body.inertial.mass;
  if (!(total > 0) || !(sum > 0)) return;
  for (BodyData& body : robot.bodies) {
    body.inertial.mass *= total / sum;
    body.inertial.inertia *= total / sum;
  }
}

/// Bodies and sites have names of their own in MuJoCo; here both name frames.
void rename_sites(MjcfContext& context) {
  std::set<std::string> taken{world_name};
  for (const BodyData& body : context.robot.bodies) taken.insert(body.name);
  for (FrameData& frame : context.robot.frames) {
    const std::string given = frame.name;
    while (!taken.insert(frame.name).second) frame.name += "_site";
    if (frame.name != given)
      context.report.changed.push_back(
          {frame.mark, "site " + in_quotes(given),
           "called " + in_quotes(frame.name) + ": a body has its name"});
  }
}

}  // namespace

void read_mjcf_bodies(MjcfContext& context, pugi::xml_node worldbody) {
  BodyReader(context).world(worldbody);
  scale_to_total_mass(context.robot, context.settings.total_mass);
  rename_sites(context);
}

}  // namespace ulna
