#pragma once
// The motion of a node against one of its ancestors, and the efforts that a wrench on it needs from
// the joints between. docs/theory/elements.md, eq. 1, 2. Nothing but the joints on the way is
// touched, and no memory is needed: an outward walk gives the motion, an inward one the efforts.

#include <array>

#include "ulna/dynamics/kernels/newton_euler.hpp"
#include "ulna/kinematics/kernels/flexible_kinematics.hpp"

namespace ulna {

/// Of a node, in the axes of the ancestor: pose, angular velocity, velocity of its origin.
template <class S>
struct RelativeMotion {
  Mat3<S> R;
  Vec3<S> p, w, v;
};

template <class S>
JointState<S> own_joint_state(const TreeNode& node, const S* q) {
  JointState<S> state{S(0), S(1), S(0)};
  if (node.kind != NodeKind::screw) return state;
  sincos(S(node.sigma * q[node.q] + node.offset), state.sine, state.cosine);
  state.shift = node.h * q[node.q];
  return state;
}

/// A section of a flexible body with the columns of its motion. Few modes fit on the stack.
template <class S>
struct StationMotion {
  StationMotion(const TreeNode& node, const S* q, const S* v) : modes(node.modal->modes) {
    if (modes > few) many.assign(static_cast<std::size_t>(2 * modes), Vec3<S>::zero());
    columns = modes > few ? many.data() : stack.data();
    state = station_state(node.modal->stations[node.station], modes, q + node.q, v + node.v,
                          columns, columns + modes);
  }
  static constexpr int few = 16;
  int modes;
  std::array<Vec3<S>, 2 * few> stack;
  std::vector<Vec3<S>> many;
  Vec3<S>* columns;  ///< turns, then shifts
  StationState<S> state;
};

template <class S, class Turn>
void place(RelativeMotion<S>& now, const Turn& turn) {
  now.R = turned_to_middle(now.R, turn);
  now.p += offset_in_world(now.R, turn);
  now.R = turned_by_joint(now.R, turn);
}

/// eq. 1
template <class S>
RelativeMotion<S> motion_against(const TreeView<S>& tree, int ancestor, int i, const S* q,
                                 const S* v) {
  if (i == ancestor)
    return {Mat3<S>::identity(), Vec3<S>::zero(), Vec3<S>::zero(), Vec3<S>::zero()};
  const TreeNode& node = tree.nodes[i];
  RelativeMotion<S> now = motion_against(tree, ancestor, node.parent, q, v);
  const Vec3<S> from = now.p;
  Vec3<S> turn = Vec3<S>::zero(), slide = Vec3<S>::zero();
  if (node.kind == NodeKind::flexible) {
    place(now, root_turn<S>(node, tree.parameters[i]));
  } else if (node.kind == NodeKind::station) {
    const StationMotion<S> station(node, q, v);
    turn = now.R * station.state.w;
    slide = now.R * station.state.v;
    place(now, DenseTurn<S>{station.state.R, station.state.p});
  } else {
    with_turn<S>(node, tree.parameters[i], own_joint_state(node, q), q,
                 [&](const auto& t) { place(now, t); });
    if (node.kind == NodeKind::screw) {
      const Vec3<S> z{now.R.xz, now.R.yz, now.R.zz};
      turn = scaled(node.sigma * v[node.v], z);
      slide = scaled(node.h * v[node.v], z);
    } else {
      turn = now.R * vec3(v + node.v);
      if (node.kind == NodeKind::free) slide = now.R * vec3(v + node.v + 3);
    }
  }
  now.v += cross(now.w, now.p - from) + slide;
  now.w += turn;
  return now;
}

/// eq. 2: tau += J' F for a wrench F about the origin of node i in its axes, over the joints
/// between it and the ancestor.
template <class S>
void add_wrench_efforts(const TreeView<S>& tree, int ancestor, int i, NodeWrench<S> F, const S* q,
                        const S* v, S* tau) {
  for (; i != ancestor; i = tree.nodes[i].parent) {
    const TreeNode& node = tree.nodes[i];
    const auto to_parent = [&F](const auto& turn) {
      F.f = turn.child_to_middle(F.f);
      F.n = turn.child_to_middle(F.n) + turn.middle_moment(F.f);
      F.f = turn.out_of_middle(F.f);
      F.n = turn.out_of_middle(F.n);
    };
    if (node.kind == NodeKind::flexible) {
      to_parent(root_turn<S>(node, tree.parameters[i]));
    } else if (node.kind == NodeKind::station) {
      const StationMotion<S> station(node, q, v);
      const Vec3<S> n = station.state.R * F.n, f = station.state.R * F.f;
      for (int j = 0; j < station.modes; ++j)
        tau[node.v + j] += dot(station.columns[j], n) + dot(station.columns[station.modes + j], f);
      to_parent(DenseTurn<S>{station.state.R, station.state.p});
    } else {
      add_joint_effort<S>(node, F, tau);
      with_turn<S>(node, tree.parameters[i], own_joint_state(node, q), q, to_parent);
    }
  }
}

}  // namespace ulna
