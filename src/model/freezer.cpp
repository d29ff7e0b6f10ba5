#include "freezer.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "ulna/model/placement.hpp"
#include "ulna/model/platform.hpp"

namespace ulna {
namespace {

/// One turn-and-slide of a joint: about z of the frame F A, by sigma and h times the degree.
struct Part {
  Matrix3<double> A;
  double sigma, h;
  int degree;
};

/// A rotation whose third column is along `axis` up to sign; the sign is returned. An axis against
/// x, y or z is a turn the other way, which costs nothing, rather than another frame.
double frame_along(const Vector3<double>& axis, Matrix3<double>& A) {
  const Vector3<double> z = axis.normalized();
  int k = 0;
  z.cwiseAbs().maxCoeff(&k);
  const double sign = z(k) > 0 ? 1 : -1;
  A = axes_along(sign * z);
  return sign;
}

std::vector<Part> parts_of(const JointData& joint) {
  Matrix3<double> A, B;
  const double sign = frame_along(joint.axis, A);
  switch (joint.type) {
    case JointType::revolute:
      return {{A, sign, 0, 0}};
    case JointType::prismatic:
      return {{A, 0, sign, 0}};
    case JointType::screw:
      return {{A, sign, sign * joint.pitch, 0}};
    case JointType::cylindrical:
      return {{A, sign, 0, 0}, {A, 0, sign, 1}};
    case JointType::universal: {
      const double sign2 = frame_along(joint.axis2, B);
      return {{A, sign, 0, 0}, {B, sign2, 0, 1}};
    }
    case JointType::planar: {
      // x, y and z of the plane's frame in turn become the axis.
      const Matrix3<double> P = axes_along(joint.axis.normalized());
      Matrix3<double> X, Y;
      X << P.col(1), P.col(2), P.col(0);
      Y << P.col(2), P.col(0), P.col(1);
      return {{X, 0, 1, 0}, {Y, 0, 1, 1}, {P, 1, 0, 2}};
    }
    default:
      return {};
  }
}

const char* const quaternion_suffix[] = {".qw", ".qx", ".qy", ".qz", ".x", ".y", ".z"};
const char* const twist_suffix[] = {".wx", ".wy", ".wz", ".vx", ".vy", ".vz"};

std::vector<const char*> part_suffixes(JointType type) {
  switch (type) {
    case JointType::cylindrical:
      return {".turn", ".slide"};
    case JointType::universal:
      return {".first", ".second"};
    case JointType::planar:
      return {".x", ".y", ".turn"};
    default:
      return {""};
  }
}

}  // namespace

class Freezer {
 public:
  explicit Freezer(Model& model) : model_(model), robot_(model.robot_) {}

  void run() {
    bool references_hold = true;
    std::vector<Problem> problems = check(robot_, references_hold, model_.warnings_);
    if (!references_hold) throw InputError(std::move(problems));
    SpanningTree tree = spanning_tree(robot_, problems);
    if (!problems.empty()) throw InputError(std::move(problems));
    if (!tree.loops.empty()) tree = with_small_loops(robot_, std::move(tree));
    if (give_closing_coordinates(model_.robot_, tree, model_.warnings_))
      tree = spanning_tree(robot_, problems);
    for (const BodyData& body : robot_.bodies)
      index_.emplace(body.name, static_cast<int>(index_.size()) + 1);
    index_[world_name] = 0;
    number_coordinates(tree);
    grow(tree);
    const NormalForm form = normal_form(elementary_);
    freeze(form);
    close_loops(form, tree);
    find_tip();
    find_length_scale();
  }

