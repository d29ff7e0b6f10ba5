#include "ulna/dynamics/loop_reactions.hpp"

#include <algorithm>

#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

/// The robot without what closes its loops; its joints, bodies and coordinates keep their order.
Robot opened(const Model& model) {
  Robot robot = model.robot();
  robot.constraints.clear();
  const auto closes = [&](const JointData& joint) {
    return std::any_of(model.loops().begin(), model.loops().end(), [&](const Loop& loop) {
      return loop.kind == LoopKind::joint && loop.joint == joint.name;
    });
  };
  robot.joints.erase(std::remove_if(robot.joints.begin(), robot.joints.end(), closes),
                     robot.joints.end());
  return robot;
}

}  // namespace

LoopReactions loop_reactions(const LoopDynamics& dynamics, const Model& model, Workspace& work,
                             const VectorRef& q, const VectorRef& v, const VectorRef& a,
                             const Eigen::VectorXd& lambda, ExternalWrenches wrenches,
                             const ReactionQuery& query) {
  LoopReactions result;
  std::vector<ExternalWrench> all(wrenches.begin(), wrenches.end());
  for (std::size_t k = 0; k < model.loops().size(); ++k) {
    const Loop& loop = model.loops()[k];
    const Wrench<double> F = dynamics.loop_reaction(work, static_cast<int>(k), lambda);
    result.loops.push_back(F);
    if (loop.kind == LoopKind::coupling) continue;
    const Body &parent = model.bodies()[loop.parent], &child = model.bodies()[loop.child];
    ExternalWrench on_child;
    on_child.body = loop.child;
    on_child.point = (child.X_NB.inverse() * loop.X_NM).position;
    on_child.moment = F.moment;
    on_child.force = F.force;
    on_child.expressed_in = loop.child;  // the frames of the bodies come first
    // The opposite acts on the parent at the same point of space.
    ExternalWrench on_parent = on_child;
    on_parent.body = loop.parent;
    const auto pose = [&](const Body& body) {
      const NodePose<double>& N = work.view().pose[body.node];
      Pose<double> X;
      X.rotation << N.R.xx, N.R.xy, N.R.xz, N.R.yx, N.R.yy, N.R.yz, N.R.zx, N.R.zy, N.R.zz;
      X.position << N.p.x, N.p.y, N.p.z;
      return X * body.X_NB;
    };
    on_parent.point = pose(parent).inverse() * (pose(child) * on_child.point);
    on_parent.moment = -F.moment;
    on_parent.force = -F.force;
    all.push_back(on_child);
    all.push_back(on_parent);
  }
  const Model tree(opened(model));
  Workspace tree_work(tree);
  result.joints = JointReactions(tree).compute(tree_work, q, v, a, all, query);
  return result;
}

}  // namespace ulna
