#pragma once
// Joint reactions: the wrench that passes through every joint of a moving robot, fixed joints
// included. docs/theory/reactions.md, eq. 1-4. It is what the joint's parent exerts on its child:
// five or fewer reactions and, along the free directions, the effort less what rotors, damping,
// friction and springs take of it.
//
//   ulna::JointReactions reactions(model);
//   const ulna::Wrench<double>& F = reactions.compute(work, q, v, a)[model.joint("elbow")];
//
// The recursion of inverse dynamics knows only bodies that move against each other. Here every body
// of a robot has its own inertia wrench (eq. 1), and the sums run over bodies (eq. 2). Linear in
// the bodies: about 90 multiplications for each besides the positions and motions. What passes
// through the joint of a flexible body is that of Newton-Euler.

#include <optional>
#include <vector>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/kernels/newton_euler.hpp"
#include "ulna/kinematics/kernels/forward_kinematics.hpp"
#include "ulna/spatial/wrench.hpp"

namespace ulna {

/// A body and what holds it. In lists of these every body comes after the one that holds it.
template <class P>
struct HeldBody {
  int node = 0;               ///< it moves with this node of the tree
  int holder = -1;            ///< place of the body that holds it in the list; -1: the world
  NodeParameters<P> inertia;  ///< its own, in the node's axes about the node's origin
};

/// The wrench that each body gets from the one that holds it, world axes, about the origins of
/// their nodes. `work` must hold the poses and motions of the nodes (node_poses, node_motions);
/// `external` is null or has a wrench per body, about the same points in the same axes. `known` is
/// null or says for each body where its wrench stands already, with all that hangs on the body.
template <class S>
void wrenches_through_joints(const TreeView<S>& tree, const ScratchView<S>& work,
                             const HeldBody<Parameter<S>>* bodies, int count,
                             const NodeWrench<S>* external, NodeWrench<S>* through,
                             const NodeWrench<S>* const* known = nullptr) {
  const Vec3<S> g{S(tree.gravity[0]), S(tree.gravity[1]), S(tree.gravity[2])};
  // eq. 1: each body's own part, by the formulas of Newton-Euler in the axes of its node.
  for (int k = 0; k < count; ++k) {
    const Mat3<S>& R = work.pose[bodies[k].node].R;
    const NodeMotion<S>& motion = work.motion[bodies[k].node];
    const Vec3<S> w = transposed_times(R, motion.w), dw = transposed_times(R, motion.dw);
    const BodyMotion<S> now{w, dw, transposed_times(R, motion.dv - g), acceleration_matrix(w, dw)};
    const NodeWrench<S> F = inertia_wrench<S>(bodies[k].inertia, now);
    through[k] = {R * F.n, R * F.f};
    if (!external) continue;
    through[k].n -= external[k].n;
    through[k].f -= external[k].f;
  }
  // eq. 2: what hangs on a body passes through its joint too.
  for (int k = count - 1; k >= 0; --k) {
    if (known && known[k]) through[k] = *known[k];
    const int holder = bodies[k].holder;
    if (holder < 0) continue;
    const Vec3<S> r = work.pose[bodies[k].node].p - work.pose[bodies[holder].node].p;
    through[holder].n += through[k].n + cross(r, through[k].f);
    through[holder].f += through[k].f;
  }
}

/// Where reactions are taken and in which axes; each joint's own when absent.
struct ReactionQuery {
  /// A frame whose origin the moments are about. Absent: the origin of the joint's frame on its
  /// child (M of docs/conventions.md).
  std::optional<int> at;
  /// A frame whose axes are used, 0 for the world. Absent: the frame of the joint's child.
  std::optional<int> expressed_in;
};

/// A wrench on a body (world axes, about `point`) as the query wants it. `child`: the body whose
/// axes are used when none are named; `own`: where it is taken when no frame is named, in the
/// world. `work` must hold the poses.
ULNA_API Wrench<double> as_asked(const Model& model, const Workspace& work,
                                 const ReactionQuery& query, int child, const Vector3<double>& own,
                                 const Wrench<double>& F_W, const Vector3<double>& point);

/// Says that what closes the loops of a robot is among the external wrenches.
struct OpenTree {};

/// Memory for the reactions of one model; nothing allocates after that.
class ULNA_API JointReactions {
 public:
  /// InputError when the robot has loops.
  explicit JointReactions(const Model& model);
  /// Of the open tree of any robot; Dynamics::reactions adds what closes the loops.
  JointReactions(const Model& model, OpenTree);
  JointReactions(JointReactions&&) = default;
  JointReactions(const JointReactions&) = delete;  // it points into itself

  /// One wrench for each of Model::joints(): what the parent exerts on the child, as the robot's
  /// file names them. Left here until the next call.
  const std::vector<Wrench<double>>& compute(Workspace& work, const VectorRef& q,
                                             const VectorRef& v, const VectorRef& a,
                                             ExternalWrenches wrenches = {},
                                             const ReactionQuery& query = {});

 private:
  void gather_external(const Workspace& work, ExternalWrenches wrenches);
  /// Newton-Euler knows what passes through the joint of a flexible body.
  void update_flexible(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
                       ExternalWrenches wrenches);

  const Model& model_;
  std::vector<Vector3<double>> origins_;  ///< by joint: origin of M in the frame of the child
  std::vector<int> joints_;               ///< the joint that holds each body of bodies_
  std::vector<int> place_;                ///< by index into Model::bodies(): place in bodies_
  std::vector<HeldBody<double>> bodies_;
  std::vector<NodeWrench<double>> external_, through_;
  std::vector<int> flexible_;                     ///< places in bodies_ of the flexible ones
  std::vector<NodeWrench<double>> at_root_;       ///< theirs
  std::vector<const NodeWrench<double>*> known_;  ///< by place: into at_root_, or null
  std::vector<Wrench<double>> reactions_;
};

/// The same by 4x4 matrices: -Y of docs/theory/homogeneous.md, eq. 7.
ULNA_API std::vector<Wrench<double>> joint_reactions_newton_euler_4x4(
    const Model& model, const VectorRef& q, const VectorRef& v, const VectorRef& a,
    ExternalWrenches wrenches = {}, const ReactionQuery& query = {});

}  // namespace ulna
