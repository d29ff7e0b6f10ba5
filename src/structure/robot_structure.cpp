#include "ulna/structure/robot_structure.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "body_mesh.hpp"
#include "bushings.hpp"
#include "closing_spring.hpp"
#include "element_springs.hpp"
#include "joint_motion.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/internal/undeformed.hpp"
#include "ulna/model/kernels/spring.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

using Vec = Vector3<double>;

/// Walks the tree from the world and adds body after body to the frame.
class StructureMaker {
 public:
  StructureMaker(RobotStructure& out, const Model& model, const VectorRef& q)
      : out_(out), model_(model), robot_(model.robot()), q_(q) {
    Workspace work(model);
    update_poses(model, work, q);
    for (std::size_t b = 0; b < model.bodies().size(); ++b)
      out.X_WB_.push_back(frame_pose(model, work, static_cast<int>(b)));
    for (const auto& [name, support] : out.options_.support) require_joint(name);
    for (const JointData& joint : robot_.joints) data_.emplace(joint.name, &joint);
  }

  void run() {
    const auto bodies = static_cast<int>(model_.bodies().size());
    out_.freedom_of_speed_.assign(model_.speeds(), -1);
    collect_points();
    nodes_.resize(bodies);
    meshes_.resize(bodies);
    nodes_[0].push_back(add_owned(frame_.add_clamped_node("ground", Vec::Zero()), 0));
    meshes_[0].nodes.push_back(Vec::Zero());
    std::vector<int> waiting = {0};
    for (std::size_t k = 0; k < waiting.size(); ++k)
      for (const Joint& joint : model_.joints()) {
        const int inner = joint.reversed ? joint.child : joint.parent;
        const int outer = joint.reversed ? joint.parent : joint.child;
        if (inner != waiting[k]) continue;
        place(joint, inner, outer);
        waiting.push_back(outer);
      }
    tie_other_bushings();
    for (const Loop& loop : model_.loops()) {
      out_.loop_springs_.push_back(-1);
      close(loop);
    }
    const auto node_at = [this](int body, const Vec& p_W, const std::string& name) {
      return end_node(body, p_W, name);
    };
    add_element_springs(model_, q_, out_.X_WB_, out_.freedom_of_speed_, frame_, node_at);
    out_.element_nodes_ = element_nodes(model_, out_.X_WB_, node_at);
    for (const PayloadData& load : robot_.payloads) add_payload(load);
    for (const auto& f : model_.frames()) {
      const Vec p = out_.X_WB_[f.body].inverse() * position_of(f);
      out_.frame_nodes_.push_back(attach(f.body, p, f.name));
    }
  }

 private:
  // In the tree or closing a loop; the error of the model names what is near.
  void require_joint(const std::string& name) const {
    for (const Loop& loop : model_.loops())
      if (loop.joint == name && loop.kind == LoopKind::joint) return;
    model_.joint(name);
  }

  Vec position_of(const ulna::Frame& f) const {
    return out_.X_WB_[f.body] * pose_on_body(model_, f.body, f.node, f.X_NF).position;
  }

  int add_owned(int node, int body) {
    out_.node_owner_.resize(node + 1, body);
    out_.node_owner_[node] = body;
    return node;
  }

  const BodyData& body_data(int body) const { return robot_.bodies[body - 1]; }

  // Where each body is touched, in its own axes.
  void collect_points() {
    points_.resize(model_.bodies().size());
    for (const JointData& joint : robot_.joints) {
      points_[model_.body(joint.parent)].push_back(joint.X_PF.position);
      points_[model_.body(joint.child)].push_back(joint.X_MC.inverse().position);
    }
    for (const JointData& joint : robot_.joints)
      for (const PlacedBushing& bushing : bushings(joint))
        for (const std::string& name : {joint.parent, joint.child}) {
          const int body = model_.body(name);
          points_[body].push_back(out_.X_WB_[body].inverse() * bushing.position);
        }
    for (const ConstraintData& rod : robot_.constraints) {
      if (rod.type != ConstraintData::Type::distance) continue;
      points_[model_.body(rod.parent)].push_back(rod.parent_point);
      points_[model_.body(rod.child)].push_back(rod.child_point);
    }
    for (const Element& element : model_.elements())
      for (const ElementPoint& point : element.points)
        points_[point.body].push_back(point_on_body(model_, point).position);
    for (const PayloadData& load : robot_.payloads)
      points_[model_.body(load.body)].push_back(load.X_BL.position);
    for (const FrameData& f : robot_.frames)
      points_[model_.body(f.body)].push_back(f.X_BF.position);
  }

