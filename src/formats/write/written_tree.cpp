#include "write/written_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orientation.hpp"
#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/kinematics/state.hpp"
#include "ulna/model/joints/joint_base.hpp"
#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/spatial/rotation.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

using Kind = WrittenJoint::Kind;

// Loops whose bodies meet to this at the neutral posture are closed there.
constexpr double closed_enough = 1e-9;

class TreeWriter {
 public:
  explicit TreeWriter(const Model& model) : model_(model), robot_(model.robot()) {
    tree_.model = &model;
  }

  WrittenTree run() {
    hang();
    find_posture();
    note_losses();
    return std::move(tree_);
  }

 private:
  const JointData* find_joint(const std::string& name) const {
    for (const JointData& joint : robot_.joints)
      if (joint.name == name) return &joint;
    return nullptr;
  }

  /// Bodies in the order in which the tree reaches them from the world.
  void hang() {
    std::vector<char> reached(model_.bodies().size(), 0);
    reached[0] = 1;
    std::vector<const Joint*> open;
    for (const Joint& joint : model_.joints()) open.push_back(&joint);
    for (bool more = true; more;) {
      more = false;
      for (const Joint*& joint : open) {
        if (!joint) continue;
        const int from = joint->reversed ? joint->child : joint->parent;
        if (!reached[static_cast<std::size_t>(from)]) continue;
        const int to = joint->reversed ? joint->parent : joint->child;
        reached[static_cast<std::size_t>(to)] = 1;
        add(*joint, from, to);
        joint = nullptr;
        more = true;
      }
    }
  }

  void add(const Joint& joint, int from, int to) {
    const JointData& data = *find_joint(joint.name);
    WrittenBody body;
    body.data = &robot_.bodies[static_cast<std::size_t>(to - 1)];
    body.name = body.data->name;
    body.parent = model_.bodies()[static_cast<std::size_t>(from)].name;
    body.joint = data.name;
    body.X_PF = joint.reversed ? data.X_MC.inverse() : data.X_PF;
    body.X_MC = joint.reversed ? data.X_PF.inverse() : data.X_MC;
    std::vector<JointPart> parts = parts_of(data);
    if (joint.reversed) std::reverse(parts.begin(), parts.end());
    for (const JointPart& part : parts) {
      body.joints.push_back(written(data, part, joint.q, joint.reversed));
      if (joint.mimicked >= 0) body.joints.back().mimic = data.mimic;
    }
    body.inertial = whole_inertial(*body.data);
    tree_.bodies.push_back(std::move(body));
  }

  void add_closing(const JointData& data, const Eigen::VectorXd& q) {
    WrittenClosing closing;
    closing.joint = &data;
    for (const JointPart& part : parts_of(data))
      closing.parts.push_back(written(data, part, 0, false));
    closing.degrees = data.degrees;
    closing.degrees.resize(static_cast<std::size_t>(size_of(data.type).speeds));
    closing.q = q;
    tree_.closing.push_back(std::move(closing));
  }

  static WrittenJoint written(const JointData& data, const JointPart& part, int first_q,
                              bool reversed) {
    WrittenJoint out;
    out.of = &data;
    out.q = first_q + part.q;
    std::vector<DegreeData> degrees = data.degrees;
    degrees.resize(static_cast<std::size_t>(size_of(data.type).speeds));
    const auto first = degrees.begin() + part.v;
    if (part.kind != JointPart::Kind::screw) {
      const bool ball = part.kind == JointPart::Kind::ball;
      out.kind = ball ? Kind::ball : Kind::free;
      out.name = data.name;
      out.degrees.assign(first, first + (ball ? 3 : 6));
      return out;
    }
    const Degree& degree = traits_of(data.type).speeds[static_cast<std::size_t>(part.v)];
    out.name = data.name + degree.suffix;
    out.kind = part.sigma == 0 ? Kind::slide : part.h == 0 ? Kind::hinge : Kind::screw;
    // Of unit length: the sign of a part is that of its axis.
    out.pitch = part.sigma == 0 ? 0 : part.h / part.sigma;
    out.axis = part.A.col(2) * (part.sigma != 0 ? part.sigma : part.h) * (reversed ? -1 : 1);
    out.degrees = {*first};
    return out;
  }

  /// With beams as rigid rods and with what it carries.
  Inertial whole_inertial(const BodyData& body) {
    Inertial own = inertial_of(body);
    Inertia<double> sum = Inertia<double>::from_centre(own.mass, own.centre, own.inertia);
    bool more = false;
    for (const PayloadData& load : robot_.payloads) {
      if (load.body != body.name) continue;
      more = true;
      sum += transform(load.X_BL,
                       Inertia<double>::from_centre(load.inertial.mass, load.inertial.centre,
                                                    load.inertial.inertia));
    }
    if (!more) return own;
    own.mass = sum.mass;
    own.centre = sum.mass > 0 ? Vector3<double>(sum.first_moment / sum.mass) : own.centre;
    own.inertia = sum.about_origin - Inertia<double>::parallel_axis(own.mass, own.centre);
    return own;
  }

  void find_posture() {
    tree_.posture = model_.neutral();
    LoopClosure closure(model_);
    Workspace work(model_);
    closure.update(work, tree_.posture);
    tree_.closed_at_neutral =
        closure.residual().size() == 0 || closure.residual().cwiseAbs().maxCoeff() < closed_enough;
    const State state = complete_state(
        model_, {.q = tree_.closed_at_neutral ? StatePart(tree_.posture) : StatePart()});
    if (!tree_.closed_at_neutral) tree_.posture = state.q;
    for (std::size_t k = 0; k < state.closing.size(); ++k)
      if (const JointData* joint = find_joint(model_.loops()[k].joint))
        add_closing(*joint, state.closing[k].q);
  }

