#include "freeze/freezer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "freeze/coordinate_table.hpp"
#include "freeze/degrees.hpp"
#include "freeze/elementary_tree.hpp"
#include "freeze/freeze_element.hpp"
#include "freeze/masses.hpp"
#include "freeze/tip.hpp"
#include "ulna/model/internal/reweigh.hpp"
#include "ulna/model/joints/joint_base.hpp"
#include "ulna/model/parts/platform.hpp"

namespace ulna {

class Freezer {
 public:
  explicit Freezer(Model& model)
      : model_(model), robot_(model.robot_), spanning_(checked_tree(model)), tree_(robot_) {}

  void run() {
    for (const BodyData& body : robot_.bodies)
      index_.emplace(body.name, static_cast<int>(index_.size()) + 1);
    index_[world_name] = 0;
    number_coordinates();
    for (const auto& edge : spanning_.edges) add_joint(edge);
    make_stations();
    const NormalForm form = normal_form(tree_.nodes());
    freeze_nodes(form);
    weigh(form);
    freeze_frames(form);
    close_loops(form);
    describe_degrees(model_, model_.degrees_, model_.coordinate_of_speed_, model_.blocks_);
    if (!model_.loops_.empty())
      if (auto platform = platform_if_any(robot_))
        model_.platform_ = std::make_shared<const PlatformData>(std::move(*platform));
    freeze_elements(form);
    model_.tip_frame_ = tip_of(model_);
    find_length_scale();
  }

  /// Other numbers in a model that keeps its shape (internal/reweigh.hpp).
  static void reweigh(Model& model, const std::function<void(Robot&)>& change) {
    change(model.robot_);
    model.degree_terms_.clear();
    // In the order in which the tree was made.
    std::map<int, std::size_t> order;
    for (std::size_t j = 0; j < model.joints_.size(); ++j)
      if (model.joints_[j].node_count > 0) order.emplace(model.joints_[j].first_node, j);
    for (const auto& [node, j] : order)
      add_degree_terms(model.robot_.joints[j], {model.joints_[j].q, model.joints_[j].v},
                       model.degree_terms_);
    model.has_passive_ = !model.degree_terms_.empty() || !model.elements_.empty();
    model.parameters_.armature = armature_of(model);
    for (int k = 0; k < 3; ++k) model.parameters_.gravity[k] = model.robot_.gravity(k);
    std::vector<Inertia<double>> inertia(model.parameters_.nodes.size());
    add_rigid(model, inertia);
    model.mass_ = store(inertia, model.parameters_.nodes);
  }

 private:
  /// Throws what is wrong with the robot. Closing joints that need a coordinate change the robot,
  /// so that this must come before anything that is sized by its bodies.
  static SpanningTree checked_tree(Model& model) {
    bool references_hold = true;
    std::vector<Problem> problems = check(model.robot_, references_hold, model.warnings_);
    if (!references_hold) throw InputError(std::move(problems));
    SpanningTree tree = spanning_tree(model.robot_, problems);
    if (!problems.empty()) throw InputError(std::move(problems));
    if (!tree.loops.empty()) tree = with_small_loops(model.robot_, std::move(tree));
    warn_of_idle_cuts(model.robot_, tree, model.warnings_);
    if (give_closing_coordinates(model.robot_, tree, model.warnings_))
      tree = spanning_tree(model.robot_, problems);
    return depth_first(model.robot_, std::move(tree));
  }

  static void warn_of_idle_cuts(const Robot& robot, const SpanningTree& tree,
                                std::vector<Problem>& warnings) {
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
      const JointData& joint = robot.joints[j];
      if (!joint.cut ||
          std::find(tree.loops.begin(), tree.loops.end(), static_cast<int>(j)) != tree.loops.end())
        continue;
      warnings.push_back({joint.mark, "joint '" + joint.name + "'",
                          "is marked with cut: true and does not close a loop",
                          "a joint of a loop, one for each loop",
                          "leave cut away: without another way to its body, the joint stays"});
    }
  }