  // The frame's node at a point of a body: one of its mesh, or one carried by the nearest of it.
  int attach(int body, const Vec& p, const std::string& name) {
    const int near = meshes_[body].nearest(p);
    const int node = nodes_[body][near];
    if (body == 0 || (meshes_[body].nodes[near] - p).norm() < 1e-9) return node;
    const int carried = frame_.add_carried_node(name, out_.X_WB_[body] * p, node);
    return add_owned(carried, out_.node_owner_[node]);
  }

  Pose<double> pose_F(const JointData& joint) const {
    return out_.X_WB_[model_.body(joint.parent)] * joint.X_PF;
  }
  Pose<double> pose_M(const JointData& joint) const {
    return out_.X_WB_[model_.body(joint.child)] * joint.X_MC.inverse();
  }

  const BodyData* data_of(int body) const { return body > 0 ? &body_data(body) : nullptr; }

  // Where a sliding joint holds the beam that passes through it. None where no beam is there, and
  // the joint's two places are joined by a rigid arm.
  std::vector<PlacedBushing> bushings(const JointData& joint) const {
    const int parent = model_.body(joint.parent), child = model_.body(joint.child);
    return placed_bushings(
        {joint, data_of(parent), data_of(child), out_.X_WB_[parent], out_.X_WB_[child]});
  }

  JointSupport support_of(const std::string& joint) const {
    const auto found = out_.options_.support.find(joint);
    return found != out_.options_.support.end() ? found->second
                                                : JointSupport{out_.options_.joints, 0, 0};
  }

  // The freedoms of a joint, made when first asked for; of a mimic joint those of its leader.
  std::vector<int> freedoms_of(const Joint& leader) {
    std::vector<int> freedoms;
    if (support_of(leader.name).hold == JointHold::locked) return freedoms;
    for (int k = 0; k < leader.speeds; ++k) {
      int& freedom = out_.freedom_of_speed_[leader.v + k];
      if (freedom < 0) freedom = frame_.add_freedom(model_.speed_names()[leader.v + k]);
      freedoms.push_back(freedom);
    }
    return freedoms;
  }

  void place(const Joint& joint, int inner, int outer) {
    const JointData& data = *data_.at(joint.name);
    const Pose<double> X_WF = pose_F(data), X_WM = pose_M(data);
    const std::vector<PlacedBushing> held = bushings(data);
    Vec p_inner = X_WF.position, p_outer = X_WM.position;
    if (joint.reversed) std::swap(p_inner, p_outer);
    if (!held.empty()) p_inner = p_outer = held[0].position;
    const int master = inner == 0
                           ? add_owned(frame_.add_clamped_node(joint.name, p_inner), 0)
                           : attach(inner, out_.X_WB_[inner].inverse() * p_inner, joint.name);
    const JointFollowing led = following(model_, joint);
    std::vector<int> freedoms = freedoms_of(*led.leader);
    JointColumns S = joint_motion(data, X_WF, X_WM) * (joint.reversed ? -led.factor : led.factor);
    if (freedoms.empty()) S.resize(6, 0);
    require_within(S, joint.name);
    add_terms(data, freedoms, led);

    // The points come with the joint's own first: a rigid body has its node there.
    std::vector<Vec> points = points_[outer];
    const Vec inlet = out_.X_WB_[outer].inverse() * p_outer;
    points.insert(points.begin(), inlet);
    meshes_[outer] = mesh_of(body_data(outer), points);
    const BodyMesh& mesh = meshes_[outer];
    const int root = mesh.nearest(inlet);
    nodes_[outer].assign(mesh.nodes.size(), -1);
    const Vec p_root = out_.X_WB_[outer] * mesh.nodes[root];
    // The joint's motion is that of M's origin; the root may stand beside it.
    const Vec arm = p_root - X_WM.position;
    for (int k = 0; k < S.cols(); ++k) S.col(k).head<3>() -= arm.cross(S.col(k).tail<3>().eval());
    if (!held.empty()) release(held[0], joint.name, p_root, S, freedoms);
    for (std::size_t k = 0; k < mesh.nodes.size(); ++k) {
      const Vec p = out_.X_WB_[outer] * mesh.nodes[k];
      const std::string name = fmt::format("{} node {}", model_.bodies()[outer].name, k);
      if (static_cast<int>(k) == root)
        // Where the body before the joint does not bend, the joint's own columns turn with it.
        nodes_[outer][k] = add_owned(
            frame_.add_carried_node(name, p, master, S, freedoms),
            frame_.nodes()[master].map.freedoms.empty() ? inner : out_.node_owner_[master]);
      else
        nodes_[outer][k] = add_owned(frame_.add_node(name, p, out_.options_.freedoms), outer);
    }
    add_members(outer);
  }

