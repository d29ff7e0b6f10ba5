#pragma once
// The mass matrix of trees with flexible bodies, by composite bodies: what a joint or a mode
// carries is, at the given deflection, one rigid body. docs/theory/flexible.md, eq. 18.

#include "ulna/dynamics/kernels/composite_body.hpp"
#include "ulna/dynamics/kernels/flexible_inertia.hpp"

namespace ulna {

/// eq. 18: the beam at its deflection as a rigid body (added to `sum`), the wrench at its root per
/// modal acceleration (m.Hn, m.Hf) and the modal inertia m.D.
template <class S>
[[gnu::always_inline]] inline void beam_matrices(const ModalBody& body, const S* eta,
                                                 const ModalScratch<S>& m, CompositeNode<S>& sum) {
  const int k = body.modes;
  Vec3<S>* const J = m.hinge;
  for (int j = 0; j < k; ++j) m.Hn[j] = m.Hf[j] = Vec3<S>::zero();
  for (int j = 0; j < k * k; ++j) m.D[j] = S(0);
  for (int g = 0; g < body.points; ++g) {
    const Vec3<S> R = modal_point(body.place[g], body.linear.data() + 3 * g * k,
                                  body.quadratic.data() + g * k * k, k, eta, m.zero, J)
                          .place;
    sum.mass += S(body.share[g] * body.share[g]);
    sum.h += scaled(body.share[g], R);
    sum.I += {R.x * R.x, R.y * R.y, R.z * R.z, R.x * R.y, R.x * R.z, R.y * R.z};
    for (int c = 0; c < k; ++c) {
      m.Hf[c] += scaled(body.share[g], J[c]);
      m.Hn[c] += cross(R, J[c]);
      for (int r = 0; r < k; ++r) m.D[r + k * c] += dot(J[r], J[c]);
    }
  }
  // The spin about x as second moments across: yy + zz is what turns about x, and xx takes back
  // what they would add about y and z.
  double spin = 0;
  for (int s = 0; s < body.spins; ++s) {
    const double *l = body.spin_linear.data() + s * k, e = body.spin_share[s];
    spin += e * e;
    for (int c = 0; c < k; ++c) {
      m.Hn[c].x += S(e * l[c]);
      for (int r = 0; r < k; ++r) m.D[r + k * c] += S(l[r] * l[c]);
    }
  }
  sum.I += {S(-0.5 * spin), S(0.5 * spin), S(0.5 * spin), S(0), S(0), S(0)};
}

/// The wrench about a composite body's origin that gives it the accelerations dw and dv.
template <class S>
[[gnu::always_inline]] inline NodeWrench<S> composite_wrench(const CompositeNode<S>& body,
                                                             const Vec3<S>& dw, const Vec3<S>& dv) {
  const S trace = body.I.xx + body.I.yy + body.I.zz;
  return {scaled(trace, dw) - body.I * dw + cross(body.h, dv),
          scaled(body.mass, dv) + cross(dw, body.h)};
}

/// Hands the wrench of column `column` from node `from` down to the root, filling M on the way.
template <class S>
[[gnu::always_inline]] inline void fill_flexible_column(const TreeView<S>& tree,
                                                        const ScratchView<S>& work, const S* q,
                                                        int from, int column, NodeWrench<S> F,
                                                        S* M) {
  const int n = tree.speeds;
  const auto put = [&](int row, const S& value) __attribute__((always_inline)) {
    M[row + n * column] += value;
    M[column + n * row] += value;
  };
  for (int i = from; tree.nodes[i].parent != 0;) {
    const TreeNode& node = tree.nodes[i];
    if (node.kind == NodeKind::station) {
      const int k = node.modal->modes;
      const Vec3<S>*W = work.modal[i].hinge, *P = W + k;
      const StationState<S>& s = work.modal[i].station;
      const Vec3<S> f = s.R * F.f, m = s.R * F.n;
      for (int j = 0; j < k; ++j) put(node.v + j, dot(W[j], m) + dot(P[j], f));
      F = {m + cross(s.p, f), f};
    } else if (node.kind == NodeKind::flexible) {
      F = handed_down<S>(F, root_turn<S>(node, tree.parameters[i]));
    } else {
      with_turn<S>(
          node, tree.parameters[i], joint_state(node, work, i, q),
          q, [&](const auto& turn) __attribute__((always_inline)) { F = handed_down<S>(F, turn); });
    }
    i = node.parent;
    const TreeNode& above = tree.nodes[i];
    if (!is_rigid(above.kind)) continue;
    if (above.kind == NodeKind::screw) {
      put(above.v, above.sigma * F.n.z + above.h * F.f.z);
      continue;
    }
    put(above.v, F.n.x), put(above.v + 1, F.n.y), put(above.v + 2, F.n.z);
    if (above.kind == NodeKind::free)
      put(above.v + 3, F.f.x), put(above.v + 4, F.f.y), put(above.v + 5, F.f.z);
  }
}

/// What a station carries, as its root and its modes feel it: added to those of its body.
template <class S>
[[gnu::always_inline]] inline void add_station(const ScratchView<S>& work, const TreeNode& node,
                                               int i) {
  const int k = node.modal->modes;
  const ModalScratch<S>& root = work.modal[node.parent];
  const StationState<S>& s = work.modal[i].station;
  const Vec3<S>*W = work.modal[i].hinge, *P = W + k;
  for (int c = 0; c < k; ++c) {
    const NodeWrench<S> F = composite_wrench(work.composite[i], transposed_times(s.R, W[c]),
                                             transposed_times(s.R, P[c]));
    const NodeWrench<S> at_root = hand_to_root(s, W, P, k, F, root.D + k * c);
    root.Hn[c] += at_root.n;
    root.Hf[c] += at_root.f;
  }
}

template <class S>
[[gnu::always_inline]] inline void flexible_composite_body(const TreeView<S>& tree,
                                                           const ScratchView<S>& work, const S* q,
                                                           S* M) {
  joint_angles(tree, work, q);
  for (int i = 0; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    const NodeParameters<Parameter<S>>& par = tree.parameters[i];
    const auto* m = par.second_moment;
    work.composite[i] = {S(par.mass),
                         {S(par.first_moment[0]), S(par.first_moment[1]), S(par.first_moment[2])},
                         {S(m[0]), S(m[1]), S(m[2]), S(m[3]), S(m[4]), S(m[5])}};
    if (i == 0 || is_rigid(node.kind)) continue;
    const int k = node.modal->modes;
    ModalScratch<S>& own = work.modal[i];
    if (node.kind == NodeKind::flexible)
      beam_matrices(*node.modal, q + node.q, own, work.composite[i]);
    else
      own.station = station_state(node.modal->stations[node.station], k, q + node.q, own.zero,
                                  own.hinge, own.hinge + k);
  }
  for (int i = tree.size - 1; i > 0; --i) {
    const TreeNode& node = tree.nodes[i];
    if (node.parent == 0) continue;
    const auto add = [&](const auto& turn) __attribute__((always_inline)) {
      add_to_parent(work.composite[node.parent], work.composite[i], turn);
    };
    if (node.kind == NodeKind::station) {
      add(DenseTurn<S>{work.modal[i].station.R, work.modal[i].station.p});
      add_station(work, node, i);
    } else if (node.kind == NodeKind::flexible)
      add(root_turn<S>(node, tree.parameters[i]));
    else
      with_turn<S>(node, tree.parameters[i], joint_state(node, work, i, q), q, add);
  }
  const int n = tree.speeds;
  for (int k = 0; k < n * n; ++k) M[k] = S(0);
  for (int k = 0; k < n; ++k) M[k * (n + 1)] = S(tree.armature[k]);
  for (int i = tree.size - 1; i > 0; --i) {
    const TreeNode& node = tree.nodes[i];
    if (node.kind == NodeKind::station) continue;
    if (node.kind == NodeKind::flexible) {
      const int k = node.modal->modes;
      const ModalScratch<S>& m = work.modal[i];
      for (int c = 0; c < k; ++c) {
        for (int r = 0; r < k; ++r) M[node.v + r + n * (node.v + c)] += m.D[r + k * c];
        fill_flexible_column(tree, work, q, i, node.v + c, {m.Hn[c], m.Hf[c]}, M);
      }
      continue;
    }
    NodeWrench<S> F[6];
    const int degrees = speeds_of(node.kind);
    if (node.kind == NodeKind::screw)
      F[0] = screw_wrench(work.composite[i], node.sigma, node.h);
    else
      block_wrenches(work.composite[i], F);
    for (int c = 0; c < degrees; ++c) {
      if (node.kind == NodeKind::screw) {
        M[node.v * (n + 1)] += node.sigma * F[0].n.z + node.h * F[0].f.z;
      } else {
        const S rows[6] = {F[c].n.x, F[c].n.y, F[c].n.z, F[c].f.x, F[c].f.y, F[c].f.z};
        for (int r = 0; r < degrees; ++r) M[node.v + r + n * (node.v + c)] += rows[r];
      }
      fill_flexible_column(tree, work, q, i, node.v + c, F[c], M);
    }
  }
}

}  // namespace ulna