  /// Coordinates are numbered as the joints are declared, whatever the order of the tree.
  void number_coordinates() {
    std::vector<bool> in_tree(robot_.joints.size(), false);
    for (const auto& edge : spanning_.edges) in_tree[edge.joint] = true;
    CoordinateTable table;
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
        table.add(data);
      }
      model_.joints_.push_back(joint);
    }
    number_modes(table);
    take(std::move(table));
  }

  /// Modal coordinates come after those of all joints.
  void number_modes(CoordinateTable& table) {
    for (const BodyData& body : robot_.bodies) {
      if (!body.modal) continue;
      model_.flexible_links_.push_back(
          {index_[body.name], -1, model_.topology_.coordinates, model_.topology_.speeds, nullptr});
      link_of_body_[index_[body.name]] = static_cast<int>(model_.flexible_links_.size()) - 1;
      for (const std::string& mode : body.modal->names) table.add_mode(body.name, mode);
      model_.topology_.coordinates += body.modal->modes;
      model_.topology_.speeds += body.modal->modes;
      model_.modes_ += body.modal->modes;
    }
  }

  void take(CoordinateTable table) {
    const auto vector = [](const std::vector<double>& x) {
      return Eigen::VectorXd(Eigen::VectorXd::Map(x.data(), static_cast<Eigen::Index>(x.size())));
    };
    model_.coordinate_names_ = std::move(table.coordinate_names);
    model_.speed_names_ = std::move(table.speed_names);
    model_.coordinate_dimensions_ = std::move(table.coordinate_dimensions);
    model_.speed_dimensions_ = std::move(table.speed_dimensions);
    model_.lower_ = vector(table.lower);
    model_.upper_ = vector(table.upper);
    model_.velocity_limit_ = vector(table.velocity_limit);
    model_.effort_limit_ = vector(table.effort_limit);
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

  /// Everything else that rides on sections of flexible bodies, so that its station exists.
  void make_stations() {
    for (const auto& [body, modal] : tree_.flexible()) {
      tree_.carried(body, modal->X_BR * Pose<double>::translation({modal->length, 0, 0}));
      tree_.carried(body, {});
      for (const BeamData& beam : robot_.bodies[body - 1].beams)
        for (const AttachedBody& part : beam.attached)
          tree_.carried(body, attached_pose(beam, part));
    }
    for (const FrameData& frame : robot_.frames) tree_.carried(index_[frame.body], frame.X_BF);
    for (const PayloadData& load : robot_.payloads) tree_.carried(index_[load.body], load.X_BL);
    for (const int j : spanning_.loops) {
      tree_.carried(index_[robot_.joints[j].parent], robot_.joints[j].X_PF);
      tree_.carried(index_[robot_.joints[j].child], robot_.joints[j].X_MC.inverse());
    }
    for (const ConstraintData& data : robot_.constraints) {
      if (data.type != ConstraintData::Type::distance) continue;
      tree_.carried(index_[data.parent], Pose<double>::translation(data.parent_point));
      tree_.carried(index_[data.child], Pose<double>::translation(data.child_point));
    }
    for (const ElementData& data : robot_.elements)
      for (const ElementPlace& at : element_places(data)) tree_.carried(index_[at.body], at.X_BE);
  }

  /// Along a joint that closes a loop an element stands between its two frames.
  std::vector<ElementPlace> element_places(const ElementData& data) const {
    for (const int j : spanning_.loops)
      if (robot_.joints[j].name == data.joint) return places_along(data, robot_.joints[j]);
    return places_of(robot_, data);
  }

  void freeze_elements(const NormalForm& form) {
    for (const ElementData& data : robot_.elements) {
      std::vector<CarriedFrame> points;
      std::vector<int> bodies;
      for (const ElementPlace& at : element_places(data)) {
        bodies.push_back(index_[at.body]);
        points.push_back(tree_.carried(form, bodies.back(), at.X_BE));
      }
      Element element = element_of(data, form.nodes, bodies, points);
      if (element.points.empty()) {
        const Drive drive = drive_of(*data_of_[data.joint]);
        element.q = drive.q, element.v = drive.v;
        element.multiplier = drive.multiplier, element.offset = drive.offset;
      }
      element.formula = formula_of(data, model_.coordinate_names_, model_.speed_names_);
      model_.elements_.push_back(std::move(element));
    }
    model_.has_passive_ = !model_.degree_terms_.empty() || !model_.elements_.empty();
  }

  static Pose<double> attached_pose(const BeamData& beam, const AttachedBody& part) {
    return Pose<double>::translation(beam.from + part.station * (beam.to - beam.from));
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

    const CarriedFrame start = tree_.start_of(data, from, X_first);
    int node = start.node;
    Pose<double> X = start.X_NF;  // from the last node's E to the frame the joint starts at
    const int first_node = tree_.size();
    std::vector<JointPart> parts = parts_of(data);
    if (edge.reversed) std::reverse(parts.begin(), parts.end());
    const double sense = edge.reversed ? -1 : 1;
    for (const JointPart& part : parts) {
      Elementary e{node, X * Pose<double>::turn(part.A), kind_of(part), drive.q + part.q,
                   drive.v + part.v};
      e.sigma = sense * part.sigma * drive.multiplier;
      e.h = sense * part.h * drive.multiplier;
      e.angle = sense * part.sigma * drive.offset;
      e.shift = sense * part.h * drive.offset;
      node = tree_.add(e);
      X = Pose<double>::turn(part.A.transpose());
    }
    joint.node_count = tree_.size() - first_node;
    joint.first_node = joint.node_count > 0 ? first_node : -1;
    if (drive.leader >= 0) follow(data, drive);
    if (const auto found = link_of_body_.find(to); found == link_of_body_.end())
      tree_.place(to, node, X * X_last);
    else
      enter_flexible(found->second, data, node, X, X_last);
    add_degree_terms(data, {drive.q, drive.v, drive.multiplier, drive.offset},
                     model_.degree_terms_);
  }

  static NodeKind kind_of(const JointPart& part) {
    if (part.kind == JointPart::Kind::screw) return NodeKind::screw;
    return part.kind == JointPart::Kind::free ? NodeKind::free : NodeKind::spherical;
  }

  void enter_flexible(int number, const JointData& joint, int node, const Pose<double>& X_EM,
                      const Pose<double>& X_MB) {
    FlexibleLink& link = model_.flexible_links_[number];
    const auto modal = tree_.place_flexible(link.body, joint, node, X_EM, X_MB, link.q, link.v);
    model_.topology_.modal.push_back(modal);
    if (const BeamElements* elements = modal->elements.get())
      for (const auto& element : elements->list) model_.topology_.modal.push_back(element.body);
    link.node = tree_.node_of(link.body);
    link.modal = modal.get();
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

  void freeze_nodes(const NormalForm& form) {
    std::vector<TreeNode>& nodes = model_.topology_.nodes;
    nodes = form.nodes;
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      nodes[i].follows = nodes[i].parent == static_cast<int>(i) - 1;
      if (!nodes[i].follows) nodes[nodes[i].parent].branches = true;
    }
    model_.bodies_.push_back({world_name, 0, {}});
    for (const BodyData& data : robot_.bodies) {
      const int b = index_[data.name], node = tree_.node_of(b);
      model_.bodies_.push_back({data.name, node, form.X_EN[node].inverse() * tree_.X_EB(b)});
    }
    model_.parameters_.armature = armature_of(model_);
    for (int k = 0; k < 3; ++k) model_.parameters_.gravity[k] = robot_.gravity(k);
  }

  /// What moves with each node, as one rigid thing. The mass of a flexible body is in its modes.
  void weigh(const NormalForm& form) {
    std::vector<Inertia<double>> inertia(form.nodes.size());
    add_rigid(model_, inertia);
    for (const auto& [body, modal] : tree_.flexible()) {
      for (const BeamData& beam : robot_.bodies[body - 1].beams)
        for (const AttachedBody& part : beam.attached)
          carry(tree_.carried(form, body, attached_pose(beam, part)), part.inertial, inertia);
      for (const double share : modal->share) model_.mass_ += share * share;
    }
    for (const ElementaryTree::Slice& slice : tree_.slices())
      carry({slice.node, form.X_EN[slice.node].inverse()}, slice.inertial, inertia);
    for (const PayloadData& load : robot_.payloads)
      if (const int b = index_[load.body]; b > 0 && robot_.bodies[b - 1].modal)
        carry(tree_.carried(form, b, load.X_BL), load.inertial, inertia);
    model_.parameters_.nodes.resize(inertia.size());
    for (std::size_t i = 0; i < inertia.size(); ++i)
      for (int k = 0; k < 3; ++k) model_.parameters_.nodes[i].position[k] = form.positions[i](k);
    model_.mass_ += store(inertia, model_.parameters_.nodes);
  }

  /// Bodies are frames too.
  void freeze_frames(const NormalForm& form) {
    const auto add = [&](const std::string& name, int body, const Pose<double>& X_BF) {
      const CarriedFrame at = tree_.carried(form, body, X_BF);
      model_.frames_.push_back({name, body, at.node, at.X_NF, X_BF});
    };
    for (int b = 0; b < static_cast<int>(model_.bodies_.size()); ++b)
      add(model_.bodies_[b].name, b, {});
    for (const FrameData& data : robot_.frames) add(data.name, index_[data.body], data.X_BF);
  }

  void close_loops(const NormalForm& form) {
    for (const int j : spanning_.loops) {
      const JointData& joint = robot_.joints[j];
      const int parent = index_[joint.parent], child = index_[joint.child];
      model_.loops_.push_back(loop_of(joint, parent, child, tree_.carried(form, parent, joint.X_PF),
                                      tree_.carried(form, child, joint.X_MC.inverse())));
    }
    for (const ConstraintData& data : robot_.constraints) {
      const auto frame = [&](const std::string& body, const Vector3<double>& point) {
        return tree_.carried(form, index_[body], Pose<double>::translation(point));
      };
      if (data.type == ConstraintData::Type::distance)
        model_.loops_.push_back(loop_of(data, index_[data.parent], index_[data.child],
                                        frame(data.parent, data.parent_point),
                                        frame(data.child, data.child_point)));
      else
        model_.loops_.push_back(coupling_of(data));
    }
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
      // A mimic joint stands at multiplier q + offset of the one it follows.
      const int coordinate = traits_of(joint.type).coordinate_of_speed(term.degree);
      const std::vector<double> polynomial =
          substituted(term.factor, term.higher, drive.multiplier, drive.offset);
      loop.terms.push_back({drive.q + coordinate,
                            drive.v + term.degree,
                            polynomial[1],
                            {polynomial.begin() + 2, polynomial.end()}});
      loop.offset -= polynomial[0];
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

  Model& model_;
  const Robot& robot_;
  const SpanningTree spanning_;
  ElementaryTree tree_;
  std::map<std::string, int> index_;
  std::map<std::string, const JointData*> data_of_;
  std::vector<int> model_of_joint_;
  std::map<int, int> link_of_body_;  ///< flexible bodies
};

Model::Model(Robot robot) : robot_(std::move(robot)) { Freezer(*this).run(); }

std::optional<Model> reweighed(const Model& model, const std::function<void(Robot&)>& change) {
  if (!can_be_reweighed(model)) return std::nullopt;
  std::optional<Model> made(model);
  Freezer::reweigh(*made, change);
  if (!has_possible_numbers(model.robot(), made->robot())) return std::nullopt;
  return made;
}

}  // namespace ulna
