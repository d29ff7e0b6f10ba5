// A robot as a MuJoCo model. Bodies stand inside each other with the joints that move them. The
// bodies are placed where the loops are closed, and the joints' `ref` keeps their coordinates.
// Loops become equalities: a ball is a point that both bodies share, a hinge two of them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "ulna/kinematics/posture.hpp"
#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/model/parts/loop.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/spatial/rotation.hpp"
#include "wording.hpp"
#include "write/massless_bodies.hpp"
#include "write/mjcf_elements.hpp"
#include "write/mjcf_shapes.hpp"
#include "write/written_tree.hpp"

namespace ulna {
namespace {

using Kind = WrittenJoint::Kind;

// The second point of a hinge that closes a loop is this far along its axis, in metres.
constexpr double along_hinge = 0.1;
// MuJoCo asks for both ends of a range.
constexpr double far_away = 1e9;
// What moves must have more mass and inertia than this (mjMINVAL).
constexpr double least_mass = 1e-15;

class MjcfWriter {
 public:
  explicit MjcfWriter(WrittenTree tree) : tree_(std::move(tree)) {}

  WrittenRobot run() {
    const Robot& robot = tree_.robot();
    root_ = document_.append_child("mujoco");
    set(root_, "model", robot.name);
    pugi::xml_node compiler = root_.append_child("compiler");
    set(compiler, "angle", "radian");
    set(compiler, "inertiafromgeom", "false");
    set(root_.append_child("option"), "gravity", xml_numbers(robot.gravity));
    asset_ = root_.append_child("asset");
    shapes_.assets_in(asset_);
    choose_posture();
    between_ = massless_bodies_between(tree_);
    nodes_[world_name] = root_.append_child("worldbody");
    for (const WrittenBody& body : tree_.bodies) add_body(body);
    for (const FrameData& frame : robot.frames) add_site(frame.name, frame.body, frame.X_BF);
    tendon_ = root_.append_child("tendon");
    equality_ = root_.append_child("equality");
    actuator_ = root_.append_child("actuator");
    for (const WrittenBody& body : tree_.bodies)
      for (const WrittenJoint& joint : body.joints) add_coupled(joint);
    for (const ConstraintData& constraint : robot.constraints) couple(constraint);
    for (const WrittenClosing& closing : tree_.closing) close_loop(closing);
    for (const ElementData& element : robot.elements)
      if (!write_mjcf_element(tree_, element, nodes_, tendon_)) lose_element(tree_, element);
    for (const WrittenBody& body : tree_.bodies)
      for (const WrittenJoint& joint : body.joints) add_motor(joint);
    add_keyframes();
    for (pugi::xml_node section : {asset_, tendon_, equality_, actuator_})
      if (!section.first_child()) root_.remove_child(section);
    std::ostringstream out;
    document_.save(out, "  ");
    return {out.str(), std::move(tree_.lost)};
  }

 private:
  static void set(pugi::xml_node node, const char* name, const std::string& value) {
    node.append_attribute(name) = value.c_str();
  }

  void lose(const JointData& joint, std::string what) {
    tree_.lose(joint.mark, "joint " + in_quotes(joint.name), std::move(what));
  }

  /// Balls have no reference of their own: with them bodies stand where all joints are neutral, and
  /// loops are closed between sites.
  void choose_posture() {
    posture_ = tree_.posture;
    const Eigen::VectorXd neutral = tree_.model->neutral();
    bool turned = false;
    for (const WrittenBody& body : tree_.bodies)
      for (const WrittenJoint& joint : body.joints)
        if (joint.kind == Kind::ball && posture_.segment<4>(joint.q) != neutral.segment<4>(joint.q))
          turned = true;
    if (turned) posture_ = neutral;
    by_sites_ = !tree_.closed_at_neutral && turned;
  }

  // ---- bodies -----------------------------------------------------------------------------------