  void note_losses() {
    for (const BodyData& body : robot_.bodies)
      if (body.modal)
        tree_.lose(body.mark, "body " + in_quotes(body.name), "is flexible; written as rigid");
    for (const PayloadData& load : robot_.payloads)
      tree_.lose(load.mark, "payload " + in_quotes(load.name),
                 "written as part of body " + in_quotes(load.body));
    for (const ConstraintData& rod : robot_.constraints)
      if (rod.type == ConstraintData::Type::distance)
        tree_.lose(rod.mark, "distance " + in_quotes(rod.name),
                   "not written: the format has no rods of constant length");
    if (robot_.loop_tolerance > 0)
      tree_.lose({robot_.source}, "loop_tolerance", "not written: the format has no place for it");
  }

  const Model& model_;
  const Robot& robot_;
  WrittenTree tree_;
};

/// M in F of one part.
Pose<double> moved(const WrittenTree& tree, const WrittenJoint& joint, const Eigen::VectorXd& q) {
  Pose<double> X;
  switch (joint.kind) {
    case Kind::hinge:
    case Kind::screw:
    case Kind::slide: {
      const double value = coordinate_of(tree, joint, q);
      if (joint.kind != Kind::slide) X.rotation = rotation_from_axis_angle(joint.axis, value);
      X.position = joint.axis * (joint.kind == Kind::slide ? value : joint.pitch * value);
      return X;
    }
    case Kind::free:
      X.position = q.segment<3>(joint.q + 4);
      [[fallthrough]];
    case Kind::ball:
      X.rotation = rotation_from_wxyz(q.segment<4>(joint.q));
      return X;
  }
  return X;
}

}  // namespace

bool WrittenClosing::is(std::initializer_list<WrittenJoint::Kind> kinds) const {
  return std::equal(parts.begin(), parts.end(), kinds.begin(), kinds.end(),
                    [](const WrittenJoint& part, Kind kind) { return part.kind == kind; });
}

WrittenTree written_tree(const Model& model) { return TreeWriter(model).run(); }

double coordinate_of(const WrittenTree& tree, const WrittenJoint& joint, const Eigen::VectorXd& q) {
  if (!joint.mimic) return q(joint.q);
  for (const WrittenBody& body : tree.bodies)
    for (const WrittenJoint& leader : body.joints)
      if (leader.name == joint.mimic->joint)
        return joint.mimic->multiplier * coordinate_of(tree, leader, q) + joint.mimic->offset;
  return joint.mimic->offset;
}

Pose<double> pose_on_parent(const WrittenTree& tree, const WrittenBody& body,
                            const Eigen::VectorXd& q) {
  Pose<double> X = body.X_PF;
  for (const WrittenJoint& joint : body.joints) X = X * moved(tree, joint, q);
  return X * body.X_MC;
}

Pose<double> pose_after(const WrittenTree& tree, const WrittenBody& body, std::size_t k,
                        const Eigen::VectorXd& q) {
  Pose<double> X;
  for (std::size_t j = k + 1; j < body.joints.size(); ++j) X = X * moved(tree, body.joints[j], q);
  return X * body.X_MC;
}

std::string xml_number(double value) {
  if (!std::isfinite(value))
    throw InputError(fmt::format("a robot with the number {} cannot be written", value),
                     "finite numbers");
  return fmt::format("{}", value + 0.0);
}

std::string xml_numbers(const Eigen::Ref<const Eigen::VectorXd>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " ") + xml_number(value);
  return text;
}

Vector3<double> rpy_of(const Matrix3<double>& R) {
  if (const auto exact = exact_rpy(R)) return *exact;
  const double across = std::hypot(R(0, 0), R(1, 0));
  const double yaw = across > 0 ? std::atan2(R(1, 0), R(0, 0)) : 0;
  // Roll in the axes that yaw leaves, so that both together are right near pitch = 90 degrees, too.
  const double s = std::sin(yaw), c = std::cos(yaw);
  const double roll = std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1));
  return {roll, std::atan2(-R(2, 0), across), yaw};
}

void lose_element(WrittenTree& tree, const ElementData& element) {
  tree.lose(element.mark, fmt::format("{} {}", name_of(element.type), in_quotes(element.name)),
            "not written: the format has no such element");
}

void lose_degrees(WrittenTree& tree, const JointData& joint, const std::vector<DegreeData>& degrees,
                  const DegreeLoss& lacks) {
  bool spring = false, shape = false, rotor = false, velocity = false, damping = false;
  for (const DegreeData& degree : degrees) {
    spring = spring || degree.stiffness != 0;
    shape = shape || degree.hardening != 0 || degree.backlash != 0;
    rotor = rotor || degree.rotor_inertia != 0;
    velocity = velocity || std::isfinite(degree.velocity_limit);
    damping = damping || degree.damping != 0 || degree.friction != 0;
  }
  const auto lose = [&](const char* what) {
    tree.lose(joint.mark, "joint " + in_quotes(joint.name), what);
  };
  if (spring && lacks.spring) lose("its spring is not written");
  if (shape) lose("hardening and play of its spring are not written");
  if (rotor && lacks.rotor) lose("its rotor inertia is not written");
  if (velocity && lacks.velocity) lose("its velocity limit is not written");
  if (damping && lacks.damping) lose("its damping and friction are not written");
}

}  // namespace ulna
