#pragma once
// Inverse dynamics of trees with flexible bodies: Newton-Euler as for rigid ones, with the modal
// coordinates among the speeds. docs/theory/flexible.md, eq. 16, 17. The modal efforts returned are
// those that would have to act on the modes; they are zero in free motion. Run on dual numbers
// whose dual part holds the elastic quantities, the same text gives the equations truncated after
// the first order (flexible_levels.hpp).

#include "ulna/dynamics/kernels/flexible_inertia.hpp"

namespace ulna {

template <class S>
[[gnu::always_inline]] inline void flexible_newton_euler_outward(const TreeView<S>& tree,
                                                                 const ScratchView<S>& work,
                                                                 const S* q, const S* v, const S* a,
                                                                 const NodeWrench<S>* external,
                                                                 S* tau) {
  NewtonEulerNode<S>* const nodes = work.newton_euler;
  nodes[0] = {{Vec3<S>::zero(),
               Vec3<S>::zero(),
               {S(-tree.gravity[0]), S(-tree.gravity[1]), S(-tree.gravity[2])},
               Mat3<S>::zero()},
              Vec3<S>::zero(),
              Vec3<S>::zero()};
  for (int i = 1; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    const NodeParameters<Parameter<S>>& par = tree.parameters[i];
    BodyMotion<S> now = nodes[node.parent].motion;
    const auto carry = [&](const auto& turn) __attribute__((always_inline)) {
      now.a = turn.to_child(now.a + now.U * turn.arm());
      now.w = turn.to_child(now.w);
      now.dw = turn.to_child(now.dw);
    };
    NodeWrench<S> beam{Vec3<S>::zero(), Vec3<S>::zero()};
    if (node.kind == NodeKind::station) {
      const ModalBody& body = *node.modal;
      const int k = body.modes;
      Vec3<S>*W = work.modal[i].hinge, *P = W + k;
      StationState<S>& s = work.modal[i].station;
      s = station_state(body.stations[node.station], k, q + node.q, v + node.v, W, P);
      Vec3<S> dw = s.bias_w, dv = s.bias_v;
      for (int j = 0; j < k; ++j) {
        dw += scaled(a[node.v + j], W[j]);
        dv += scaled(a[node.v + j], P[j]);
      }
      now = station_motion(now, s, dw, dv);
    } else if (node.kind == NodeKind::flexible) {
      carry(root_turn<S>(node, par));
      now.U = acceleration_matrix(now.w, now.dw);
      add_elastic_efforts(*node.modal, q + node.q, v + node.v, tau + node.v);
      beam = beam_inertia_wrench(*node.modal, now, q + node.q, v + node.v, a + node.v,
                                 work.modal[i].hinge, tau + node.v);
    } else {
      with_turn<S>(node, par, joint_state(node, work, i, q), q, carry);
      if (node.kind == NodeKind::screw)
        add_screw_motion(now, node, v[node.v], a[node.v]);
      else
        add_block_motion(now, node, v, a);
      now.U = acceleration_matrix(now.w, now.dw);
    }
    NodeWrench<S> F = inertia_wrench<S>(par, now);
    F.f += beam.f;
    F.n += beam.n;
    if (external) {
      F.f -= external[i].f;
      F.n -= external[i].n;
    }
    nodes[i] = {now, F.n, F.f};
  }
}

/// Moments that forces have about a station through rigid arms on it, in its axes: with the arms
/// where they are, and with the arms as they were before the section turned. The strict form of the
/// linear kinematics of deformation puts the second in place of the first (eq. 25).
template <class S>
struct Levers {
  Vec3<S> turned, unturned;
};

/// Adds the arm p (station axes) with the force f (station axes).
template <class S>
[[gnu::always_inline]] inline void add_lever(Levers<S>& levers, const Mat3<S>& R, const Vec3<S>& p,
                                             const Vec3<S>& f) {
  levers.turned += cross(p, f);
  levers.unturned += cross(p, R * f);
}

/// The force that a node's own body needs for its motion.
template <class S>
[[gnu::always_inline]] inline Vec3<S> own_force(const TreeView<S>& tree, const ScratchView<S>& work,
                                                int i) {
  return inertia_wrench<S>(tree.parameters[i], work.newton_euler[i].motion).f;
}

/// `levers`: one per node for the strict form, else null.
template <class S>
[[gnu::always_inline]] inline void flexible_newton_euler_inward(const TreeView<S>& tree,
                                                                const ScratchView<S>& work,
                                                                const S* q, S* tau,
                                                                Levers<S>* levers) {
  NewtonEulerNode<S>* const nodes = work.newton_euler;
  for (int i = tree.size - 1; i > 0; --i) {
    const TreeNode& node = tree.nodes[i];
    NodeWrench<S> F{nodes[i].n, nodes[i].f};
    const auto hand = [&](const auto& turn) __attribute__((always_inline)) {
      const Vec3<S> f = turn.child_to_middle(F.f);
      const Vec3<S> n = turn.child_to_middle(F.n) + turn.middle_moment(f);
      F = {turn.out_of_middle(n), turn.out_of_middle(f)};
    };
    if (node.kind == NodeKind::station) {
      const int k = node.modal->modes;
      const StationState<S>& s = work.modal[i].station;
      if (levers) {
        const Parameter<S>& mass = tree.parameters[i].mass;
        if (value_of(mass) > 0) {
          const Vec3<S> centre =
              scaled(S(1) / S(mass), Vec3<S>{S(tree.parameters[i].first_moment[0]),
                                             S(tree.parameters[i].first_moment[1]),
                                             S(tree.parameters[i].first_moment[2])});
          add_lever(levers[i], s.R, centre, own_force(tree, work, i));
        }
        const Vec3<S> change = levers[i].unturned - s.R * levers[i].turned;
        for (int j = 0; j < k; ++j) tau[node.v + j] += dot(work.modal[i].hinge[j], change);
      }
      F = hand_to_root(s, work.modal[i].hinge, work.modal[i].hinge + k, k, F, tau + node.v);
    } else if (node.kind == NodeKind::flexible) {
      hand(root_turn<S>(node, tree.parameters[i]));
    } else {
      add_joint_effort(node, F, tau);
      with_turn<S>(node, tree.parameters[i], joint_state(node, work, i, q), q, hand);
      if (levers && tree.nodes[node.parent].kind == NodeKind::station)
        with_turn<S>(
            node, tree.parameters[i], joint_state(node, work, i, q),
            q, [&](const auto& turn) __attribute__((always_inline)) {
              add_lever(levers[node.parent], work.modal[node.parent].station.R, turn.arm(), F.f);
            });
    }
    nodes[node.parent].n += F.n;
    nodes[node.parent].f += F.f;
  }
}

template <class S>
[[gnu::always_inline]] inline void flexible_newton_euler(const TreeView<S>& tree,
                                                         const ScratchView<S>& work, const S* q,
                                                         const S* v, const S* a,
                                                         const NodeWrench<S>* external, S* tau,
                                                         Levers<S>* levers = nullptr) {
  joint_angles(tree, work, q);
  for (int k = 0; k < tree.speeds; ++k) tau[k] = tree.armature[k] * a[k];
  flexible_newton_euler_outward(tree, work, q, v, a, external, tau);
  flexible_newton_euler_inward<S>(tree, work, q, tau, levers);
}

}  // namespace ulna