 private:
  /// Coordinates are numbered as the joints are declared, whatever the order of the tree.
  void number_coordinates(const SpanningTree& tree) {
    std::vector<bool> in_tree(robot_.joints.size(), false);
    for (const auto& edge : tree.edges) in_tree[edge.joint] = true;
    model_of_joint_.assign(robot_.joints.size(), -1);
    for (const JointData& joint : robot_.joints) data_of_.emplace(joint.name, &joint);
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      const JointData& data = robot_.joints[j];
      if (!in_tree[j]) continue;
      Joint joint;
      joint.name = data.name;
      joint.type = data.type;
      joint.parent = index_[data.parent];
      joint.child = index_[data.child];
      model_of_joint_[j] = static_cast<int>(model_.joints_.size());
      if (!data.mimic) {
        const JointSize size = size_of(data.type);
        joint.q = model_.topology_.coordinates;
        joint.v = model_.topology_.speeds;
        joint.coordinates = size.coordinates;
        joint.speeds = size.speeds;
        model_.topology_.coordinates += size.coordinates;
        model_.topology_.speeds += size.speeds;
        name_coordinates(data);
        note_limits(data);
      }
      model_.joints_.push_back(joint);
    }
    number_modes();
  }

  /// Modal coordinates come after those of all joints.
  void number_modes() {
    const auto append = [](Eigen::VectorXd& v, double x) {
      v.conservativeResize(v.size() + 1);
      v(v.size() - 1) = x;
    };
    for (const BodyData& body : robot_.bodies) {
      if (!body.modal) continue;
      model_.flexible_links_.push_back(
          {index_[body.name], -1, model_.topology_.coordinates, model_.topology_.speeds, nullptr});
      link_of_body_[index_[body.name]] = static_cast<int>(model_.flexible_links_.size()) - 1;
      for (const std::string& mode : body.modal->names) {
        model_.coordinate_names_.push_back(body.name + "." + mode);
        model_.speed_names_.push_back(body.name + "." + mode);
        append(model_.lower_, -DegreeData::unlimited), append(model_.upper_, DegreeData::unlimited);
        append(model_.velocity_limit_, DegreeData::unlimited);
        append(model_.effort_limit_, DegreeData::unlimited);
      }
      model_.topology_.coordinates += body.modal->modes;
      model_.topology_.speeds += body.modal->modes;
      model_.modes_ += body.modal->modes;
    }
  }

  void name_coordinates(const JointData& data) {
    if (data.type == JointType::spherical || data.type == JointType::free) {
      const JointSize size = size_of(data.type);
      for (int k = 0; k < size.coordinates; ++k)
        model_.coordinate_names_.push_back(data.name + quaternion_suffix[k]);
      for (int k = 0; k < size.speeds; ++k)
        model_.speed_names_.push_back(data.name + twist_suffix[k]);
      return;
    }
    if (data.type == JointType::fixed) return;
    for (const char* suffix : part_suffixes(data.type)) {
      model_.coordinate_names_.push_back(data.name + suffix);
      model_.speed_names_.push_back(data.name + suffix);
    }
  }

  void note_limits(const JointData& data) {
    const JointSize size = size_of(data.type);
    const auto append = [](Eigen::VectorXd& v, double x) {
      v.conservativeResize(v.size() + 1);
      v(v.size() - 1) = x;
    };
    const bool one_to_one = size.coordinates == size.speeds;
    for (int k = 0; k < size.speeds; ++k) {
      const DegreeData degree =
          k < static_cast<int>(data.degrees.size()) ? data.degrees[k] : DegreeData{};
      append(model_.velocity_limit_, degree.velocity_limit);
      append(model_.effort_limit_, degree.effort_limit);
      if (one_to_one) append(model_.lower_, degree.lower), append(model_.upper_, degree.upper);
    }
    for (int k = 0; !one_to_one && k < size.coordinates; ++k) {
      // Quaternions have no limits; the position of a free joint is that of its last three degrees.
      const std::size_t degree = k - 1;
      const bool limited = k >= 4 && degree < data.degrees.size();
      append(model_.lower_, limited ? data.degrees[degree].lower : -DegreeData::unlimited);
      append(model_.upper_, limited ? data.degrees[degree].upper : DegreeData::unlimited);
    }
  }

