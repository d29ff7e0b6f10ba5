#include "ulna/dynamics/reactions.hpp"

#include <algorithm>

#include "common.hpp"
#include "ulna/dynamics/kernels/elements.hpp"
#include "ulna/dynamics/parts/newton_euler_4x4.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/internal/check_size.hpp"

namespace ulna {

std::vector<int> joints_outwards(const Model& model) {
  const int n = static_cast<int>(model.joints().size());
  std::vector<bool> placed(model.bodies().size(), false);
  placed[0] = true;
  std::vector<int> order;
  while (static_cast<int>(order.size()) < n)
    for (int j = 0; j < n; ++j) {
      const Joint& joint = model.joints()[j];
      const int from = joint.reversed ? joint.child : joint.parent;
      const int to = joint.reversed ? joint.parent : joint.child;
      if (!placed[from] || placed[to]) continue;
      placed[to] = true;
      order.push_back(j);
    }
  return order;
}

namespace {

Vector3<double> plain(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Vec3<double> lean(const Vector3<double>& v) { return {v.x(), v.y(), v.z()}; }

/// The inertia of one body and its payloads as its node has it.
NodeParameters<double> share_of_node(const Model& model, int body) {
  const PositionMatrix<double> M_NB(model.bodies()[body].X_NB);
  const Matrix4<double> J = transform(M_NB, body_inertia(model, body)).matrix;
  NodeParameters<double> share;
  share.mass = J(3, 3);
  for (int k = 0; k < 3; ++k) {
    share.first_moment[k] = J(k, 3);
    share.second_moment[k] = J(k, k);
  }
  share.second_moment[3] = J(0, 1);
  share.second_moment[4] = J(0, 2);
  share.second_moment[5] = J(1, 2);
  return share;
}

void check_query(const Model& model, const ReactionQuery& query) {
  if (query.at) check_frame(model, *query.at);
  if (query.expressed_in) check_frame(model, *query.expressed_in);
}

/// Origin of a joint's frame M in the frame of its child. The robot also has the joints that close
/// loops, so that places may differ.
Vector3<double> origin_on_child(const Model& model, int joint) {
  const std::vector<JointData>& all = model.robot().joints;
  const std::string& name = model.joints()[joint].name;
  const auto found = std::ranges::find(all, name, &JointData::name);
  return found->X_MC.inverse().position;
}

/// eq. 3, 4: from a wrench on the body farther from the world to what the parent exerts on the
/// child.
Wrench<double> on_child(const Model& model, const Workspace& work, int joint,
                        const Vector3<double>& origin, const ReactionQuery& query,
                        const Wrench<double>& F_W, const Vector3<double>& point) {
  const Joint& j = model.joints()[joint];
  const Vector3<double> own = frame_pose(model, work, j.child) * origin;
  const Wrench<double> F = as_asked(model, work, query, j.child, own, F_W, point);
  return j.reversed ? -F : F;
}

}  // namespace

Wrench<double> as_asked(const Model& model, const Workspace& work, const ReactionQuery& query,
                        int child, const Vector3<double>& own, const Wrench<double>& F_W,
                        const Vector3<double>& point) {
  const Vector3<double> about = query.at ? frame_pose(model, work, *query.at).position : own;
  const Matrix3<double> R_WE =
      frame_pose(model, work, query.expressed_in ? *query.expressed_in : child).rotation;
  const Vector3<double> moment = F_W.moment + (point - about).cross(F_W.force);
  return {R_WE.transpose() * moment, R_WE.transpose() * F_W.force};
}

JointReactions::JointReactions(const Model& model) : JointReactions(model, OpenTree{}) {
  model.require_tree("joint reactions");
}

JointReactions::JointReactions(const Model& model, OpenTree) : model_(model) {
  for (int j = 0; j < static_cast<int>(model.joints().size()); ++j)
    origins_.push_back(origin_on_child(model, j));
  joints_ = joints_outwards(model);
  place_.assign(model.bodies().size(), -1);
  for (const int j : joints_) {
    const Joint& joint = model.joints()[j];
    const int body = joint.reversed ? joint.parent : joint.child;
    const int holder = joint.reversed ? joint.child : joint.parent;
    place_[body] = static_cast<int>(bodies_.size());
    const bool flexible = std::ranges::find(model.flexible_links(), body, &FlexibleLink::body) !=
                          model.flexible_links().end();
    if (flexible) flexible_.push_back(place_[body]);
    // A joint that moves carries a flexible body by its last node.
    const int node = flexible && joint.node_count > 0 ? joint.first_node + joint.node_count - 1
                                                      : model.bodies()[body].node;
    bodies_.push_back({node, place_[holder], share_of_node(model, body)});
  }
  at_root_.resize(flexible_.size());
  known_.assign(bodies_.size(), nullptr);
  for (std::size_t k = 0; k < flexible_.size(); ++k) known_[flexible_[k]] = &at_root_[k];
  external_.resize(bodies_.size());
  through_.resize(bodies_.size());
  reactions_.resize(bodies_.size());
}

void JointReactions::update_flexible(Workspace& work, const VectorRef& q, const VectorRef& v,
                                     const VectorRef& a, ExternalWrenches wrenches) {
  if (flexible_.empty()) return;
  NodeWrenches external = gather_wrenches(model_, work, q, wrenches);
  if (!model_.elements().empty()) {
    if (!external)
      for (NodeWrench<double>& w : work.external) w = {Vec3<double>::zero(), Vec3<double>::zero()};
    add_element_wrenches(model_, q.data(), v.data(), work.external.data());
    external = work.external.data();
  }
  run_newton_euler(model_, work, q.data(), v.data(), a.data(), external);
  for (std::size_t k = 0; k < flexible_.size(); ++k) {
    const int node = bodies_[flexible_[k]].node;
    const Mat3<double>& R = work.view().pose[node].R;
    const NewtonEulerNode<double>& F = work.view().newton_euler[node];
    at_root_[k] = {R * F.n, R * F.f};
  }
}

void JointReactions::gather_external(const Workspace& work, ExternalWrenches wrenches) {
  for (const ExternalWrench& wrench : wrenches) {
    check_wrench(model_, wrench);
    const int place = place_[wrench.body];
    if (place < 0) continue;  // the world bears it
    const Matrix3<double> R_WE = frame_pose(model_, work, wrench.expressed_in).rotation;
    const Vector3<double> point = frame_pose(model_, work, wrench.body) * wrench.point;
    const Vector3<double> arm = point - plain(work.view().pose[bodies_[place].node].p);
    const Vector3<double> force = R_WE * wrench.force;
    external_[place].f += lean(force);
    external_[place].n += lean(R_WE * wrench.moment + arm.cross(force));
  }
}

const std::vector<Wrench<double>>& JointReactions::compute(Workspace& work, const VectorRef& q,
                                                           const VectorRef& v, const VectorRef& a,
                                                           ExternalWrenches wrenches,
                                                           const ReactionQuery& query) {
  check_query(model_, query);
  update_motions(model_, work, q, v, a);
  for (NodeWrench<double>& w : external_) w = {Vec3<double>::zero(), Vec3<double>::zero()};
  update_flexible(work, q, v, a, wrenches);
  gather_external(work, wrenches);
  const TreeView<double> tree = view<double>(model_.topology(), model_.parameters());
  for (const Element& e : model_.elements())
    element_state(e, tree, q.data(), v.data(), [&](std::size_t k, const NodeWrench<double>& F) {
      const int place = place_[e.points[k].body];
      if (place < 0) return;  // the world bears it
      const NodePose<double>& X = work.view().pose[e.points[k].node];
      const Vec3<double> arm = X.p - work.view().pose[bodies_[place].node].p, force = X.R * F.f;
      external_[place].f += force;
      external_[place].n += X.R * F.n + cross(arm, force);
    });
  wrenches_through_joints<double>(tree, work.view(), bodies_.data(),
                                  static_cast<int>(bodies_.size()), external_.data(),
                                  through_.data(), known_.data());
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Wrench<double> F{plain(through_[k].n), plain(through_[k].f)};
    const int j = joints_[k];
    reactions_[j] = on_child(model_, work, j, origins_[j], query, F,
                             plain(work.view().pose[bodies_[k].node].p));
  }
  return reactions_;
}

std::vector<Wrench<double>> joint_reactions_newton_euler_4x4(const Model& model, const VectorRef& q,
                                                             const VectorRef& v, const VectorRef& a,
                                                             ExternalWrenches wrenches,
                                                             const ReactionQuery& query) {
  check_query(model, query);
  std::vector<Wrench<double>> reactions(model.joints().size());
  const std::vector<LinkMatrices> links = link_matrices(model, q, v, a, wrenches);
  Workspace work(model);
  update_poses(model, work, q);
  for (const LinkMatrices& link : links)
    reactions[link.joint] = on_child(model, work, link.joint, origin_on_child(model, link.joint),
                                     query, -link.joint_action.wrench(), Vector3<double>::Zero());
  return reactions;
}

}  // namespace ulna