  bool within(const Vector6<double>& motion) const {
    for (int k = 0; k < 6; ++k)
      if (!(out_.options_.freedoms >> k & 1u) && std::abs(motion(k)) > 1e-9) return false;
    return true;
  }

  // The first bushing of a joint in the tree lets its beam move where it is not rigid: freedoms of
  // their own, with its stiffness on them (docs/theory/structure.md, eq. 43).
  void release(const PlacedBushing& bushing, const std::string& joint, const Vec& p_root,
               JointColumns& S, std::vector<int>& freedoms) {
    for (const BushingDirection& d : bushing.across) {
      if (d.rigid() || !within(d.direction)) continue;
      freedoms.push_back(frame_.add_freedom(fmt::format("{} bushing 1 {}", joint, d.name)));
      frame_.add_term({freedoms.back(), d.stiffness, 0, 0});
      S.conservativeResize(6, S.cols() + 1);
      S.rightCols<1>() = d.direction;
      S.rightCols<1>().head<3>() += d.direction.tail<3>().cross(p_root - bushing.position);
    }
  }

  // The others, and all of a joint that closes a loop, tie two bodies that are there already
  // (eq. 44).
  void tie(const PlacedBushing& bushing, int inner, int outer, const std::string& joint) {
    const int a = end_node(inner, bushing.position, joint),
              b = end_node(outer, bushing.position, joint);
    elastic::StructureSpring spring;
    spring.name = "bushing of joint '" + joint + "'";
    spring.a = b, spring.b = a;
    for (const BushingDirection& d : bushing.across) {
      if (!within(d.direction) || d.stiffness == 0) continue;
      if (d.rigid())
        add_condition((rows_of(b, d.direction) - rows_of(a, d.direction)).transpose());
      else
        spring.stiffness += d.stiffness * d.direction * d.direction.transpose();
    }
    if (!spring.stiffness.isZero(0)) frame_.add_spring(spring);
  }

  void tie_other_bushings() {
    for (const Joint& joint : model_.joints()) {
      const std::vector<PlacedBushing> held = bushings(*data_.at(joint.name));
      for (std::size_t k = 1; k < held.size(); ++k)
        tie(held[k], joint.parent, joint.child, joint.name);
    }
  }

  // A frame with few freedoms has no place for a joint that moves across them.
  void require_within(const JointColumns& S, const std::string& joint) const {
    for (int k = 0; k < S.cols(); ++k)
      if (!within(S.col(k)))
        throw InputError(Problem{{},
                                 "joint '" + joint + "'",
                                 "moves along freedoms that the nodes do not have",
                                 "joints within the plane, or locked ones",
                                 {}});
  }