  /// q_own = multiplier q_leader + offset, with the leader's leader followed to its end.
  struct Drive {
    int q, v;
    double multiplier = 1, offset = 0;
    int leader = -1;
  };
  Drive drive_of(const JointData& data) {
    Drive drive{0, 0};
    const JointData* current = &data;
    while (current->mimic) {
      drive.offset += drive.multiplier * current->mimic->offset;
      drive.multiplier *= current->mimic->multiplier;
      current = data_of_[current->mimic->joint];
    }
    drive.leader = model_of_joint_[current - robot_.joints.data()];
    if (drive.leader < 0)
      throw InputError(Problem{data.mark, "joint '" + data.name + "'",
                               "depends on joint '" + current->name + "', which closes a loop",
                               "a joint of the tree",
                               "mark another joint of that loop with cut: true"});
    drive.q = model_.joints_[drive.leader].q;
    drive.v = model_.joints_[drive.leader].v;
    if (!data.mimic) drive.leader = -1;
    return drive;
  }

  void grow(const SpanningTree& tree) {
    elementary_.push_back({0, {}, NodeKind::screw, -1, -1});
    node_of_body_.assign(robot_.bodies.size() + 1, 0);
    X_EB_.assign(robot_.bodies.size() + 1, Pose<double>{});
    for (const auto& edge : tree.edges) add_joint(edge);
    make_stations(tree);
  }

  // ---- flexible bodies --------------------------------------------------------------------------

  /// Whether a joint translates along the axis (x of R) of a beam, given R in the joint's frame.
  static bool slides_along(const JointData& joint, const Pose<double>& X_JR) {
    const bool slides = joint.type == JointType::prismatic ||
                        joint.type == JointType::cylindrical || joint.type == JointType::screw;
    // To a thousandth of a radian; across it the joint is a guide fixed to its place on the beam.
    return slides &&
           std::abs(X_JR.rotation.col(0).dot(joint.axis)) > (1 - 1e-6) * joint.axis.norm();
  }

  [[noreturn]] static void refuse_sliding(const JointData& joint, const std::string& body) {
    throw InputError(
        Problem{joint.mark, "joint '" + joint.name + "'",
                fmt::format("slides along flexible body '{}'", body),
                "a joint that stays at its place on the beam",
                "beams of varying length and loads moving along a flexible body are not modelled"});
  }

  /// The tree has come to a flexible body: X is the pose of the joint's frame M in its node, X_MB
  /// that of the body in M. The body is clamped at the end of its axis that is held by the joint.
  void enter_flexible(int body, const JointData& joint, int node, const Pose<double>& X,
                      const Pose<double>& X_MB) {
    const BodyData& data = robot_.bodies[body - 1];
    std::shared_ptr<const ModalBody> modal = data.modal;
    const double at = (modal->X_BR.inverse() * X_MB.inverse().position).x();
    const double slack = 1e-9 * modal->length;
    if (at >= modal->length - slack && modal->reversed) modal = modal->reversed();
    if (at > slack && at >= modal->length - slack && !data.modal->reversed)
      throw InputError(Problem{joint.mark, "joint '" + joint.name + "'",
                               fmt::format("holds flexible body '{}' at its end", data.name),
                               "its start: modes from a file are held there", ""});
    if (at > slack && at < modal->length - slack && slides_along(joint, X_MB * modal->X_BR))
      refuse_sliding(joint, data.name);
    if (at > slack && at < modal->length - slack)
      throw InputError(
          Problem{joint.mark, "joint '" + joint.name + "'",
                  fmt::format("holds flexible body '{}' at {:.6g} m along its beam of {:.6g} m",
                              data.name, at, modal->length),
                  "one of its ends", "split the body in two beams joined by a fixed joint"});
    auto own = std::make_shared<ModalBody>(*modal);
    own->stations.clear();
    model_.topology_.modal.push_back(own);
    modal_of_body_[body] = own;
    FlexibleLink& link = model_.flexible_links_[link_of_body_[body]];
    Elementary e{node, X * X_MB * own->X_BR, NodeKind::flexible, link.q, link.v};
    e.modal = own.get();
    link.node = static_cast<int>(elementary_.size());
    link.modal = own.get();
    elementary_.push_back(e);
    node_of_body_[body] = link.node;
    X_EB_[body] = own->X_BR.inverse();
  }