  /// With the joints of massless bodies before it.
  void add_body(const WrittenBody& body) {
    if (between_.count(body.name)) return;
    std::vector<const WrittenBody*> chain = {&body};
    while (between_.count(chain.front()->parent))
      chain.insert(chain.begin(), find_body(chain.front()->parent));
    Pose<double> X_PC;
    for (const WrittenBody* part : chain) X_PC = X_PC * pose_on_parent(tree_, *part, posture_);
    pugi::xml_node node = nodes_[chain.front()->parent].append_child("body");
    nodes_[body.name] = node;
    set(node, "name", body.name);
    place_mjcf(node, X_PC);
    const Inertial& I = body.inertial;
    if (I.mass != 0 || !I.inertia.isZero(0)) {
      pugi::xml_node inertial = node.append_child("inertial");
      set(inertial, "mass", xml_number(I.mass));
      set(inertial, "pos", xml_numbers(I.centre));
      Eigen::Matrix<double, 6, 1> full;
      full << I.inertia(0, 0), I.inertia(1, 1), I.inertia(2, 2), I.inertia(0, 1), I.inertia(0, 2),
          I.inertia(1, 2);
      set(inertial, "fullinertia", xml_numbers(full));
    }
    const bool moves = !body.joints.empty() || chain.size() > 1;
    if (moves && !(I.mass > least_mass && dense::eigen_symmetric(I.inertia).values(0) > least_mass))
      tree_.lose(body.data->mark, "body " + in_quotes(body.name),
                 "moves and has no mass, or none about one of its axes: MuJoCo itself refuses it");
    for (std::size_t at = 0; at < chain.size(); ++at) {
      Pose<double> X_BC;
      for (std::size_t next = at + 1; next < chain.size(); ++next)
        X_BC = X_BC * pose_on_parent(tree_, *chain[next], posture_);
      for (std::size_t k = 0; k < chain[at]->joints.size(); ++k)
        add_joint(node, *chain[at], k, X_BC);
      // The reader gives bodies between joints names of its own.
      if (chain[at] != &body && chain[at]->name != fmt::format("{}_{}", body.name, at + 1))
        tree_.lose(chain[at]->data->mark, "body " + in_quotes(chain[at]->name),
                   "has no mass; its joints are written as joints of body " + in_quotes(body.name));
    }
    for (const Geometry& shape : body.data->geometry) shapes_.add(node, body, shape, tree_.lost);
  }

  const WrittenBody* find_body(const std::string& name) const {
    return &*std::find_if(tree_.bodies.begin(), tree_.bodies.end(),
                          [&](const WrittenBody& body) { return body.name == name; });
  }

  /// In the frame of the body where all joints stand at the posture of the model. `X_BC`: of that
  /// body in the one that the joint moves.
  void add_joint(pugi::xml_node body_node, const WrittenBody& body, std::size_t k,
                 const Pose<double>& X_BC) {
    const WrittenJoint& joint = body.joints[k];
    const Pose<double> X_CM = (pose_after(tree_, body, k, posture_) * X_BC).inverse();
    if (joint.kind == Kind::free) return add_floating(body_node, body, joint);
    pugi::xml_node node = body_node.append_child("joint");
    set(node, "name", joint.name);
    if (joint.kind == Kind::ball) {
      set(node, "type", "ball");
      if (!X_CM.position.isZero(0)) set(node, "pos", xml_numbers(X_CM.position));
      if (X_CM.rotation != Matrix3<double>::Identity())
        lose(*joint.of, "turns in the axes of its body, not in its own frame");
      add_forces_of_several(node, joint);
      return;
    }
    if (joint.kind == Kind::slide) set(node, "type", "slide");
    if (!X_CM.position.isZero(0)) set(node, "pos", xml_numbers(X_CM.position));
    set(node, "axis", xml_numbers(X_CM.rotation * joint.axis));
    const double reference = coordinate_of(tree_, joint, posture_);
    if (reference != 0) set(node, "ref", xml_number(reference));
    add_forces(node, *joint.of, joint.degrees[0]);
    if (joint.kind != Kind::screw) return;
    pugi::xml_node advance = body_node.append_child("joint");
    set(advance, "name", joint.name + ".advance");
    set(advance, "type", "slide");
    set(advance, "axis", xml_numbers(X_CM.rotation * joint.axis));
    if (reference != 0) set(advance, "ref", xml_number(joint.pitch * reference));
    lose(*joint.of, "is a screw; written as a hinge and a slide with a coupling");
  }

