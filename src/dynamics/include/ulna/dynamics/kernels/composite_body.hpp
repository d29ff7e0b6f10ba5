#pragma once
// The mass matrix by composite rigid bodies (docs/theory/composite-body.md, eq. 1-5): the inertia
// of everything a joint carries, then the wrench that a unit acceleration of that joint needs,
// handed down to the root.

#include "ulna/model/kernels/joint_angles.hpp"

namespace ulna {

/// Second moments turned about z by the joint's angle: Rz Sigma Rz'.
template <class S>
[[gnu::always_inline]] inline Sym3<S> turned_about_z(const Sym3<S>& m, const S& c, const S& s) {
  const S cs = c * s, ss = s * s;
  const S difference = m.xx - m.yy;
  const S shift = ss * difference + (cs + cs) * m.xy;
  return {
      m.xx - shift,        m.yy + shift,       m.zz, cs * difference + (S(1) - (ss + ss)) * m.xy,
      c * m.xz - s * m.yz, s * m.xz + c * m.yz};
}
/// The same about x, by a constant angle.
template <class S>
[[gnu::always_inline]] inline Sym3<S> turned_about_x(const Sym3<S>& m, double c, double s) {
  const double cs = c * s, ss = s * s, c2 = 1 - 2 * ss;
  const S difference = m.yy - m.zz;
  const S shift = ss * difference + 2 * cs * m.yz;
  return {m.xx,
          m.yy - shift,
          m.zz + shift,
          c * m.xy - s * m.xz,
          s * m.xy + c * m.xz,
          cs * difference + c2 * m.yz};
}

template <class S>
[[gnu::always_inline]] inline Sym3<S> turned_to_parent(const Sym3<S>& m, const PlainTurn<S>& t) {
  return turned_about_x(m, t.ca, t.sa);
}
template <class S>
[[gnu::always_inline]] inline Sym3<S> turned_to_parent(const Sym3<S>& m, const TurnedTurn<S>& t) {
  return turned_about_z(turned_about_x(m, t.ca, t.sa), S(t.cf), S(t.sf));
}
template <class S>
[[gnu::always_inline]] inline Sym3<S> turned_to_parent(const Sym3<S>& m, const DenseTurn<S>&) {
  return m;
}
template <class S>
[[gnu::always_inline]] inline Sym3<S> turned_to_middle(const Sym3<S>& m, const PlainTurn<S>& t) {
  return turned_about_z(m, t.c, t.s);
}
template <class S>
[[gnu::always_inline]] inline Sym3<S> turned_to_middle(const Sym3<S>& m, const DenseTurn<S>& t) {
  const Mat3<S>& R = t.R;
  const Vec3<S> x = m * Vec3<S>{R.xx, R.xy, R.xz}, y = m * Vec3<S>{R.yx, R.yy, R.yz},
                z = m * Vec3<S>{R.zx, R.zy, R.zz};
  const auto row =
      [](const S& a, const S& b, const S& c, const Vec3<S>& v) __attribute__((always_inline)) {
    return a * v.x + b * v.y + c * v.z;
  };
  return {row(R.xx, R.xy, R.xz, x), row(R.yx, R.yy, R.yz, y), row(R.zx, R.zy, R.zz, z),
          row(R.xx, R.xy, R.xz, y), row(R.xx, R.xy, R.xz, z), row(R.yx, R.yy, R.yz, z)};
}

/// Adds a child's composite body to its parent's: turn, then shift by p (eq. 2):
/// Sigma + p h' + h p' + m p p'.
template <class S, class Turn>
[[gnu::always_inline]] inline void add_to_parent(CompositeNode<S>& parent,
                                                 const CompositeNode<S>& child, const Turn& turn) {
  const Vec3<S> p = turn.p;
  const Vec3<S> h = turn.child_to_middle(child.h);
  const Vec3<S> mp = scaled(child.mass, p);
  // p h' + h p' + m p p' = p g' + g p' with g = h + m p / 2
  const Vec3<S> g = h + scaled(0.5, mp);
  Sym3<S> I = turned_to_middle(child.I, turn);
  const S px = p.x + p.x, py = p.y + p.y, pz = p.z + p.z;
  I += {px * g.x,
        py * g.y,
        pz * g.z,
        p.x * g.y + p.y * g.x,
        p.x * g.z + p.z * g.x,
        p.y * g.z + p.z * g.y};
  parent.mass += child.mass;
  parent.h += turn.out_of_middle(h + mp);
  parent.I += turned_to_parent(I, turn);
}

/// The wrench (about the node's origin) that accelerates a composite body by one of its node's
/// axes: eq. 3. The axis is z for screws.
template <class S>
[[gnu::always_inline]] inline NodeWrench<S> screw_wrench(const CompositeNode<S>& body, double sigma,
                                                         double h) {
  const S Izz = body.I.xx + body.I.yy;
  return {{-sigma * body.I.xz + h * body.h.y, -sigma * body.I.yz - h * body.h.x, sigma * Izz},
          {-sigma * body.h.y, sigma * body.h.x, h * body.mass}};
}

template <class S>
[[gnu::always_inline]] inline NodeWrench<S> handed_down(const NodeWrench<S>& F, const auto& turn) {
  const Vec3<S> f = turn.child_to_middle(F.f);
  const Vec3<S> n = turn.child_to_middle(F.n) + turn.middle_moment(f);
  return {turn.out_of_middle(n), turn.out_of_middle(f)};
}

/// Hands S_i' F to `put(speed, value)` for every ancestor i of `from`, itself not included, nearest
/// first: eq. 4.
template <class S>
[[gnu::always_inline]] inline void hand_to_ancestors(const TreeView<S>& tree,
                                                     const ScratchView<S>& work, const S* q,
                                                     int from, NodeWrench<S> F, const auto& put) {
  int i = from;
  while (tree.nodes[i].parent != 0) {
    const TreeNode& node = tree.nodes[i];
    with_turn<S>(
        node, tree.parameters[i], joint_state(node, work, i, q),
        q, [&](const auto& turn) __attribute__((always_inline)) { F = handed_down<S>(F, turn); });
    i = node.parent;
    const TreeNode& above = tree.nodes[i];
    if (above.kind == NodeKind::screw) [[likely]] {
      put(above.v, above.sigma * F.n.z + above.h * F.f.z);
      continue;
    }
    put(above.v, F.n.x), put(above.v + 1, F.n.y), put(above.v + 2, F.n.z);
    if (above.kind == NodeKind::free)
      put(above.v + 3, F.f.x), put(above.v + 4, F.f.y), put(above.v + 5, F.f.z);
  }
}

/// The part of the column of speed `column` above its node. Both halves of M are filled. Nodes that
/// share a speed with the column count twice.
template <class S>
[[gnu::always_inline]] inline void fill_column(const TreeView<S>& tree, const ScratchView<S>& work,
                                               const S* q, int from, int column,
                                               const NodeWrench<S>& F, S* M) {
  const int n = tree.speeds;
  const auto put = [=](int row, const S& value) __attribute__((always_inline)) {
    M[row + n * column] += value;
    M[column + n * row] += value;
  };
  hand_to_ancestors(tree, work, q, from, F, put);
}

/// The six wrenches of a free composite body, columns in the order of its speeds.
template <class S>
[[gnu::always_inline]] inline void block_wrenches(const CompositeNode<S>& b, NodeWrench<S>* F) {
  const S zero(0);
  F[0] = {{b.I.yy + b.I.zz, -b.I.xy, -b.I.xz}, {zero, -b.h.z, b.h.y}};
  F[1] = {{-b.I.xy, b.I.xx + b.I.zz, -b.I.yz}, {b.h.z, zero, -b.h.x}};
  F[2] = {{-b.I.xz, -b.I.yz, b.I.xx + b.I.yy}, {-b.h.y, b.h.x, zero}};
  F[3] = {{zero, b.h.z, -b.h.y}, {b.mass, zero, zero}};
  F[4] = {{-b.h.z, zero, b.h.x}, {zero, b.mass, zero}};
  F[5] = {{b.h.y, -b.h.x, zero}, {zero, zero, b.mass}};
}

/// work.composite: the inertia each node carries, itself included (eq. 1).
template <class S>
[[gnu::always_inline]] inline void composite_inertias(const TreeView<S>& tree,
                                                      const ScratchView<S>& work, const S* q) {
  for (int i = 0; i < tree.size; ++i) {
    const NodeParameters<Parameter<S>>& par = tree.parameters[i];
    const auto* m = par.second_moment;
    work.composite[i] = {S(par.mass),
                         {S(par.first_moment[0]), S(par.first_moment[1]), S(par.first_moment[2])},
                         {S(m[0]), S(m[1]), S(m[2]), S(m[3]), S(m[4]), S(m[5])}};
  }
  for (int i = tree.size - 1; i > 0; --i) {
    const TreeNode& node = tree.nodes[i];
    if (node.parent == 0) continue;
    with_turn<S>(
        node, tree.parameters[i], joint_state(node, work, i, q),
        q, [&](const auto& turn) __attribute__((always_inline)) {
          add_to_parent(work.composite[node.parent], work.composite[i], turn);
        });
  }
}

/// The mass matrix M (speeds x speeds, column major, both halves). The rotors felt at the joints
/// are included.
template <class S>
[[gnu::always_inline]] inline void composite_body(const TreeView<S>& tree,
                                                  const ScratchView<S>& work, const S* q, S* M) {
  joint_angles(tree, work, q);
  composite_inertias(tree, work, q);
  const int n = tree.speeds;
  for (int k = 0; k < n * n; ++k) M[k] = S(0);
  for (int k = 0; k < n; ++k) M[k * (n + 1)] = S(tree.armature[k]);
  for (int i = tree.size - 1; i > 0; --i) {
    const TreeNode& node = tree.nodes[i];
    if (node.kind == NodeKind::screw) [[likely]] {
      const NodeWrench<S> F = screw_wrench(work.composite[i], node.sigma, node.h);
      M[node.v * (n + 1)] += node.sigma * F.n.z + node.h * F.f.z;
      fill_column(tree, work, q, i, node.v, F, M);
      continue;
    }
    NodeWrench<S> F[6];
    block_wrenches(work.composite[i], F);
    const int degrees = speeds_of(node.kind);
    for (int k = 0; k < degrees; ++k) {
      const S column[6] = {F[k].n.x, F[k].n.y, F[k].n.z, F[k].f.x, F[k].f.y, F[k].f.z};
      for (int r = 0; r < degrees; ++r) M[node.v + r + n * (node.v + k)] += column[r];
      fill_column(tree, work, q, i, node.v + k, F[k], M);
    }
  }
}

}  // namespace ulna