  /// The node that carries a frame of a body, and the frame in it (elementary frame E). For a
  /// flexible body that is the section beside it: a station, made where there is none yet.
  CarriedFrame carried(int body, const Pose<double>& X_BF) {
    const Pose<double> X = X_EB_[body] * X_BF;
    const auto found = modal_of_body_.find(body);
    if (found == modal_of_body_.end()) return {node_of_body_[body], X};
    ModalBody& modal = *found->second;
    const int root = node_of_body_[body];
    double x = std::min(std::max(X.position.x(), 0.0), modal.length);
    if (x > (1 - 1e-9) * modal.length) x = modal.length;
    if (x < 1e-9 * modal.length) x = 0;
    if (x == 0 && !modal.turns_at_root) return {root, X};
    int station = -1;
    for (std::size_t s = 0; s < modal.stations.size(); ++s)
      if (std::abs(modal.stations[s].x - x) <= 1e-9 * modal.length) station = static_cast<int>(s);
    const Pose<double> X_RS = Pose<double>::translation({x, 0, 0});
    if (station < 0) {
      station = static_cast<int>(modal.stations.size());
      modal.stations.push_back(modal.station_at(x));
      Elementary e{root, X_RS, NodeKind::station, elementary_[root].q, elementary_[root].v};
      e.modal = &modal;
      e.station = station;
      station_nodes_[{body, station}] = static_cast<int>(elementary_.size());
      elementary_.push_back(e);
    }
    return {station_nodes_[{body, station}], X_RS.inverse() * X};
  }

  /// Everything else that rides on sections of flexible bodies, so that its station exists.
  void make_stations(const SpanningTree& tree) {
    for (const auto& [body, modal] : modal_of_body_) {
      carried(body, modal->X_BR * Pose<double>::translation({modal->length, 0, 0}));
      carried(body, {});
      for (const BeamData& beam : robot_.bodies[body - 1].beams)
        for (const AttachedBody& part : beam.attached) carried(body, attached_pose(beam, part));
    }
    for (const FrameData& frame : robot_.frames) carried(index_[frame.body], frame.X_BF);
    for (const PayloadData& load : robot_.payloads) carried(index_[load.body], load.X_BL);
    for (const int j : tree.loops) {
      carried(index_[robot_.joints[j].parent], robot_.joints[j].X_PF);
      carried(index_[robot_.joints[j].child], robot_.joints[j].X_MC.inverse());
    }
    for (const ConstraintData& data : robot_.constraints) {
      if (data.type != ConstraintData::Type::distance) continue;
      carried(index_[data.parent], Pose<double>::translation(data.parent_point));
      carried(index_[data.child], Pose<double>::translation(data.child_point));
    }
  }

  static Pose<double> attached_pose(const BeamData& beam, const AttachedBody& part) {
    return Pose<double>::translation(beam.from + part.station * (beam.to - beam.from));
  }

  /// The same in normal-form axes.
  CarriedFrame carried(const NormalForm& form, int body, const Pose<double>& X_BF) {
    const CarriedFrame in_E = carried(body, X_BF);
    return {in_E.node, form.X_EN[in_E.node].inverse() * in_E.X_NF};
  }