  void add_floating(pugi::xml_node body_node, const WrittenBody& body, const WrittenJoint& joint) {
    if (body.parent != world_name) {
      lose(*joint.of, "floats on another body; written as three slides and a ball");
      constexpr const char* endings[] = {".x", ".y", ".z"};
      for (int k = 0; k < 3; ++k) {
        pugi::xml_node slide = body_node.append_child("joint");
        set(slide, "name", joint.name + endings[k]);
        set(slide, "type", "slide");
        set(slide, "axis", xml_numbers(body.X_MC.rotation.transpose().col(k)));
      }
      pugi::xml_node ball = body_node.append_child("joint");
      set(ball, "name", joint.name);
      set(ball, "type", "ball");
      set(ball, "pos", xml_numbers(body.X_MC.inverse().position));
      return;
    }
    pugi::xml_node node = body_node.append_child("joint");
    set(node, "name", joint.name);
    set(node, "type", "free");
    for (const Pose<double>& X : {body.X_PF, body.X_MC})
      if (X.rotation != Matrix3<double>::Identity() || !X.position.isZero(0))
        lose(*joint.of, "its coordinates become the pose of the body in the world");
    add_forces_of_several(node, joint);
  }

  void add_forces(pugi::xml_node node, const JointData& of, const DegreeData& degree) {
    if (std::isfinite(degree.lower) || std::isfinite(degree.upper)) {
      const bool both = std::isfinite(degree.lower) && std::isfinite(degree.upper);
      if (!both) lose(of, fmt::format("its missing limit is written as {:g}", far_away));
      set(node, "range",
          xml_numbers(Eigen::Vector2d(std::max(degree.lower, -far_away),
                                      std::min(degree.upper, far_away))));
      set(node, "limited", "true");
    }
    const auto given = [&](const char* name, double value) {
      if (value != 0) set(node, name, xml_number(value));
    };
    given("stiffness", degree.stiffness);
    given("springref", degree.rest);
    given("damping", degree.damping);
    given("frictionloss", degree.friction);
    given("armature", degree.rotor_inertia * degree.gear_ratio * degree.gear_ratio);
    lose_degrees(tree_, of, {degree}, {false, false, true, false});
  }

  void add_forces_of_several(pugi::xml_node node, const WrittenJoint& joint) {
    const DegreeData& first = joint.degrees[0];
    const bool alike =
        std::all_of(joint.degrees.begin(), joint.degrees.end(), [&](const DegreeData& degree) {
          return degree.damping == first.damping && degree.friction == first.friction;
        });
    if (!alike) lose(*joint.of, "damping and friction are written as those of its first degree");
    if (first.damping != 0) set(node, "damping", xml_number(first.damping));
    if (first.friction != 0) set(node, "frictionloss", xml_number(first.friction));
    lose_degrees(tree_, *joint.of, joint.degrees, {true, true, true, false});
  }

  void add_site(const std::string& name, const std::string& body, const Pose<double>& X) {
    pugi::xml_node site = nodes_[body].append_child("site");
    set(site, "name", name);
    place_mjcf(site, X);
  }

  // ---- couplings and loops ----------------------------------------------------------------------

  /// A joint that follows another, and the advance of a screw: y - y0 = a1 (x - x0), as both sides
  /// agree at the references.
  void add_coupled(const WrittenJoint& joint) {
    if (joint.kind == Kind::screw)
      couple_joints(joint.name + ".thread", joint.name + ".advance", joint.name, joint.pitch);
    if (!joint.mimic) return;
    couple_joints(joint.name + ".mimic", joint.name, joint.mimic->joint, joint.mimic->multiplier);
    lose(*joint.of, "follows another joint; written as an equality");
  }

  void couple_joints(const std::string& name, const std::string& one, const std::string& two,
                     double a1) {
    pugi::xml_node node = equality_.append_child("joint");
    set(node, "name", name);
    set(node, "joint1", one);
    set(node, "joint2", two);
    set(node, "polycoef",
        xml_numbers(Eigen::Matrix<double, 5, 1>{{0.0}, {a1}, {0.0}, {0.0}, {0.0}}));
  }

