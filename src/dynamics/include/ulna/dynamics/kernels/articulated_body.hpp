#pragma once
// Forward dynamics by articulated bodies: the accelerations that given efforts produce, at a cost
// linear in the number of joints. docs/theory/articulated-body.md, eq. 1-9.
//
// Accelerations are those of the nodes' origins (not spatial accelerations), so no linear velocity
// appears anywhere: the bias of a body is w x (I w) and w x (w x h).

#include "ulna/dynamics/kernels/composite_body.hpp"
#include "ulna/dynamics/kernels/newton_euler.hpp"
#include "ulna/scalar/kernels/ldlt.hpp"

namespace ulna {

/// Rz B Rz' for any 3x3 matrix.
template <class S>
[[gnu::always_inline]] inline Mat3<S> turned_about_z(const Mat3<S>& B, const S& c, const S& s) {
  const S cs = c * s, ss = s * s;
  const S difference = B.xx - B.yy, sum = B.xy + B.yx;
  const S shift = ss * difference + cs * sum, slant = cs * difference - ss * sum;
  return {B.xx - shift,        B.xy + slant,        c * B.xz - s * B.yz, B.yx + slant, B.yy + shift,
          s * B.xz + c * B.yz, c * B.zx - s * B.zy, s * B.zx + c * B.zy, B.zz};
}
template <class S>
[[gnu::always_inline]] inline Mat3<S> turned_about_x(const Mat3<S>& B, double c, double s) {
  const double cs = c * s, ss = s * s;
  const S difference = B.yy - B.zz, sum = B.yz + B.zy;
  const S shift = ss * difference + cs * sum, slant = cs * difference - ss * sum;
  return {B.xx,         c * B.xy - s * B.xz, s * B.xy + c * B.xz, c * B.yx - s * B.zx, B.yy - shift,
          B.yz + slant, s * B.yx + c * B.zx, B.zy + slant,        B.zz + shift};
}
template <class S>
[[gnu::always_inline]] inline Mat3<S> turned_to_parent(const Mat3<S>& B, const PlainTurn<S>& t) {
  return turned_about_x(B, t.ca, t.sa);
}
template <class S>
[[gnu::always_inline]] inline Mat3<S> turned_to_parent(const Mat3<S>& B, const TurnedTurn<S>& t) {
  return turned_about_z(turned_about_x(B, t.ca, t.sa), S(t.cf), S(t.sf));
}
template <class S>
[[gnu::always_inline]] inline Mat3<S> turned_to_parent(const Mat3<S>& B, const DenseTurn<S>&) {
  return B;
}
template <class S>
[[gnu::always_inline]] inline Mat3<S> turned_by_joint_back(const Mat3<S>& B,
                                                           const PlainTurn<S>& t) {
  return turned_about_z(B, t.c, t.s);
}
template <class S>
[[gnu::always_inline]] inline Mat3<S> turned_by_joint_back(const Mat3<S>& B,
                                                           const DenseTurn<S>& t) {
  const Mat3<S> R = t.R;
  const Mat3<S> Rt{R.xx, R.yx, R.zx, R.xy, R.yy, R.zy, R.xz, R.yz, R.zz};
  return R * B * Rt;
}

/// The inertia and bias a node hands to its parent, in the node's axes.
template <class S>
struct HandedInertia {
  Sym3<S> A, C;
  Mat3<S> B;
  Vec3<S> pn, pf;
};

/// eq. 7: turned to the parent's axes and moved by p. With P = skew(p): B' = B + P C,
/// A' = A - B P + P B''.
template <class S, class Turn>
[[gnu::always_inline]] inline void hand_to_parent(ArticulatedNode<S>& parent,
                                                  const HandedInertia<S>& own, const Turn& turn) {
  const Sym3<S> A = turned_to_middle(own.A, turn), C = turned_to_middle(own.C, turn);
  const Mat3<S> B = turned_by_joint_back(own.B, turn);
  const Vec3<S> p = turn.p;
  const Mat3<S> Bp{B.xx + (p.y * C.xz - p.z * C.xy), B.xy + (p.y * C.yz - p.z * C.yy),
                   B.xz + (p.y * C.zz - p.z * C.yz), B.yx + (p.z * C.xx - p.x * C.xz),
                   B.yy + (p.z * C.xy - p.x * C.yz), B.yz + (p.z * C.xz - p.x * C.zz),
                   B.zx + (p.x * C.xy - p.y * C.xx), B.zy + (p.x * C.yy - p.y * C.xy),
                   B.zz + (p.x * C.yz - p.y * C.xz)};
  // -B P has columns p x (row of B); P B'' has rows likewise.
  const Sym3<S> Ap{A.xx + (p.y * (B.xz + Bp.xz) - p.z * (B.xy + Bp.xy)),
                   A.yy + (p.z * (B.yx + Bp.yx) - p.x * (B.yz + Bp.yz)),
                   A.zz + (p.x * (B.zy + Bp.zy) - p.y * (B.zx + Bp.zx)),
                   A.xy + (p.z * B.xx - p.x * B.xz) + (p.y * Bp.yz - p.z * Bp.yy),
                   A.xz + (p.x * B.xy - p.y * B.xx) + (p.y * Bp.zz - p.z * Bp.zy),
                   A.yz + (p.x * B.yy - p.y * B.yx) + (p.z * Bp.zx - p.x * Bp.zz)};
  parent.A += turned_to_parent(Ap, turn);
  parent.C += turned_to_parent(C, turn);
  const Mat3<S> B_parent = turned_to_parent(Bp, turn);
  parent.B = parent.B + B_parent;
  const NodeWrench<S> bias = handed_down<S>({own.pn, own.pf}, turn);
  parent.pn += bias.n;
  parent.pf += bias.f;
}

/// eq. 3: a node's own inertia and the wrench that its angular velocity needs.
template <class S>
[[gnu::always_inline]] inline void start_inertia(const NodeParameters<Parameter<S>>& par,
                                                 const NodeWrench<S>* external, int i,
                                                 const Vec3<S>& w, ArticulatedNode<S>& now) {
  const auto* m = par.second_moment;
  const Vec3<Parameter<S>> h = vec3(par.first_moment);
  const Mat3<S> U = acceleration_matrix(w, Vec3<S>::zero());
  now.pn = inertia_moment<S>(m, U);
  now.pf = U * h;
  if (external) {
    now.pn -= external[i].n;
    now.pf -= external[i].f;
  }
  now.A = {S(m[1] + m[2]), S(m[0] + m[2]), S(m[0] + m[1]), S(-m[3]), S(-m[4]), S(-m[5])};
  now.B = {S(0), S(-h.z), S(h.y), S(h.z), S(0), S(-h.x), S(-h.y), S(h.x), S(0)};
  now.C = {S(par.mass), S(par.mass), S(par.mass), S(0), S(0), S(0)};
}

/// eq. 1-3 for one node: its angular velocity, its acceleration from velocities, its own inertia.
template <class S>
[[gnu::always_inline]] inline void start_articulated(const TreeView<S>& tree,
                                                     const ScratchView<S>& work, const S* q,
                                                     const S* v, const NodeWrench<S>* external,
                                                     int i) {
  ArticulatedNode<S>* const nodes = work.articulated;
  const TreeNode& node = tree.nodes[i];
  const NodeParameters<Parameter<S>>& par = tree.parameters[i];
  ArticulatedNode<S>& now = nodes[i];
  const Vec3<S> w_parent = nodes[node.parent].w;
  Vec3<S> w, bias_w, bias_v;
  with_turn<S>(
      node, par, joint_state(node, work, i, q),
      q, [&](const auto& turn) __attribute__((always_inline)) {
        const Vec3<S> w_middle = turn.into_middle(w_parent);
        w = turn.middle_to_child(w_middle);
        bias_v = turn.middle_to_child(cross(w_middle, cross(w_middle, turn.p)));
      });
  if (node.kind == NodeKind::screw) [[likely]] {
    const S turn = node.sigma * v[node.v], slide = node.h * v[node.v], twice = slide + slide;
    bias_w = {w.y * turn, -(w.x * turn), S(0)};
    bias_v.x += w.y * twice;
    bias_v.y -= w.x * twice;
    w.z += turn;
  } else {
    const Vec3<S> turn = vec3(v + node.v);
    bias_w = cross(w, turn);
    if (node.kind == NodeKind::free) bias_v += cross(w + w + turn, vec3(v + node.v + 3));
    w += turn;
  }
  now.w = w;
  now.bias_w = bias_w;
  now.bias_v = bias_v;
  start_inertia<S>(par, external, i, w, now);
}

/// eq. 1-3: angular velocities, velocity-dependent accelerations, and the bodies' own inertias.
template <class S>
[[gnu::always_inline]] inline void articulated_outward(const TreeView<S>& tree,
                                                       const ScratchView<S>& work, const S* q,
                                                       const S* v, const NodeWrench<S>* external) {
  work.articulated[0].w = Vec3<S>::zero();
  for (int i = 1; i < tree.size; ++i) start_articulated(tree, work, q, v, external, i);
}

/// eq. 4-6 for a screw: what is left of the inertia when the joint is free to move.
template <class S>
[[gnu::always_inline]] inline HandedInertia<S> release_screw(ArticulatedNode<S>& now,
                                                             const TreeNode& node,
                                                             const Parameter<S>& armature,
                                                             const S& tau) {
  const Sym3<S>& A = now.A;
  const Sym3<S>& C = now.C;
  const Mat3<S>& B = now.B;
  const double sigma = node.sigma, h = node.h;
  const Vec3<S> n{sigma * A.xz + h * B.xz, sigma * A.yz + h * B.yz, sigma * A.zz + h * B.zz};
  const Vec3<S> f{sigma * B.zx + h * C.xz, sigma * B.zy + h * C.yz, sigma * B.zz + h * C.zz};
  const S D_inverse = S(1) / (sigma * n.z + h * f.z + armature);
  const S u = tau - (sigma * now.pn.z + h * now.pf.z);
  now.Un = n;
  now.Uf = f;
  now.D_inverse = D_inverse;
  now.u = u;
  const Vec3<S> dn = scaled(D_inverse, n), df = scaled(D_inverse, f);
  HandedInertia<S> out;
  out.A = {A.xx - dn.x * n.x, A.yy - dn.y * n.y, A.zz - dn.z * n.z,
           A.xy - dn.x * n.y, A.xz - dn.x * n.z, A.yz - dn.y * n.z};
  out.C = {C.xx - df.x * f.x, C.yy - df.y * f.y, C.zz - df.z * f.z,
           C.xy - df.x * f.y, C.xz - df.x * f.z, C.yz - df.y * f.z};
  out.B = {B.xx - dn.x * f.x, B.xy - dn.x * f.y, B.xz - dn.x * f.z,
           B.yx - dn.y * f.x, B.yy - dn.y * f.y, B.yz - dn.y * f.z,
           B.zx - dn.z * f.x, B.zy - dn.z * f.y, B.zz - dn.z * f.z};
  const S share = D_inverse * u;
  out.pn = now.pn + out.A * now.bias_w + out.B * now.bias_v + scaled(share, n);
  out.pf = now.pf + transposed_times(out.B, now.bias_w) + out.C * now.bias_v + scaled(share, f);
  return out;
}

/// The same for spherical nodes (three turns released) and free ones (everything released).
template <class S>
[[gnu::always_inline]] inline HandedInertia<S> release_block(ArticulatedNode<S>& now,
                                                             BlockScratch<S>& block,
                                                             const TreeNode& node, const S* tau) {
  const Sym3<S>& A = now.A;
  const Sym3<S>& C = now.C;
  const Mat3<S>& B = now.B;
  const Vec3<S> moment = vec3(tau + node.v);
  HandedInertia<S> out{Sym3<S>::zero(), Sym3<S>::zero(), Mat3<S>::zero(), moment, Vec3<S>::zero()};
  const int k = speeds_of(node.kind);
  S* F = block.factor;
  const S whole[36] = {A.xx, A.xy, A.xz, B.xx, B.xy, B.xz, A.xy, A.yy, A.yz, B.yx, B.yy, B.yz,
                       A.xz, A.yz, A.zz, B.zx, B.zy, B.zz, B.xx, B.yx, B.zx, C.xx, C.xy, C.xz,
                       B.xy, B.yy, B.zy, C.xy, C.yy, C.yz, B.xz, B.yz, B.zz, C.xz, C.yz, C.zz};
  for (int r = 0; r < k; ++r)
    for (int c = 0; c < k; ++c) F[k * r + c] = whole[6 * r + c];
  ldlt_factor(F, k, k);
  store(moment - now.pn, block.u);
  if (node.kind == NodeKind::free) {
    out.pf = vec3(tau + node.v + 3);
    store(out.pf - now.pf, block.u + 3);
    ldlt_solve(F, 6, 6, block.u);
    return out;
  }
  ldlt_solve(F, 3, 3, block.u);
  // X = A^-1 B, column by column; C - B' X is what is left.
  S column[3][3] = {{B.xx, B.yx, B.zx}, {B.xy, B.yy, B.zy}, {B.xz, B.yz, B.zz}};
  for (int c = 0; c < 3; ++c) {
    ldlt_solve(F, 3, 3, column[c]);
    for (int r = 0; r < 3; ++r) block.X[3 * r + c] = column[c][r];
  }
  const Vec3<S> bx{B.xx, B.yx, B.zx}, by{B.xy, B.yy, B.zy}, bz{B.xz, B.yz, B.zz};
  const Vec3<S> x = vec3(column[0]), y = vec3(column[1]), z = vec3(column[2]);
  out.C = {C.xx - dot(bx, x), C.yy - dot(by, y), C.zz - dot(bz, z),
           C.xy - dot(bx, y), C.xz - dot(bx, z), C.yz - dot(by, z)};
  out.pf = now.pf + out.C * now.bias_v + transposed_times(B, vec3(block.u));
  return out;
}

/// eq. 4-7, from the tips to the root.
template <class S>
[[gnu::always_inline]] inline void articulated_inward(const TreeView<S>& tree,
                                                      const ScratchView<S>& work, const S* q,
                                                      const S* tau) {
  for (int i = tree.size - 1; i > 0; --i) {
    const TreeNode& node = tree.nodes[i];
    ArticulatedNode<S>& now = work.articulated[i];
    const HandedInertia<S> left =
        node.kind == NodeKind::screw
            ? release_screw<S>(now, node, tree.armature[node.v], tau[node.v])
            : release_block<S>(now, work.block[work.block_of[i]], node, tau);
    if (node.parent == 0) continue;
    with_turn<S>(
        node, tree.parameters[i], joint_state(node, work, i, q),
        q, [&](const auto& turn) __attribute__((always_inline)) {
          hand_to_parent(work.articulated[node.parent], left, turn);
        });
  }
}

/// The accelerations that a node has from its parent's, in its own axes, before its joint adds
/// its own.
template <class S>
[[gnu::always_inline]] inline void carried_acceleration(const ArticulatedNode<S>& from,
                                                        const ArticulatedNode<S>& now,
                                                        const auto& turn, Vec3<S>& dw,
                                                        Vec3<S>& dv) {
  const Vec3<S> dw_middle = turn.into_middle(from.dw);
  const Vec3<S> lever = turn.middle_moment(dw_middle);  // p x dw
  dw = turn.middle_to_child(dw_middle) + now.bias_w;
  dv = turn.middle_to_child(turn.into_middle(from.dv) - lever) + now.bias_v;
}

/// eq. 8, 9 for one node.
template <class S>
[[gnu::always_inline]] inline void articulated_acceleration(const TreeView<S>& tree,
                                                            const ScratchView<S>& work, const S* q,
                                                            S* a, int i) {
  ArticulatedNode<S>* const nodes = work.articulated;
  const TreeNode& node = tree.nodes[i];
  ArticulatedNode<S>& now = nodes[i];
  const ArticulatedNode<S>& from = nodes[node.parent];
  Vec3<S> dw, dv;
  with_turn<S>(
      node, tree.parameters[i], joint_state(node, work, i, q),
      q, [&](const auto& turn) __attribute__((always_inline)) {
        carried_acceleration(from, now, turn, dw, dv);
      });
  if (node.kind == NodeKind::screw) [[likely]] {
    const S acceleration = now.D_inverse * (now.u - dot(now.Un, dw) - dot(now.Uf, dv));
    a[node.v] = acceleration;
    dw.z += node.sigma * acceleration;
    dv.z += node.h * acceleration;
  } else {
    const BlockScratch<S>& block = work.block[work.block_of[i]];
    Vec3<S> turn = vec3(block.u) - dw;
    if (node.kind == NodeKind::spherical) {
      const S* X = block.X;
      turn -= Mat3<S>{X[0], X[1], X[2], X[3], X[4], X[5], X[6], X[7], X[8]} * dv;
    } else {
      const Vec3<S> slide = vec3(block.u + 3) - dv;
      store(slide, a + node.v + 3);
      dv += slide;
    }
    store(turn, a + node.v);
    dw += turn;
  }
  now.dw = dw;
  now.dv = dv;
}

/// eq. 8, 9: accelerations, from the root to the tips.
template <class S>
[[gnu::always_inline]] inline void articulated_accelerations(const TreeView<S>& tree,
                                                             const ScratchView<S>& work, const S* q,
                                                             S* a) {
  ArticulatedNode<S>* const nodes = work.articulated;
  nodes[0].dw = Vec3<S>::zero();
  nodes[0].dv = {S(-tree.gravity[0]), S(-tree.gravity[1]), S(-tree.gravity[2])};
  for (int i = 1; i < tree.size; ++i) articulated_acceleration(tree, work, q, a, i);
}

/// Accelerations a for q, v and efforts tau. Two nodes must not share a speed (no mimic joints).
template <class S>
[[gnu::always_inline]] inline void articulated_body(const TreeView<S>& tree,
                                                    const ScratchView<S>& work, const S* q,
                                                    const S* v, const S* tau,
                                                    const NodeWrench<S>* external, S* a) {
  joint_angles(tree, work, q);
  articulated_outward(tree, work, q, v, external);
  articulated_inward(tree, work, q, tau);
  articulated_accelerations(tree, work, q, a);
}

}  // namespace ulna