  void add_joint(const SpanningTree::Edge& edge) {
    const JointData& data = robot_.joints[edge.joint];
    Joint& joint = model_.joints_[model_of_joint_[edge.joint]];
    const int from = edge.reversed ? joint.child : joint.parent;
    const int to = edge.reversed ? joint.parent : joint.child;
    const Pose<double> X_first = edge.reversed ? data.X_MC.inverse() : data.X_PF;
    const Pose<double> X_last = edge.reversed ? data.X_PF.inverse() : data.X_MC;
    const Drive drive = drive_of(data);
    joint.mimicked = drive.leader;
    joint.reversed = edge.reversed;

    if (const auto found = modal_of_body_.find(from); found != modal_of_body_.end()) {
      // A guide at the far end holds what slides out of it there, which is modelled.
      const Pose<double> X_RJ = X_EB_[from] * X_first;
      const bool at_end = X_RJ.position.x() >= (1 - 1e-9) * found->second->length;
      if (!at_end && slides_along(data, X_RJ.inverse()))
        refuse_sliding(data, robot_.bodies[from - 1].name);
    }
    const CarriedFrame start = carried(from, X_first);
    int node = start.node;
    Pose<double> X = start.X_NF;  // from the last node's E to the frame the joint starts at
    const int first_node = static_cast<int>(elementary_.size());
    std::vector<Part> parts = parts_of(data);
    if (edge.reversed) std::reverse(parts.begin(), parts.end());
    const double sense = edge.reversed ? -1 : 1;
    for (const Part& part : parts) {
      Elementary e{node, X * Pose<double>::turn(part.A), NodeKind::screw, drive.q + part.degree,
                   drive.v + part.degree};
      e.sigma = sense * part.sigma * drive.multiplier;
      e.h = sense * part.h * drive.multiplier;
      e.angle = sense * part.sigma * drive.offset;
      e.shift = sense * part.h * drive.offset;
      node = static_cast<int>(elementary_.size());
      elementary_.push_back(e);
      X = Pose<double>::turn(part.A.transpose());
    }
    if (data.type == JointType::spherical || data.type == JointType::free) {
      const NodeKind kind = data.type == JointType::free ? NodeKind::free : NodeKind::spherical;
      elementary_.push_back({node, X, kind, drive.q, drive.v});
      node = static_cast<int>(elementary_.size()) - 1;
      X = {};
    }
    joint.node_count = static_cast<int>(elementary_.size()) - first_node;
    joint.first_node = joint.node_count > 0 ? first_node : -1;
    if (drive.leader >= 0) follow(data, drive);
    node_of_body_[to] = node;
    X_EB_[to] = X * X_last;
    if (link_of_body_.count(to)) enter_flexible(to, data, node, X, X_last);
    add_degree_terms(data, drive);
  }

  /// A mimic joint hands its own limits on to the coordinate it follows.
  void follow(const JointData& data, const Drive& drive) {
    model_.topology_.shared_speeds = true;
    if (data.degrees.empty() || drive.multiplier == 0) return;
    const DegreeData& own = data.degrees[0];
    double low = (own.lower - drive.offset) / drive.multiplier,
           high = (own.upper - drive.offset) / drive.multiplier;
    if (low > high) std::swap(low, high);
    double &lower = model_.lower_(drive.q), &upper = model_.upper_(drive.q),
           &speed = model_.velocity_limit_(drive.v);
    if (std::max(lower, low) > std::min(upper, high))
      throw InputError(Problem{
          data.mark,
          "joint '" + data.name + "'",
          "its limits leave no position to the joint it mimics",
          "limits that overlap with those of joint '" + model_.joints_[drive.leader].name + "'",
          {}});
    lower = std::max(lower, low);
    upper = std::min(upper, high);
    speed = std::min(speed, own.velocity_limit / std::abs(drive.multiplier));
  }

  void add_degree_terms(const JointData& data, const Drive& drive) {
    for (std::size_t k = 0; k < data.degrees.size(); ++k) {
      const DegreeData& d = data.degrees[k];
      DegreeTerms terms{drive.q + static_cast<int>(k),
                        drive.v + static_cast<int>(k),
                        drive.multiplier,
                        drive.offset,
                        d.damping,
                        d.friction,
                        d.stiffness,
                        d.rest,
                        d.rotor_inertia * d.gear_ratio * d.gear_ratio,
                        d.hardening,
                        d.backlash};
      if (terms.damping != 0 || terms.friction != 0 || terms.has_spring() || terms.rotor != 0)
        model_.degree_terms_.push_back(terms);
    }
  }

