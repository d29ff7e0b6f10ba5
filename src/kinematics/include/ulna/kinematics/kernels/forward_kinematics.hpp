#pragma once
// Poses, velocities and accelerations of the nodes in world axes, one pass from the root.
// docs/theory/kinematics.md, eq. 1-5. The turn of a screw is two plane rotations, so a pose costs
// 30 multiplications and 18 additions instead of the 36 and 27 of a general product.

#include "ulna/model/kernels/joint_angles.hpp"

namespace ulna {

/// R_W,middle from R_W,parent.
template <class S>
[[gnu::always_inline]] inline Mat3<S> turned_to_middle(const Mat3<S>& R, const PlainTurn<S>& t) {
  return {R.xx, t.ca * R.xy + t.sa * R.xz, t.ca * R.xz - t.sa * R.xy,
          R.yx, t.ca * R.yy + t.sa * R.yz, t.ca * R.yz - t.sa * R.yy,
          R.zx, t.ca * R.zy + t.sa * R.zz, t.ca * R.zz - t.sa * R.zy};
}
template <class S>
[[gnu::always_inline]] inline Mat3<S> turned_to_middle(const Mat3<S>& R, const TurnedTurn<S>& t) {
  const Mat3<S> Rz{t.cf * R.xx + t.sf * R.xy, t.cf * R.xy - t.sf * R.xx, R.xz,
                   t.cf * R.yx + t.sf * R.yy, t.cf * R.yy - t.sf * R.yx, R.yz,
                   t.cf * R.zx + t.sf * R.zy, t.cf * R.zy - t.sf * R.zx, R.zz};
  return turned_to_middle(Rz, static_cast<const PlainTurn<S>&>(t));
}
template <class S>
[[gnu::always_inline]] inline Mat3<S> turned_to_middle(const Mat3<S>& R, const DenseTurn<S>&) {
  return R;
}

/// R_W,child from R_W,middle.
template <class S>
[[gnu::always_inline]] inline Mat3<S> turned_by_joint(const Mat3<S>& R, const PlainTurn<S>& t) {
  return {t.c * R.xx + t.s * R.xy, t.c * R.xy - t.s * R.xx, R.xz,
          t.c * R.yx + t.s * R.yy, t.c * R.yy - t.s * R.yx, R.yz,
          t.c * R.zx + t.s * R.zy, t.c * R.zy - t.s * R.zx, R.zz};
}
template <class S>
[[gnu::always_inline]] inline Mat3<S> turned_by_joint(const Mat3<S>& R, const DenseTurn<S>& t) {
  return R * t.R;
}

/// Where the middle axes put the child's origin.
template <class S>
[[gnu::always_inline]] inline Vec3<S> offset_in_world(const Mat3<S>& R, const PlainTurn<S>& t) {
  return {R.xx * t.p.x + R.xz * t.p.z, R.yx * t.p.x + R.yz * t.p.z, R.zx * t.p.x + R.zz * t.p.z};
}
template <class S>
[[gnu::always_inline]] inline Vec3<S> offset_in_world(const Mat3<S>& R, const TurnedTurn<S>& t) {
  return R * t.p;
}
template <class S>
[[gnu::always_inline]] inline Vec3<S> offset_in_world(const Mat3<S>& R, const DenseTurn<S>& t) {
  return R * t.p;
}

/// From the pose of node i's parent to its own. Joint angles must be in `work`.
template <class S>
[[gnu::always_inline]] inline void advance_pose(const TreeView<S>& tree, const ScratchView<S>& work,
                                                int i, const S* q, NodePose<S>& now) {
  const TreeNode& node = tree.nodes[i];
  with_turn<S>(
      node, tree.parameters[i], joint_state(node, work, i, q),
      q, [&](const auto& turn) __attribute__((always_inline)) {
        now.R = turned_to_middle(now.R, turn);
        now.p += offset_in_world(now.R, turn);
        now.R = turned_by_joint(now.R, turn);
      });
}

/// work.pose[i] = X_Wi for every node.
template <class S>
[[gnu::always_inline]] inline void node_poses(const TreeView<S>& tree, const ScratchView<S>& work,
                                              const S* q) {
  joint_angles(tree, work, q);
  NodePose<S> now{Mat3<S>::identity(), Vec3<S>::zero()};
  work.pose[0] = now;
  for (int i = 1; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    if (!node.follows) now = work.pose[node.parent];
    advance_pose(tree, work, i, q, now);
    work.pose[i] = now;
  }
}

/// The third axis of a node's frame.
template <class S>
[[gnu::always_inline]] inline Vec3<S> joint_axis(const NodePose<S>& pose) {
  return {pose.R.xz, pose.R.yz, pose.R.zz};
}

/// work.motion[i] from work.pose and the motion of its parent.
template <class S>
[[gnu::always_inline]] inline void node_motion(const TreeView<S>& tree, const ScratchView<S>& work,
                                               int i, const S* v, const S* a) {
  NodeMotion<S>* const motion = work.motion;
  const TreeNode& node = tree.nodes[i];
  const NodeMotion<S>& from = motion[node.parent];
  const NodePose<S>& pose = work.pose[i];
  const Vec3<S> r = pose.p - work.pose[node.parent].p;
  // Relative turn rate and slide of the joint, and their rates, in world axes.
  Vec3<S> turn, slide = Vec3<S>::zero(), d_turn, d_slide = Vec3<S>::zero();
  if (node.kind == NodeKind::screw) {
    const Vec3<S> z = joint_axis(pose);
    turn = scaled(node.sigma * v[node.v], z);
    slide = scaled(node.h * v[node.v], z);
    d_turn = scaled(node.sigma * a[node.v], z);
    d_slide = scaled(node.h * a[node.v], z);
  } else {
    turn = pose.R * vec3(v + node.v);
    d_turn = pose.R * vec3(a + node.v);
    if (node.kind == NodeKind::free) {
      slide = pose.R * vec3(v + node.v + 3);
      d_slide = pose.R * vec3(a + node.v + 3) + cross(turn, slide);
    }
  }
  const Vec3<S> arm_rate = cross(from.w, r);
  motion[i].w = from.w + turn;
  motion[i].v = from.v + arm_rate + slide;
  motion[i].dw = from.dw + d_turn + cross(from.w, turn);
  motion[i].dv = from.dv + cross(from.dw, r) + cross(from.w, arm_rate + slide + slide) + d_slide;
}

/// work.motion from work.pose: velocity and acceleration of every node's origin, world axes.
template <class S>
[[gnu::always_inline]] inline void node_motions(const TreeView<S>& tree, const ScratchView<S>& work,
                                                const S* v, const S* a) {
  work.motion[0] = {Vec3<S>::zero(), Vec3<S>::zero(), Vec3<S>::zero(), Vec3<S>::zero()};
  for (int i = 1; i < tree.size; ++i) node_motion(tree, work, i, v, a);
}

/// Adds the columns of one node to the Jacobian of a point that moves with it, world axes.
template <class S>
[[gnu::always_inline]] inline void node_jacobian(const TreeView<S>& tree,
                                                 const ScratchView<S>& work, int i,
                                                 const Vec3<S>& point, S* J) {
  const TreeNode& node = tree.nodes[i];
  const NodePose<S>& pose = work.pose[i];
  const Vec3<S> r = point - pose.p;
  S* column = J + 6 * node.v;
  const auto add = [&](const Vec3<S>& w, const Vec3<S>& v) __attribute__((always_inline)) {
    store(vec3(column) + w, column);
    store(vec3(column + 3) + v, column + 3);
    column += 6;
  };
  if (node.kind == NodeKind::screw) [[likely]] {
    const Vec3<S> z = joint_axis(pose), w = scaled(node.sigma, z);
    add(w, cross(w, r) + scaled(node.h, z));
    return;
  }
  const Vec3<S> axes[3] = {{pose.R.xx, pose.R.yx, pose.R.zx},
                           {pose.R.xy, pose.R.yy, pose.R.zy},
                           {pose.R.xz, pose.R.yz, pose.R.zz}};
  for (const Vec3<S>& e : axes) add(e, cross(e, r));
  if (node.kind == NodeKind::free)
    for (const Vec3<S>& e : axes) add(Vec3<S>::zero(), e);
}

/// Columns of the Jacobian of a point fixed to node `body`, world axes, rotation rows first. J is
/// 6 x speeds, column major, and must hold zeros; only columns of the node's ancestors are touched.
template <class S>
[[gnu::always_inline]] inline void point_jacobian(const TreeView<S>& tree,
                                                  const ScratchView<S>& work, int body,
                                                  const Vec3<S>& point, S* J) {
  for (int i = body; i > 0; i = tree.nodes[i].parent) node_jacobian(tree, work, i, point, J);
}

}  // namespace ulna
