#include "ulna/dynamics/internal/loop_reactions.hpp"

#include "ulna/kinematics/kinematics.hpp"

namespace ulna {

namespace {

/// A frame of a loop in the frame of its body, which is not deformed.
Pose<double> on_body(const Model& model, int body, int node, const Pose<double>& X_NL) {
  const TreeNode& carrier = model.topology().nodes[node];
  Pose<double> X = X_NL;
  if (carrier.kind == NodeKind::station)
    X = Pose<double>::translation({carrier.modal->stations[carrier.station].x, 0, 0}) * X;
  return model.bodies()[body].X_NB.inverse() * X;
}

Vector3<double> in_world(const Workspace& work, int node, const Vector3<double>& p) {
  const NodePose<double>& X = work.view().pose[node];
  const Vec3<double> at = X.p + X.R * Vec3<double>{p.x(), p.y(), p.z()};
  return {at.x, at.y, at.z};
}

}  // namespace

Wrench<double> closing_reaction(const LoopDynamics& dynamics, const Model& model,
                                const Workspace& work, int k, const Eigen::VectorXd& lambda,
                                const ReactionQuery& query, std::vector<ExternalWrench>& on_tree) {
  const Loop& loop = model.loops()[k];
  if (loop.kind == LoopKind::coupling) return {};  // an effort, no wrench
  const Wrench<double> own = dynamics.loop_reaction(work, k, lambda);
  const Matrix3<double> R_WC = frame_pose(model, work, loop.child).rotation;
  const Vector3<double> place = in_world(work, loop.node_M, loop.X_NM.position),
                        other = in_world(work, loop.node_F, loop.X_NF.position);
  ExternalWrench on_child;
  on_child.body = loop.child;
  on_child.point = on_body(model, loop.child, loop.node_M, loop.X_NM).position;
  on_child.moment = own.moment;
  on_child.force = own.force;
  on_child.expressed_in = loop.child;  // the frames of the bodies come first
  // The opposite acts on the parent, moved to the joint's frame there.
  ExternalWrench on_parent = on_child;
  on_parent.body = loop.parent;
  on_parent.point = on_body(model, loop.parent, loop.node_F, loop.X_NF).position;
  on_parent.moment = -(own.moment + (R_WC.transpose() * (place - other)).cross(own.force));
  on_parent.force = -own.force;
  on_tree.push_back(on_child);
  on_tree.push_back(on_parent);
  return as_asked(model, work, query, loop.child, place, {R_WC * own.moment, R_WC * own.force},
                  place);
}

LoopReactions loop_reactions(const LoopDynamics& dynamics, const Model& model, Workspace& work,
                             const VectorRef& q, const VectorRef& v, const VectorRef& a,
                             const Eigen::VectorXd& lambda, ExternalWrenches wrenches,
                             const ReactionQuery& query) {
  LoopReactions result;
  std::vector<ExternalWrench> all(wrenches.begin(), wrenches.end());
  for (int k = 0; k < static_cast<int>(model.loops().size()); ++k)
    result.loops.push_back(closing_reaction(dynamics, model, work, k, lambda, query, all));
  result.joints = JointReactions(model, OpenTree{}).compute(work, q, v, a, all, query);
  return result;
}

}  // namespace ulna
