#pragma once
// Poses, motions and Jacobians of trees with flexible bodies: the loops of forward_kinematics.hpp
// with two more kinds of nodes. docs/theory/flexible.md, eq. 5, 6, 16.

#include "ulna/kinematics/kernels/flexible_body.hpp"
#include "ulna/kinematics/kernels/forward_kinematics.hpp"

namespace ulna {

/// work.pose[i] = X_Wi for every node, and work.station of every station (rates from v).
template <class S>
[[gnu::always_inline]] inline void flexible_poses(const TreeView<S>& tree,
                                                  const ScratchView<S>& work, const S* q,
                                                  const S* v) {
  joint_angles(tree, work, q);
  work.pose[0] = {Mat3<S>::identity(), Vec3<S>::zero()};
  for (int i = 1; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    NodePose<S> now = work.pose[node.parent];
    const auto place = [&](const auto& turn) __attribute__((always_inline)) {
      now.R = turned_to_middle(now.R, turn);
      now.p += offset_in_world(now.R, turn);
      now.R = turned_by_joint(now.R, turn);
    };
    if (node.kind == NodeKind::flexible) {
      place(root_turn<S>(node, tree.parameters[i]));
    } else if (node.kind == NodeKind::station) {
      const ModalBody& body = *node.modal;
      Vec3<S>* columns = work.modal[i].hinge;
      work.modal[i].station = station_state(body.stations[node.station], body.modes, q + node.q,
                                            v + node.v, columns, columns + body.modes);
      place(DenseTurn<S>{work.modal[i].station.R, work.modal[i].station.p});
    } else {
      with_turn<S>(node, tree.parameters[i], joint_state(node, work, i, q), q, place);
    }
    work.pose[i] = now;
  }
}

/// work.motion from work.pose and work.station: velocity and acceleration of every node's origin,
/// world axes.
template <class S>
[[gnu::always_inline]] inline void flexible_motions(const TreeView<S>& tree,
                                                    const ScratchView<S>& work, const S* v,
                                                    const S* a) {
  NodeMotion<S>* const motion = work.motion;
  motion[0] = {Vec3<S>::zero(), Vec3<S>::zero(), Vec3<S>::zero(), Vec3<S>::zero()};
  for (int i = 1; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    if (is_rigid(node.kind)) {
      node_motion(tree, work, i, v, a);
      continue;
    }
    const NodeMotion<S>& from = motion[node.parent];
    const Mat3<S>& R = work.pose[node.parent].R;
    const Vec3<S> r = work.pose[i].p - work.pose[node.parent].p;
    Vec3<S> turn = Vec3<S>::zero(), slide = turn, d_turn = turn, d_slide = turn;
    if (node.kind == NodeKind::station) {
      const StationState<S>& s = work.modal[i].station;
      const int k = node.modal->modes;
      Vec3<S> dw = s.bias_w, dv = s.bias_v;
      for (int j = 0; j < k; ++j) {
        dw += scaled(a[node.v + j], work.modal[i].hinge[j]);
        dv += scaled(a[node.v + j], work.modal[i].hinge[k + j]);
      }
      turn = R * s.w, slide = R * s.v, d_turn = R * dw, d_slide = R * dv;
    }
    const Vec3<S> arm_rate = cross(from.w, r);
    motion[i].w = from.w + turn;
    motion[i].v = from.v + arm_rate + slide;
    motion[i].dw = from.dw + d_turn + cross(from.w, turn);
    motion[i].dv = from.dv + cross(from.dw, r) + cross(from.w, arm_rate + slide + slide) + d_slide;
  }
}

/// Columns of the Jacobian of a point fixed to node `body`; as point_jacobian.
template <class S>
[[gnu::always_inline]] inline void flexible_jacobian(const TreeView<S>& tree,
                                                     const ScratchView<S>& work, int body,
                                                     const Vec3<S>& point, S* J) {
  for (int i = body; i > 0; i = tree.nodes[i].parent) {
    const TreeNode& node = tree.nodes[i];
    if (node.kind == NodeKind::flexible) continue;  // its coordinates act through its stations
    if (node.kind != NodeKind::station) {
      node_jacobian(tree, work, i, point, J);
      continue;
    }
    const int k = node.modal->modes;
    const Mat3<S>& R = work.pose[node.parent].R;
    const Vec3<S> r = point - work.pose[i].p;
    for (int j = 0; j < k; ++j) {
      const Vec3<S> w = R * work.modal[i].hinge[j],
                    u = R * work.modal[i].hinge[k + j] + cross(w, r);
      S* column = J + 6 * (node.v + j);
      store(vec3(column) + w, column);
      store(vec3(column + 3) + u, column + 3);
    }
  }
}

}  // namespace ulna