  /// A weighted sum of coordinates is a fixed tendon, held at its length, or led by a polynomial of
  /// one more coordinate, the second tendon.
  void couple(const ConstraintData& constraint) {
    if (constraint.type != ConstraintData::Type::coupling) return;
    std::vector<std::pair<const WrittenJoint*, double>> terms;
    const ConstraintData::Term* curved = nullptr;
    double length = 0;
    for (const ConstraintData::Term& term : constraint.terms) {
      const WrittenJoint* joint = part_of(term);
      if (!joint) {
        tree_.lose(
            constraint.mark, "coupling " + in_quotes(constraint.name),
            "not written: joint " + in_quotes(term.joint) + " is neither a hinge nor a slide");
        return;
      }
      if (!term.higher.empty()) {
        if (curved || constraint.terms.size() == 1 || term.higher.size() > 3)
          return tree_.lose(constraint.mark, "coupling " + in_quotes(constraint.name),
                            "not written: a MuJoCo model has polynomials of degree 4 of one "
                            "coordinate, equal to a weighted sum of others");
        curved = &term;
        continue;
      }
      terms.emplace_back(joint, term.factor);
      length += term.factor * coordinate_of(tree_, *joint, posture_);
    }
    add_fixed_tendon(constraint.name, terms);
    pugi::xml_node node = equality_.append_child("tendon");
    set(node, "name", constraint.name);
    set(node, "tendon1", constraint.name);
    Eigen::Matrix<double, 5, 1> a = Eigen::Matrix<double, 5, 1>::Zero();
    a(0) = constraint.offset - length;
    if (curved) {
      const WrittenJoint* joint = part_of(*curved);
      add_fixed_tendon(constraint.name + ".led", {{joint, 1}});
      set(node, "tendon2", constraint.name + ".led");
      const std::vector<double> p =
          substituted(curved->factor, curved->higher, 1, coordinate_of(tree_, *joint, posture_));
      for (std::size_t k = 0; k < p.size(); ++k) a(static_cast<Eigen::Index>(k)) -= p[k];
    }
    set(node, "polycoef", xml_numbers(a));
  }

  void add_fixed_tendon(const std::string& name,
                        const std::vector<std::pair<const WrittenJoint*, double>>& terms) {
    pugi::xml_node fixed = tendon_.append_child("fixed");
    set(fixed, "name", name);
    for (const auto& [joint, factor] : terms) {
      pugi::xml_node node = fixed.append_child("joint");
      set(node, "joint", joint->name);
      set(node, "coef", xml_number(factor));
    }
  }

  const WrittenJoint* part_of(const ConstraintData::Term& term) const {
    for (const WrittenBody& body : tree_.bodies)
      for (const WrittenJoint& joint : body.joints)
        if (joint.of->name == term.joint && joint.kind != Kind::ball && joint.kind != Kind::free &&
            joint.name ==
                term.joint +
                    traits_of(joint.of->type).speeds[static_cast<std::size_t>(term.degree)].suffix)
          return &joint;
    return nullptr;
  }

  void close_loop(const WrittenClosing& closing) {
    const JointData& joint = *closing.joint;
    if (closing.is({})) {
      pugi::xml_node weld = equality_.append_child("weld");
      set(weld, "name", joint.name);
      set(weld, "body1", joint.parent);
      set(weld, "body2", joint.child);
      const Pose<double> X = joint.X_PF * joint.X_MC;
      Eigen::Matrix<double, 7, 1> pose;
      pose << X.position, quaternion_from_rotation(X.rotation);
      set(weld, "relpose", xml_numbers(pose));
    } else if (closing.is({Kind::ball}) || closing.is({Kind::hinge})) {
      connect(joint, joint.name, Vector3<double>::Zero());
      if (closing.is({Kind::hinge}))
        connect(joint, joint.name + "_axis", along_hinge * closing.parts[0].axis);
    } else {
      lose(joint, fmt::format("closes a loop and is not written: MuJoCo has no equality for a {} "
                              "joint",
                              name_of(joint.type)));
      return;
    }
    for (const DegreeData& degree : closing.degrees)
      if (degree.stiffness != 0 || degree.damping != 0 || degree.friction != 0 ||
          degree.rotor_inertia != 0 || std::isfinite(degree.lower) || std::isfinite(degree.upper)) {
        lose(joint, "closes a loop: springs, damping, friction and limits of it are not written");
        break;
      }
  }