  // The spring of a joint by its slope where the joint stands: with hardening or play it has others
  // elsewhere.
  void add_terms(const JointData& data, const std::vector<int>& freedoms,
                 const JointFollowing& led) {
    const JointSupport support = support_of(data.name);
    for (std::size_t k = 0; k < freedoms.size(); ++k) {
      const DegreeData d = k < data.degrees.size() ? data.degrees[k] : DegreeData();
      const double f2 = led.factor * led.factor;
      const int at = model_.coordinate_of_speed()[led.leader->v + static_cast<int>(k)];
      const double position = led.factor * (at < 0 ? 0 : q_(at)) + led.offset;
      const double stiffness = spring_tangent(d, position - d.rest);
      frame_.add_term({freedoms[k], f2 * (stiffness + support.stiffness),
                       f2 * (d.damping + support.damping),
                       f2 * d.rotor_inertia * d.gear_ratio * d.gear_ratio});
    }
  }

  void add_members(int body) {
    const BodyData& data = body_data(body);
    const BodyMesh& mesh = meshes_[body];
    const Matrix3<double>& R = out_.X_WB_[body].rotation;
    if (data.beams.empty()) {
      add_rigid(data.name, body, nodes_[body][0], mesh.nodes[0], data.inertial);
      return;
    }
    for (std::size_t k = 0; k < mesh.elements.size(); ++k) {
      const MeshElement& e = mesh.elements[k];
      const BeamData& beam = data.beams[e.beam];
      frame_.add_element({fmt::format("body '{}', beam{} element {}", data.name,
                                      beam.name.empty() ? "" : " '" + beam.name + "'", k + 1),
                          nodes_[body][e.start], nodes_[body][e.end], R * section_axes(beam),
                          (mesh.nodes[e.end] - mesh.nodes[e.start]).norm(),
                          properties_of(beam, e.section), body, e.beam, e.section});
    }
    for (const BeamData& beam : data.beams)
      for (const AttachedBody& part : beam.attached) {
        const Vec p = beam.from + part.station * (beam.to - beam.from);
        Inertial inertial = part.inertial;
        inertial.centre += p;
        const int near = mesh.nearest(p);
        add_rigid(data.name, body, nodes_[body][near], mesh.nodes[near], inertial);
      }
  }

  // A rigid part, given in body axes, on the node at `at` of the body.
  void add_rigid(const std::string& name, int body, int node, const Vec& at,
                 const Inertial& inertial) {
    if (inertial.mass == 0 && inertial.inertia.isZero(0)) return;
    const Matrix3<double>& R = out_.X_WB_[body].rotation;
    frame_.add_body({name, node,
                     Inertia<double>::from_centre(inertial.mass, R * (inertial.centre - at),
                                                  R * inertial.inertia * R.transpose()),
                     body});
  }

  void add_payload(const PayloadData& load) {
    const int body = model_.body(load.body);
    if (body == 0) return;
    Inertial inertial = load.inertial;
    inertial.centre = load.X_BL * load.inertial.centre;
    inertial.inertia = load.X_BL.rotation * inertial.inertia * load.X_BL.rotation.transpose();
    const int near = meshes_[body].nearest(load.X_BL.position);
    add_rigid("payload " + load.name, body, nodes_[body][near], meshes_[body].nodes[near],
              inertial);
  }

  // ---- loops: conditions on freedoms that are there already
  // --------------------------------------

  Eigen::MatrixXd rows_of(int node, const Eigen::MatrixXd& directions) const {
    const elastic::NodeMap& map = frame_.nodes()[node].map;
    const Eigen::MatrixXd parts = directions.transpose() * map.columns;
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(directions.cols(), frame_.freedoms());
    for (std::size_t k = 0; k < map.freedoms.size(); ++k)
      rows.col(map.freedoms[k]) += parts.col(static_cast<int>(k));
    return rows;
  }