  void freeze(const NormalForm& form) {
    const int n = static_cast<int>(form.nodes.size());
    std::vector<TreeNode>& nodes = model_.topology_.nodes;
    nodes = form.nodes;
    for (int i = 1; i < n; ++i) {
      nodes[i].follows = nodes[i].parent == i - 1;
      if (!nodes[i].follows) nodes[nodes[i].parent].branches = true;
    }
    std::vector<Inertia<double>> inertia(n);
    model_.bodies_.push_back({world_name, 0, {}});
    for (const BodyData& data : robot_.bodies) {
      const int b = index_[data.name], node = node_of_body_[b];
      model_.bodies_.push_back({data.name, node, form.X_EN[node].inverse() * X_EB_[b]});
      if (data.modal) continue;  // its mass is in its modes
      inertia[node] += transform(model_.bodies_.back().X_NB, inertia_of(inertial_of(data)));
    }
    for (const auto& [body, modal] : modal_of_body_) {
      for (const BeamData& beam : robot_.bodies[body - 1].beams)
        for (const AttachedBody& part : beam.attached) {
          const CarriedFrame at = carried(form, body, attached_pose(beam, part));
          inertia[at.node] += transform(at.X_NF, inertia_of(part.inertial));
        }
      for (const double share : modal->share) model_.mass_ += share * share;
    }
    for (const PayloadData& load : robot_.payloads) {
      const CarriedFrame at = carried(form, index_[load.body], load.X_BL);
      inertia[at.node] += transform(at.X_NF, inertia_of(load.inertial));
    }
    for (int k = 0; k < 3; ++k) model_.parameters_.gravity[k] = robot_.gravity(k);
    model_.parameters_.armature.assign(model_.speeds(), 0);
    for (const DegreeTerms& terms : model_.degree_terms_)
      model_.parameters_.armature[terms.v] += terms.multiplier * terms.multiplier * terms.rotor;
    model_.parameters_.nodes.resize(n);
    for (int i = 0; i < n; ++i) store(model_.parameters_.nodes[i], form.positions[i], inertia[i]);
    for (int b = 0; b < static_cast<int>(model_.bodies_.size()); ++b) {
      const CarriedFrame at = carried(form, b, {});
      model_.frames_.push_back({model_.bodies_[b].name, b, at.node, at.X_NF});
    }
    for (const FrameData& data : robot_.frames) {
      const int b = index_[data.body];
      const CarriedFrame at = carried(form, b, data.X_BF);
      model_.frames_.push_back({data.name, b, at.node, at.X_NF});
    }
  }

  void close_loops(const NormalForm& form, const SpanningTree& tree) {
    for (int j : tree.loops) {
      const JointData& joint = robot_.joints[j];
      refuse_in_closing_joint(joint);
      const int parent = index_[joint.parent], child = index_[joint.child];
      model_.loops_.push_back(loop_of(joint, parent, child, carried(form, parent, joint.X_PF),
                                      carried(form, child, joint.X_MC.inverse())));
    }
    for (const ConstraintData& data : robot_.constraints) {
      const auto frame = [&](const std::string& body, const Vector3<double>& point) {
        return carried(form, index_[body], Pose<double>::translation(point));
      };
      if (data.type == ConstraintData::Type::distance)
        model_.loops_.push_back(loop_of(data, index_[data.parent], index_[data.child],
                                        frame(data.parent, data.parent_point),
                                        frame(data.child, data.child_point)));
      else
        model_.loops_.push_back(coupling_of(data));
    }
  }

  /// A closing joint has no coordinate that another could follow, and its rotor would couple the
  /// tree.
  void refuse_in_closing_joint(const JointData& joint) const {
    const auto refuse = [&](const char* what) {
      throw InputError(Problem{joint.mark, "joint '" + joint.name + "'",
                               fmt::format("closes a loop and {}", what), "a joint of the tree",
                               "mark another joint of that loop with cut: true"});
    };
    if (joint.mimic) refuse("mimics another joint");
    for (const DegreeData& degree : joint.degrees)
      if (degree.rotor_inertia != 0) refuse("has a rotor");
  }

