#pragma once
// Forward dynamics of trees with flexible bodies by articulated bodies: the modes of each body are
// eliminated where it is handed to its parent, so the cost is linear in the number of bodies.
// docs/theory/flexible.md, eq. 19-21.

#include "ulna/dynamics/kernels/articulated_body.hpp"
#include "ulna/dynamics/kernels/flexible_composite_body.hpp"

namespace ulna {

/// eq. 19 for the root of a flexible body: the beam's own inertia over root and modes.
template <class S>
[[gnu::always_inline]] inline void start_flexible(const TreeView<S>& tree,
                                                  const ScratchView<S>& work, const S* q,
                                                  const S* v, const NodeWrench<S>* external,
                                                  const S* tau, int i) {
  const TreeNode& node = tree.nodes[i];
  const ModalBody& body = *node.modal;
  const ModalScratch<S>& m = work.modal[i];
  ArticulatedNode<S>& now = work.articulated[i];
  const DenseTurn<S> turn = root_turn<S>(node, tree.parameters[i]);
  const Vec3<S> w = work.articulated[node.parent].w;
  now.w = turn.to_child(w);
  now.bias_w = Vec3<S>::zero();
  now.bias_v = turn.to_child(cross(w, cross(w, turn.p)));
  start_inertia<S>(tree.parameters[i], external, i, now.w, now);
  // m.u gathers what is left of the modal efforts.
  for (int j = 0; j < body.modes; ++j) m.u[j] = S(0);
  const BodyMotion<S> motion{now.w, Vec3<S>::zero(), Vec3<S>::zero(),
                             acceleration_matrix(now.w, Vec3<S>::zero())};
  add_elastic_efforts(body, q + node.q, v + node.v, m.u);
  const NodeWrench<S> F =
      beam_inertia_wrench<S>(body, motion, q + node.q, v + node.v, nullptr, m.hinge, m.u);
  for (int j = 0; j < body.modes; ++j) m.u[j] = tau[node.v + j] - m.u[j];
  now.pn += F.n;
  now.pf += F.f;
  CompositeNode<S> sum{S(0), Vec3<S>::zero(), Sym3<S>::zero()};
  beam_matrices(body, q + node.q, m, sum);
  now.A += {sum.I.yy + sum.I.zz, sum.I.xx + sum.I.zz, sum.I.xx + sum.I.yy,
            -sum.I.xy,           -sum.I.xz,           -sum.I.yz};
  const Vec3<S>& h = sum.h;
  const Mat3<S> skew_h{S(0), -h.z, h.y, h.z, S(0), -h.x, -h.y, h.x, S(0)};
  now.B = now.B + skew_h;
  now.C += {sum.mass, sum.mass, sum.mass, S(0), S(0), S(0)};
}

template <class S>
[[gnu::always_inline]] inline void start_station(const TreeView<S>& tree,
                                                 const ScratchView<S>& work, const S* q, const S* v,
                                                 const NodeWrench<S>* external, int i) {
  const TreeNode& node = tree.nodes[i];
  const int k = node.modal->modes;
  ModalScratch<S>& m = work.modal[i];
  ArticulatedNode<S>& now = work.articulated[i];
  m.station = station_state(node.modal->stations[node.station], k, q + node.q, v + node.v, m.hinge,
                            m.hinge + k);
  const StationState<S>& s = m.station;
  const Vec3<S> w = work.articulated[node.parent].w;
  now.w = transposed_times(s.R, w + s.w);
  now.bias_w = transposed_times(s.R, s.bias_w + cross(w, s.w));
  now.bias_v = transposed_times(s.R, s.bias_v + cross(w, s.v + s.v) + cross(w, cross(w, s.p)));
  start_inertia<S>(tree.parameters[i], external, i, now.w, now);
}

/// eq. 20: a station hands all that it carries to its root and to the modes.
template <class S>
[[gnu::always_inline]] inline void hand_station(const TreeView<S>& tree, const ScratchView<S>& work,
                                                int i) {
  const TreeNode& node = tree.nodes[i];
  const int k = node.modal->modes;
  const ArticulatedNode<S>& now = work.articulated[i];
  const StationState<S>& s = work.modal[i].station;
  const Vec3<S>*W = work.modal[i].hinge, *P = W + k;
  const ModalScratch<S>& root = work.modal[node.parent];
  HandedInertia<S> own{now.A, now.C, now.B, now.pn, now.pf};
  own.pn += now.A * now.bias_w + now.B * now.bias_v;
  own.pf += transposed_times(now.B, now.bias_w) + now.C * now.bias_v;
  const Vec3<S> n = s.R * own.pn, f = s.R * own.pf;
  for (int j = 0; j < k; ++j) root.u[j] -= dot(W[j], n) + dot(P[j], f);
  for (int c = 0; c < k; ++c) {
    const Vec3<S> w = transposed_times(s.R, W[c]), u = transposed_times(s.R, P[c]);
    const NodeWrench<S> F{now.A * w + now.B * u, transposed_times(now.B, w) + now.C * u};
    const NodeWrench<S> at_root = hand_to_root(s, W, P, k, F, root.D + k * c);
    root.Hn[c] += at_root.n;
    root.Hf[c] += at_root.f;
  }
  hand_to_parent(work.articulated[node.parent], own, DenseTurn<S>{s.R, s.p});
}

/// eq. 21: the modes give way; what is left is a rigid body's inertia.
template <class S>
[[gnu::always_inline]] inline HandedInertia<S> release_modes(const ScratchView<S>& work, int k,
                                                             int i) {
  const ModalScratch<S>& m = work.modal[i];
  const ArticulatedNode<S>& now = work.articulated[i];
  ldlt_factor(m.D, k, k);
  ldlt_solve(m.D, k, k, m.u);
  // Y = D^-1 H', one component of H at a time; m.zero is the room for it, and zero again after.
  const auto solve = [&](S Vec3<S>::*component, const Vec3<S>* H, Vec3<S>* Y)
      __attribute__((always_inline)) {
    for (int j = 0; j < k; ++j) m.zero[j] = H[j].*component;
    ldlt_solve(m.D, k, k, m.zero);
    for (int j = 0; j < k; ++j) Y[j].*component = m.zero[j], m.zero[j] = S(0);
  };
  solve(&Vec3<S>::x, m.Hn, m.Yn), solve(&Vec3<S>::y, m.Hn, m.Yn), solve(&Vec3<S>::z, m.Hn, m.Yn);
  solve(&Vec3<S>::x, m.Hf, m.Yf), solve(&Vec3<S>::y, m.Hf, m.Yf), solve(&Vec3<S>::z, m.Hf, m.Yf);
  HandedInertia<S> out{now.A, now.C, now.B, now.pn, now.pf};
  for (int j = 0; j < k; ++j) {
    const Vec3<S>&n = m.Hn[j], &f = m.Hf[j], &yn = m.Yn[j], &yf = m.Yf[j];
    out.A +=
        {-(n.x * yn.x), -(n.y * yn.y), -(n.z * yn.z), -(n.x * yn.y), -(n.x * yn.z), -(n.y * yn.z)};
    out.C +=
        {-(f.x * yf.x), -(f.y * yf.y), -(f.z * yf.z), -(f.x * yf.y), -(f.x * yf.z), -(f.y * yf.z)};
    const Mat3<S> product{-(n.x * yf.x), -(n.x * yf.y), -(n.x * yf.z), -(n.y * yf.x), -(n.y * yf.y),
                          -(n.y * yf.z), -(n.z * yf.x), -(n.z * yf.y), -(n.z * yf.z)};
    out.B = out.B + product;
    out.pn += scaled(m.u[j], n);
    out.pf += scaled(m.u[j], f);
  }
  out.pn += out.A * now.bias_w + out.B * now.bias_v;
  out.pf += transposed_times(out.B, now.bias_w) + out.C * now.bias_v;
  return out;
}

template <class S>
[[gnu::always_inline]] inline void flexible_accelerations(const TreeView<S>& tree,
                                                          const ScratchView<S>& work, const S* q,
                                                          S* a) {
  ArticulatedNode<S>* const nodes = work.articulated;
  nodes[0].dw = Vec3<S>::zero();
  nodes[0].dv = {S(-tree.gravity[0]), S(-tree.gravity[1]), S(-tree.gravity[2])};
  for (int i = 1; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    ArticulatedNode<S>& now = nodes[i];
    const ArticulatedNode<S>& from = nodes[node.parent];
    if (node.kind == NodeKind::flexible) {
      carried_acceleration(from, now, root_turn<S>(node, tree.parameters[i]), now.dw, now.dv);
      const ModalScratch<S>& m = work.modal[i];
      for (int j = 0; j < node.modal->modes; ++j)
        a[node.v + j] = m.u[j] - dot(m.Yn[j], now.dw) - dot(m.Yf[j], now.dv);
    } else if (node.kind == NodeKind::station) {
      const int k = node.modal->modes;
      const StationState<S>& s = work.modal[i].station;
      const Vec3<S>*W = work.modal[i].hinge, *P = W + k;
      Vec3<S> dw = from.dw, dv = from.dv + cross(from.dw, s.p);
      for (int j = 0; j < k; ++j) {
        dw += scaled(a[node.v + j], W[j]);
        dv += scaled(a[node.v + j], P[j]);
      }
      now.dw = transposed_times(s.R, dw) + now.bias_w;
      now.dv = transposed_times(s.R, dv) + now.bias_v;
    } else {
      articulated_acceleration(tree, work, q, a, i);
    }
  }
}

/// Accelerations a for q, v and efforts tau. Two nodes must not share a speed (no mimic joints).
template <class S>
[[gnu::always_inline]] inline void flexible_articulated_body(const TreeView<S>& tree,
                                                             const ScratchView<S>& work, const S* q,
                                                             const S* v, const S* tau,
                                                             const NodeWrench<S>* external, S* a) {
  joint_angles(tree, work, q);
  work.articulated[0].w = Vec3<S>::zero();
  for (int i = 1; i < tree.size; ++i) {
    const NodeKind kind = tree.nodes[i].kind;
    if (kind == NodeKind::flexible)
      start_flexible(tree, work, q, v, external, tau, i);
    else if (kind == NodeKind::station)
      start_station(tree, work, q, v, external, i);
    else
      start_articulated(tree, work, q, v, external, i);
  }
  for (int i = tree.size - 1; i > 0; --i) {
    const TreeNode& node = tree.nodes[i];
    if (node.kind == NodeKind::station) {
      hand_station(tree, work, i);
      continue;
    }
    ArticulatedNode<S>& now = work.articulated[i];
    const HandedInertia<S> left =
        node.kind == NodeKind::flexible ? release_modes(work, node.modal->modes, i)
        : node.kind == NodeKind::screw
            ? release_screw<S>(now, node, tree.armature[node.v], tau[node.v])
            : release_block<S>(now, work.block[work.block_of[i]], node, tau);
    if (node.parent == 0) continue;
    const auto hand = [&](const auto& turn) __attribute__((always_inline)) {
      hand_to_parent(work.articulated[node.parent], left, turn);
    };
    if (node.kind == NodeKind::flexible)
      hand(root_turn<S>(node, tree.parameters[i]));
    else
      with_turn<S>(node, tree.parameters[i], joint_state(node, work, i, q), q, hand);
  }
  flexible_accelerations(tree, work, q, a);
}

}  // namespace ulna