  void close(const Loop& loop) {
    if (loop.kind == LoopKind::coupling) {
      Eigen::VectorXd row = Eigen::VectorXd::Zero(frame_.freedoms());
      for (const CouplingTerm& term : loop.terms)
        if (const int f = out_.freedom_of_speed_[term.v]; f >= 0) row(f) += term.slope(q_(term.q));
      if (!row.isZero(0)) frame_.add_condition(row);
      return;
    }
    Vec p_F, p_M;
    Eigen::MatrixXd held;
    if (loop.kind == LoopKind::distance) {
      for (const ConstraintData& rod : robot_.constraints)
        if (rod.name == loop.joint) {
          p_F = out_.X_WB_[model_.body(rod.parent)] * rod.parent_point;
          p_M = out_.X_WB_[model_.body(rod.child)] * rod.child_point;
        }
      held.setZero(6, 1);
      held.topRows<3>() = (p_M - p_F).normalized();
    } else {
      const JointData& joint = *data_.at(loop.joint);
      std::vector<PlacedBushing> bushed = bushings(joint);
      p_F = bushed.empty() ? pose_F(joint).position : bushed[0].position;
      p_M = bushed.empty() ? pose_M(joint).position : bushed[0].position;
      JointColumns S = joint_motion(joint, pose_F(joint), pose_M(joint));
      if (support_of(loop.joint).hold == JointHold::locked) S.resize(6, 0);
      add_spring(loop, S, p_M);
      // What the first bushing leaves to its own stiffness is not held here either.
      if (!bushed.empty()) {
        for (BushingDirection& d : bushed[0].across) {
          if (d.rigid()) {
            d.stiffness = 0;
            continue;
          }
          S.conservativeResize(6, S.cols() + 1);
          S.rightCols<1>() = d.direction;
        }
        for (const PlacedBushing& one : bushed) tie(one, loop.parent, loop.child, loop.joint);
      }
      // The directions across S: the last columns of Q.
      held = dense::Qr(S).full_Q().rightCols(6 - S.cols());
    }
    const int a = end_node(loop.parent, p_F, loop.joint), b = end_node(loop.child, p_M, loop.joint);
    // A rod's ends turn freely; of a joint both sides are compared at M's origin.
    Eigen::MatrixXd at_F = held;
    if (loop.kind == LoopKind::joint) {
      const Vec arm = p_M - p_F;
      for (int k = 0; k < held.cols(); ++k)
        at_F.col(k).tail<3>() += arm.cross(Vec(held.col(k).head<3>()));
    }
    const Eigen::MatrixXd rows = rows_of(b, held) - rows_of(a, at_F);
    for (int k = 0; k < rows.rows(); ++k) add_condition(rows.row(k).transpose());
  }

  // Across unit directions: where the nodes cannot move, only rounding is left of a row, and it is
  // no condition.
  void add_condition(const Eigen::VectorXd& row) {
    if (row.size() > 0 && row.cwiseAbs().maxCoeff() > 1e-12) frame_.add_condition(row);
  }

  // A closing joint has no freedom of its own: its spring and damper lie between the two bodies, on
  // the part of their relative motion along its columns (docs/theory/structure.md, eq. 40).
  void add_spring(const Loop& loop, const JointColumns& S, const Vec& p_M) {
    const std::optional<ClosingSpring> own =
        closing_spring(model_, q_, loop, support_of(loop.joint), S);
    if (!own) return;
    elastic::StructureSpring spring;
    spring.name = "joint '" + loop.joint + "'";
    spring.a = end_node(loop.child, p_M, loop.joint);
    spring.b = loop.parent == 0 ? -1 : end_node(loop.parent, p_M, loop.joint);
    if (loop.child == 0) std::swap(spring.a, spring.b), spring.b = -1;
    spring.stiffness = own->stiffness;
    spring.damping = own->damping;
    out_.loop_springs_.back() = static_cast<int>(frame_.springs().size());
    out_.closing_loads_.push_back(
        {spring.a, spring.b, loop.child == 0 ? Vector6<double>(-own->force) : own->force});
    frame_.add_spring(spring);
  }

  int end_node(int body, const Vec& p_W, const std::string& name) {
    if (body == 0) return nodes_[0][0];
    return attach(body, out_.X_WB_[body].inverse() * p_W, name);
  }

  RobotStructure& out_;
  elastic::BeamStructure& frame_ = out_.frame_;
  const Model& model_;
  const Robot& robot_;
  const Eigen::VectorXd q_;
  std::map<std::string, const JointData*> data_;
  std::vector<std::vector<Vec>> points_;
  std::vector<BodyMesh> meshes_;
  std::vector<std::vector<int>> nodes_;
};

RobotStructure::RobotStructure(const Model& model, const VectorRef& q,
                               const StructureOptions& options)
    : model_(&model), options_(options) {
  StructureMaker(*this, model, q).run();
}

}  // namespace ulna
