#include "ulna/dynamics/reactions.hpp"

#include "common.hpp"
#include "ulna/dynamics/elements.hpp"
#include "ulna/dynamics/newton_euler_4x4.hpp"
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

/// eq. 3, 4: from a wrench on the body farther from the world (world axes, about `point`) to what
/// was asked for. `work` must hold the poses.
Wrench<double> as_asked(const Model& model, const Workspace& work, int joint,
                        const ReactionQuery& query, const Wrench<double>& F_W,
                        const Vector3<double>& point) {
  const Joint& j = model.joints()[joint];
  const Pose<double> X_WC = frame_pose(model, work, j.child);
  // A tree without loops has the joints of the robot, in their order.
  const Vector3<double> about = query.at
                                    ? frame_pose(model, work, *query.at).position
                                    : X_WC * model.robot().joints[joint].X_MC.inverse().position;
  const Matrix3<double> R_WE =
      query.expressed_in ? frame_pose(model, work, *query.expressed_in).rotation : X_WC.rotation;
  const double sense = j.reversed ? -1 : 1;
  const Vector3<double> moment = F_W.moment + (point - about).cross(F_W.force);
  return {sense * (R_WE.transpose() * moment), sense * (R_WE.transpose() * F_W.force)};
}

}  // namespace

JointReactions::JointReactions(const Model& model) : model_(model) {
  model.require_tree("joint reactions");
  model.require_rigid("joint reactions");
  joints_ = joints_outwards(model);
  place_.assign(model.bodies().size(), -1);
  for (const int j : joints_) {
    const Joint& joint = model.joints()[j];
    const int body = joint.reversed ? joint.parent : joint.child;
    const int holder = joint.reversed ? joint.child : joint.parent;
    place_[body] = static_cast<int>(bodies_.size());
    bodies_.push_back({model.bodies()[body].node, place_[holder], share_of_node(model, body)});
  }
  external_.resize(bodies_.size());
  through_.resize(bodies_.size());
  reactions_.resize(bodies_.size());
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
  gather_external(work, wrenches);
  if (!model_.elements().empty()) gather_external(work, element_wrenches(model_, q, v));
  wrenches_through_joints<double>(view<double>(model_.topology(), model_.parameters()), work.view(),
                                  bodies_.data(), static_cast<int>(bodies_.size()),
                                  external_.data(), through_.data());
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Wrench<double> F{plain(through_[k].n), plain(through_[k].f)};
    reactions_[joints_[k]] =
        as_asked(model_, work, joints_[k], query, F, plain(work.view().pose[bodies_[k].node].p));
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
    reactions[link.joint] = as_asked(model, work, link.joint, query, -link.joint_action.wrench(),
                                     Vector3<double>::Zero());
  return reactions;
}

}  // namespace ulna