  Loop coupling_of(const ConstraintData& data) {
    Loop loop;
    loop.joint = data.name;
    loop.kind = LoopKind::coupling;
    loop.rows = 1;
    loop.offset = data.offset;
    for (const ConstraintData::Term& term : data.terms) {
      const JointData& joint = *data_of_[term.joint];
      const Drive drive = drive_of(joint);
      // A mimic joint is factor x (multiplier q + offset) of the one it follows.
      loop.terms.push_back(
          {drive.q + term.degree, drive.v + term.degree, term.factor * drive.multiplier});
      loop.offset -= term.factor * drive.offset;
    }
    return loop;
  }

  void find_length_scale() {
    double size = 0;
    for (const NodeParameters<double>& node : model_.parameters_.nodes)
      size = std::max(size, std::hypot(node.position[0], node.position[1], node.position[2]));
    for (const Loop& loop : model_.loops_)
      size = std::max({size, loop.X_NF.position.norm(), loop.X_NM.position.norm()});
    if (size > 0) model_.length_scale_ = size;
  }

  static Inertia<double> inertia_of(const Inertial& inertial) {
    return Inertia<double>::from_centre(inertial.mass, inertial.centre, inertial.inertia);
  }

  void store(NodeParameters<double>& node, const Vector3<double>& position,
             const Inertia<double>& inertia) {
    const Matrix4<double> J = inertia.pseudo();
    // Moments that are rounding of the transforms are cleaned against the size of the body's own.
    const double second = J.topLeftCorner<3, 3>().cwiseAbs().maxCoeff();
    const double first = J.topRightCorner<3, 1>().cwiseAbs().maxCoeff();
    const auto clean = [](double x, double size) { return std::abs(x) < 2e-15 * size ? 0.0 : x; };
    node.mass = inertia.mass;
    model_.mass_ += inertia.mass;
    for (int k = 0; k < 3; ++k) {
      node.position[k] = position(k);
      node.first_moment[k] = clean(J(k, 3), first);
      node.second_moment[k] = clean(J(k, k), second);
    }
    node.second_moment[3] = clean(J(0, 1), second);
    node.second_moment[4] = clean(J(0, 2), second);
    node.second_moment[5] = clean(J(1, 2), second);
  }

  /// The deepest node's frame; among equals the one declared last (a tool frame on the last body).
  /// Of a platform held by legs, though deeper: its own, or the last one on it.
  void find_tip() {
    if (!model_.loops_.empty()) {
      if (const auto platform = platform_if_any(robot_)) {
        const int body = index_.at(platform->platform_body);
        for (std::size_t f = 0; f < model_.frames_.size(); ++f)
          if (model_.frames_[f].body == body) model_.tip_frame_ = static_cast<int>(f);
        return;
      }
    }
    const auto& nodes = model_.topology_.nodes;
    std::vector<int> depth(nodes.size(), 0);
    for (std::size_t i = 1; i < nodes.size(); ++i) depth[i] = depth[nodes[i].parent] + 1;
    for (std::size_t f = 0; f < model_.frames_.size(); ++f)
      if (depth[model_.frames_[f].node] >= depth[model_.frames_[model_.tip_frame_].node])
        model_.tip_frame_ = static_cast<int>(f);
  }

  Model& model_;
  const Robot& robot_;
  std::map<std::string, int> index_;
  std::map<std::string, const JointData*> data_of_;
  std::vector<int> model_of_joint_, node_of_body_;
  std::vector<Pose<double>> X_EB_;
  std::vector<Elementary> elementary_;
  std::map<int, int> link_of_body_;                          ///< flexible bodies
  std::map<int, std::shared_ptr<ModalBody>> modal_of_body_;  ///< those reached, with stations
  std::map<std::pair<int, int>, int> station_nodes_;         ///< by body and station
};

Model::Model(Robot robot) : robot_(std::move(robot)) { Freezer(*this).run(); }

}  // namespace ulna