  /// The point `at` of the joint's frame, on both bodies.
  void connect(const JointData& joint, const std::string& name, const Vector3<double>& at) {
    pugi::xml_node node = equality_.append_child("connect");
    set(node, "name", name);
    if (!by_sites_) {
      set(node, "body1", joint.parent);
      set(node, "body2", joint.child);
      set(node, "anchor", xml_numbers(joint.X_PF * at));
      return;
    }
    add_site(name + "_1", joint.parent, Pose<double>::translation(joint.X_PF * at));
    add_site(name + "_2", joint.child, Pose<double>::translation(joint.X_MC.inverse() * at));
    set(node, "site1", name + "_1");
    set(node, "site2", name + "_2");
  }

  void add_motor(const WrittenJoint& joint) {
    if (joint.degrees.size() != 1 || !std::isfinite(joint.degrees[0].effort_limit)) return;
    pugi::xml_node motor = actuator_.append_child("motor");
    set(motor, "name", joint.name);
    set(motor, "joint", joint.name);
    set(motor, "ctrllimited", "true");
    const double effort = joint.degrees[0].effort_limit;
    set(motor, "ctrlrange", xml_numbers(Eigen::Vector2d(-effort, effort)));
  }

  void add_keyframes() {
    pugi::xml_node keyframe;
    for (const PostureData& data : tree_.robot().postures) {
      Eigen::VectorXd q;
      try {
        q = posture(*tree_.model, data.name);
      } catch (const ComputationError& error) {  // a posture of MuJoCo may leave couplings open
        tree_.lose(data.mark, "posture " + in_quotes(data.name),
                   fmt::format("not written: {}", error.what()));
        continue;
      }
      if (!keyframe) keyframe = root_.append_child("keyframe");
      std::vector<double> qpos;
      for (const WrittenBody& body : in_document_order())
        for (const WrittenJoint& joint : body.joints) append(qpos, body, joint, q);
      pugi::xml_node key = keyframe.append_child("key");
      set(key, "name", data.name);
      set(key, "qpos",
          xml_numbers(Eigen::Map<const Eigen::VectorXd>(qpos.data(),
                                                        static_cast<Eigen::Index>(qpos.size()))));
    }
  }

  void append(std::vector<double>& qpos, const WrittenBody& body, const WrittenJoint& joint,
              const Eigen::VectorXd& q) const {
    const auto add = [&](const auto& values) {
      qpos.insert(qpos.end(), values.data(), values.data() + values.size());
    };
    if (joint.kind == Kind::ball) {
      add(Eigen::Vector4d(q.segment<4>(joint.q)));
    } else if (joint.kind == Kind::free && body.parent == world_name) {
      const Pose<double> X = pose_on_parent(tree_, body, q);
      add(X.position);
      add(Eigen::Vector4d(quaternion_from_rotation(X.rotation)));
    } else if (joint.kind == Kind::free) {
      add(Eigen::Vector3d(q.segment<3>(joint.q + 4)));
      add(Eigen::Vector4d(q.segment<4>(joint.q)));
    } else {
      qpos.push_back(coordinate_of(tree_, joint, q));
      if (joint.kind == Kind::screw) qpos.push_back(joint.pitch * qpos.back());
    }
  }

  /// Bodies depth first, as MuJoCo counts them.
  std::vector<WrittenBody> in_document_order() const {
    std::vector<WrittenBody> ordered;
    const auto visit = [&](const auto& self, const std::string& parent) -> void {
      for (const WrittenBody& body : tree_.bodies)
        if (body.parent == parent) {
          ordered.push_back(body);
          self(self, body.name);
        }
    };
    visit(visit, world_name);
    return ordered;
  }

  WrittenTree tree_;
  Eigen::VectorXd posture_;
  bool by_sites_ = false;
  pugi::xml_document document_;
  pugi::xml_node root_, asset_, tendon_, equality_, actuator_;
  std::map<std::string, pugi::xml_node> nodes_;
  std::set<std::string> between_;  ///< bodies that are no bodies of the file
  MjcfShapes shapes_;
};

}  // namespace

WrittenRobot write_mjcf(WrittenTree tree, const WriteOptions&) {
  return MjcfWriter(std::move(tree)).run();
}

}  // namespace ulna
