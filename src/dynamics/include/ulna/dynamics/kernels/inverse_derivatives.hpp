#pragma once
// First derivatives of inverse dynamics in closed form. docs/theory/derivatives.md, eq. 1-9.
//
// Everything is in world axes about the world's origin. A column is one degree of freedom of one
// node; with V, A the spatial velocity and acceleration (gravity included) of the node's parent,
//
//   s    axis                    p1 = V x s
//   p2 = A x s + V x p1          p3 = p1 + ds/dt
//
// and for the composite bodies I (inertia), F (wrench) and B (eq. 4), with i carrying j:
//
//   dtau_i/dq_j = s_i . (I_j p2_j + 2 B_j p1_j + s_j x* F_j)
//   dtau_j/dq_i = s_j . (I_j p2_i + 2 B_j p1_i)
//   dtau_i/dv_j = s_i . (I_j p3_j + 2 B_j s_j)
//   dtau_j/dv_i = s_j . (I_j p3_i + 2 B_j s_i)
//   M_ij        = s_i . I_j s_j
//
// B = [tr(Q) 1 - Q, 0; -skew(l), 0], Q the integral of rdot r', l the linear momentum.

#include "ulna/kinematics/kernels/forward_kinematics.hpp"
#include "ulna/scalar/kernels/pack.hpp"

namespace ulna {

template <class S>
[[gnu::always_inline]] inline Spatial<S> operator+(const Spatial<S>& a, const Spatial<S>& b) {
  return {a.w + b.w, a.v + b.v};
}
template <class S>
[[gnu::always_inline]] inline Spatial<S> scaled(const S& a, const Spatial<S>& b) {
  return {scaled(a, b.w), scaled(a, b.v)};
}
/// Cross product of motions.
template <class S>
[[gnu::always_inline]] inline Spatial<S> cross(const Spatial<S>& a, const Spatial<S>& b) {
  return {cross(a.w, b.w), cross(a.w, b.v) + cross(a.v, b.w)};
}

/// eq. 1: the inertia of a node's own body in world axes about the world's origin.
template <class S>
[[gnu::always_inline]] inline void world_inertia(const NodeParameters<Parameter<S>>& par,
                                                 const NodePose<S>& X, WorldBody<S>& b) {
  const auto* m = par.second_moment;
  const Mat3<S>& R = X.R;
  const Sym3<Parameter<S>> local{m[0], m[1], m[2], m[3], m[4], m[5]};
  const Vec3<S> rx = local * Vec3<S>{R.xx, R.xy, R.xz}, ry = local * Vec3<S>{R.yx, R.yy, R.yz},
                rz = local * Vec3<S>{R.zx, R.zy, R.zz};
  const Vec3<S> hw = R * vec3(par.first_moment);
  const Vec3<S> p = X.p;
  const Vec3<S> mp = scaled(par.mass, p), g = hw + scaled(0.5, mp);
  b.mass = S(par.mass);
  b.h = hw + mp;
  const S px = p.x + p.x, py = p.y + p.y, pz = p.z + p.z;
  b.Sigma = {R.xx * rx.x + R.xy * rx.y + R.xz * rx.z + px * g.x,
             R.yx * ry.x + R.yy * ry.y + R.yz * ry.z + py * g.y,
             R.zx * rz.x + R.zy * rz.y + R.zz * rz.z + pz * g.z,
             R.xx * ry.x + R.xy * ry.y + R.xz * ry.z + p.x * g.y + p.y * g.x,
             R.xx * rz.x + R.xy * rz.y + R.xz * rz.z + p.x * g.z + p.z * g.x,
             R.yx * rz.x + R.yy * rz.y + R.yz * rz.z + p.y * g.z + p.z * g.y};
}

/// eq. 1, 4: a node's own body: inertia, Q and momentum, and the part of its wrench that comes from
/// velocities, V x* (I V).
template <class S>
[[gnu::always_inline]] inline WorldBody<S> world_body(const NodeParameters<Parameter<S>>& par,
                                                      const NodePose<S>& X, const Spatial<S>& V) {
  WorldBody<S> b;
  world_inertia<S>(par, X, b);
  // Q = skew(w) Sigma + v h'
  const Sym3<S>& G = b.Sigma;
  const Vec3<S>&w = V.w, &v = V.v, &h = b.h;
  b.Q = {w.y * G.xz - w.z * G.xy + v.x * h.x, w.y * G.yz - w.z * G.yy + v.x * h.y,
         w.y * G.zz - w.z * G.yz + v.x * h.z, w.z * G.xx - w.x * G.xz + v.y * h.x,
         w.z * G.xy - w.x * G.yz + v.y * h.y, w.z * G.xz - w.x * G.zz + v.y * h.z,
         w.x * G.xy - w.y * G.xx + v.z * h.x, w.x * G.yy - w.y * G.xy + v.z * h.y,
         w.x * G.yz - w.y * G.xz + v.z * h.z};
  b.l = scaled(b.mass, v) + cross(w, h);
  // The angular momentum about the origin is the skew part of Q.
  const Vec3<S> momentum{b.Q.zy - b.Q.yz, b.Q.xz - b.Q.zx, b.Q.yx - b.Q.xy};
  b.n = cross(w, momentum) + cross(v, b.l);
  b.f = cross(w, b.l);
  return b;
}

/// I m for a motion m.
template <class S>
[[gnu::always_inline]] inline Spatial<S> inertia_times(const WorldBody<S>& b, const Spatial<S>& m) {
  const S trace = b.Sigma.xx + b.Sigma.yy + b.Sigma.zz;
  return {scaled(trace, m.w) - b.Sigma * m.w + cross(b.h, m.v),
          scaled(b.mass, m.v) + cross(m.w, b.h)};
}

template <class S>
[[gnu::always_inline]] inline Spatial<S> column_of(const S* rows, int stride, int k) {
  return {{rows[k], rows[stride + k], rows[2 * stride + k]},
          {rows[3 * stride + k], rows[4 * stride + k], rows[5 * stride + k]}};
}
template <class S>
[[gnu::always_inline]] inline void put_column(const Spatial<S>& x, S* rows, int stride, int k) {
  rows[k] = x.w.x;
  rows[stride + k] = x.w.y;
  rows[2 * stride + k] = x.w.z;
  rows[3 * stride + k] = x.v.x;
  rows[4 * stride + k] = x.v.y;
  rows[5 * stride + k] = x.v.z;
}

/// The axis of a node's k-th degree as a motion about the world's origin.
template <class S>
[[gnu::always_inline]] inline Spatial<S> column_axis(const TreeNode& node, const NodePose<S>& X,
                                                     int k) {
  const Vec3<S> z = joint_axis(X);
  if (node.kind == NodeKind::screw) {
    const Vec3<S> w = scaled(node.sigma, z);
    return {w, cross(X.p, w) + scaled(node.h, z)};
  }
  const int c = k % 3;
  const Vec3<S> e = c == 0   ? Vec3<S>{X.R.xx, X.R.yx, X.R.zx}
                    : c == 1 ? Vec3<S>{X.R.xy, X.R.yy, X.R.zy}
                             : z;
  if (k < 3) return {e, cross(X.p, e)};
  return {Vec3<S>::zero(), e};
}

/// eq. 1, 2: velocities, axes and bodies, from the root outwards.
template <class S>
[[gnu::always_inline]] inline void derivative_velocities(const TreeView<S>& tree,
                                                         const ScratchView<S>& work,
                                                         const ColumnView<S>& d, const S* v) {
  const int stride = d.stride;
  d.velocity[0] = {Vec3<S>::zero(), Vec3<S>::zero()};
  int column = 0;
  for (int i = 1; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    const Spatial<S> V0 = d.velocity[node.parent];
    Spatial<S> V = V0;
    const int degrees = speeds_of(node.kind);
    for (int k = 0; k < degrees; ++k) {
      const Spatial<S> s = column_axis(node, work.pose[i], k), p1 = cross(V0, s);
      put_column(s, d.s, stride, column + k);
      put_column(p1, d.p1, stride, column + k);
      V = V + scaled(v[node.v + k], s);
      if (degrees == 1) put_column(p1 + p1, d.p3, stride, column);
    }
    for (int k = 0; degrees > 1 && k < degrees; ++k)
      put_column(column_of(d.p1, stride, column + k) + cross(V, column_of(d.s, stride, column + k)),
                 d.p3, stride, column + k);
    d.velocity[i] = V;
    d.body[i] = world_body<S>(tree.parameters[i], work.pose[i], V);
    column += degrees;
  }
}

/// eq. 3, 5: accelerations and p2, and the composite wrenches. Bodies must be fresh from
/// derivative_velocities.
template <class S>
[[gnu::always_inline]] inline void derivative_accelerations(const TreeView<S>& tree,
                                                            const ColumnView<S>& d, const S* v,
                                                            const S* a) {
  const int stride = d.stride;
  d.acceleration[0] = {Vec3<S>::zero(),
                       {S(-tree.gravity[0]), S(-tree.gravity[1]), S(-tree.gravity[2])}};
  d.composite[0].n = d.composite[0].f = Vec3<S>::zero();
  int column = 0;
  for (int i = 1; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    const Spatial<S> V0 = d.velocity[node.parent], A0 = d.acceleration[node.parent];
    Spatial<S> A = A0;
    const int degrees = speeds_of(node.kind);
    for (int k = 0; k < degrees; ++k, ++column) {
      const Spatial<S> s = column_of(d.s, stride, column), p1 = column_of(d.p1, stride, column);
      put_column(cross(A0, s) + cross(V0, p1), d.p2, stride, column);
      const Spatial<S> ds = degrees == 1 ? p1 : cross(d.velocity[i], s);
      A = A + scaled(a[node.v + k], s) + scaled(v[node.v + k], ds);
    }
    d.acceleration[i] = A;
    const WorldBody<S>& b = d.body[i];
    const Spatial<S> IA = inertia_times(b, A);
    d.composite[i].n = b.n + IA.w;
    d.composite[i].f = b.f + IA.v;
  }
  for (int i = tree.size - 1; i > 0; --i) {
    WorldBody<S>& parent = d.composite[tree.nodes[i].parent];
    parent.n += d.composite[i].n;
    parent.f += d.composite[i].f;
  }
}

/// Composite inertia, Q and momentum.
template <class S>
[[gnu::always_inline]] inline void derivative_composites(const TreeView<S>& tree,
                                                         const ColumnView<S>& d) {
  for (int i = 1; i < tree.size; ++i) {
    WorldBody<S>& to = d.composite[i];
    const WorldBody<S>& from = d.body[i];
    to.mass = from.mass;
    to.h = from.h;
    to.Sigma = from.Sigma;
    to.Q = from.Q;
    to.l = from.l;
  }
  for (int i = tree.size - 1; i > 0; --i) {
    if (tree.nodes[i].parent == 0) continue;
    WorldBody<S>& to = d.composite[tree.nodes[i].parent];
    const WorldBody<S>& b = d.composite[i];
    to.mass += b.mass;
    to.h += b.h;
    to.Sigma += b.Sigma;
    to.Q = to.Q + b.Q;
    to.l += b.l;
  }
}

/// How many columns are worked on at once; four for doubles also where eight would fit, because
/// 512-bit operations slow down the scalar code around them.
template <class S>
constexpr int lane_count() {
  if constexpr (std::is_same_v<S, double>) return native_lanes > 4 ? 4 : native_lanes;
  return 1;
}
template <int W, class S>
[[gnu::always_inline]] inline auto load_some(const S* p) {
  if constexpr (W > 1)
    return Pack<W>::load(p);
  else
    return *p;
}
template <int W, class Lane, class S>
[[gnu::always_inline]] inline void store_some(const Lane& x, S* p) {
  if constexpr (W > 1)
    x.store(p);
  else
    *p = x;
}

/// x . (column) for every column at once; three components only when `x` is a moment.
template <int W, class S>
[[gnu::always_inline]] inline auto dots(const Vec3<S>& x, const S* rows, int stride) {
  return x.x * load_some<W>(rows) + x.y * load_some<W>(rows + stride) +
         x.z * load_some<W>(rows + 2 * stride);
}
template <int W, class S>
[[gnu::always_inline]] inline auto dots(const Spatial<S>& x, const S* rows, int stride) {
  return dots<W>(x.w, rows, stride) + dots<W>(x.v, rows + 3 * stride, stride);
}

/// Hands body(first, end) the columns that carry `column`, itself included, in unbroken rows.
template <class S>
[[gnu::always_inline]] inline void for_carriers(const ColumnView<S>& d, int column,
                                                const auto& body) {
  while (column >= 0) {
    const int first = d.run[column];
    body(first, column + 1);
    column = d.parent[first];
  }
}
/// The first column of a column's node.
template <class S>
[[gnu::always_inline]] inline int first_of_node(const ColumnView<S>& d, int column) {
  if (d.many[column]) [[unlikely]]
    while (column > 0 && d.node[column - 1] == d.node[column]) --column;
  return column;
}
/// Where the columns that carry one begin: with itself, for nodes of several degrees of freedom
/// with the node before its own.
template <class S>
[[gnu::always_inline]] inline int carrier_of(const ColumnView<S>& d, int column) {
  if (d.many[column]) [[unlikely]]
    return d.parent[first_of_node(d, column)];
  return column;
}
/// `value` at `to`, or added to it where several columns share a speed.
template <bool shared, class S>
[[gnu::always_inline]] inline void put_value(const S& value, S& to) {
  if constexpr (shared)
    to += value;
  else
    to = value;
}

/// eq. 9: the mass matrix from composite inertias, rows `M_stride` apart, both halves; the padding
/// of the rows is set to zero.
template <bool shared, class S>
[[gnu::always_inline]] inline void mass_rows(const TreeView<S>& tree, const ColumnView<S>& d, S* M,
                                             int M_stride) {
  constexpr int W = lane_count<S>();
  const int n = tree.speeds, stride = d.stride;
  const auto at = [=](int i, int j) __attribute__((always_inline))->S& {
    return M[static_cast<long>(i) * M_stride + j];
  };
  for (long k = 0; k < static_cast<long>(n) * M_stride; ++k) M[k] = S(0);
  for (int j = 0; j < d.columns; ++j) {
    const Spatial<S> Is = inertia_times(d.composite[d.node[j]], column_of(d.s, stride, j));
    const int vj = d.speed[j];
    for_carriers(
        d, carrier_of(d, j), [&](int first, int end) __attribute__((always_inline)) {
          for (int k = first / W * W; k < end; k += W)
            store_some<W>(dots<W>(Is, d.s + k, stride), d.row + k);
          for (int k = first; k < end; ++k) {
            const int vk = d.speed[k];
            put_value<shared>(d.row[k], at(vk, vj));
            if (!shared || k != j) put_value<shared>(d.row[k], at(vj, vk));
          }
        });
    for (int k = first_of_node(d, j); d.many[j] && k <= d.last_carrier[j]; ++k) {
      const Spatial<S> s = column_of(d.s, stride, k);
      put_value<shared>(dot(Is.w, s.w) + dot(Is.v, s.v), at(d.speed[k], vj));
    }
  }
  for (int k = 0; k < n; ++k) at(k, k) += S(tree.armature[k]);
}
template <class S>
[[gnu::always_inline]] inline void mass_rows(const TreeView<S>& tree, const ColumnView<S>& d, S* M,
                                             int M_stride) {
  if (d.shared) [[unlikely]]
    mass_rows<true>(tree, d, M, M_stride);
  else
    mass_rows<false>(tree, d, M, M_stride);
}

/// What one column needs of its composite body.
template <class S>
struct ColumnTerms {
  Spatial<S> Is, sF, up_q, up_v;
  Vec3<S> Bts;
};
template <class S>
[[gnu::always_inline]] inline ColumnTerms<S> column_terms(const ColumnView<S>& d, int j) {
  const int stride = d.stride;
  const WorldBody<S>& b = d.composite[d.node[j]];
  const Spatial<S> s = column_of(d.s, stride, j), p1 = column_of(d.p1, stride, j),
                   p2 = column_of(d.p2, stride, j), p3 = column_of(d.p3, stride, j);
  const S trace = b.Q.xx + b.Q.yy + b.Q.zz;
  const auto twice_B = [&](const Vec3<S>& w) __attribute__((always_inline)) {
    const Vec3<S> n = scaled(trace, w) - b.Q * w, f = cross(w, b.l);
    return Spatial<S>{n + n, f + f};
  };
  ColumnTerms<S> t;
  t.Is = inertia_times(b, s);
  t.sF = {cross(s.w, b.n) + cross(s.v, b.f), cross(s.w, b.f)};
  t.up_q = inertia_times(b, p2) + twice_B(p1.w) + t.sF;
  t.up_v = inertia_times(b, p3) + twice_B(s.w);
  const Vec3<S> half = scaled(trace, s.w) - transposed_times(b.Q, s.w) + cross(b.l, s.v);
  t.Bts = half + half;
  return t;
}

/// eq. 6-9: dtau/dq and dtau/dv (and M when it is not null), speeds x speeds, column major.
template <bool shared, class S>
[[gnu::always_inline]] inline void derivative_rows(const TreeView<S>& tree, const ColumnView<S>& d,
                                                   S* dq, S* dv, S* M) {
  constexpr int W = lane_count<S>();
  const int n = tree.speeds, stride = d.stride;
  for (int k = 0; k < n * n; ++k) dq[k] = dv[k] = S(0);
  for (int k = 0; M && k < n * n; ++k) M[k] = S(0);
  S *up_q = d.row, *up_v = up_q + stride, *up_m = up_v + stride, *down_q = up_m + stride,
    *down_v = down_q + stride;
  for (int j = 0; j < d.columns; ++j) {
    const ColumnTerms<S> t = column_terms(d, j);
    const int vj = d.speed[j];
    for_carriers(
        d, carrier_of(d, j), [&](int first, int end) __attribute__((always_inline)) {
          for (int k = first / W * W; k < end; k += W) {
            store_some<W>(dots<W>(t.up_q, d.s + k, stride), up_q + k);
            store_some<W>(dots<W>(t.up_v, d.s + k, stride), up_v + k);
            if (M) store_some<W>(dots<W>(t.Is, d.s + k, stride), up_m + k);
            store_some<W>(dots<W>(t.Is, d.p2 + k, stride) + dots<W>(t.Bts, d.p1 + k, stride),
                          down_q + k);
            store_some<W>(dots<W>(t.Is, d.p3 + k, stride) + dots<W>(t.Bts, d.s + k, stride),
                          down_v + k);
          }
          for (int k = first; k < end; ++k) {
            const int vk = d.speed[k], up = vk + n * vj, down = vj + n * vk;
            if (!shared || k != j) {  // its own entry is the one of `up`
              put_value<shared>(down_q[k], dq[down]);
              put_value<shared>(down_v[k], dv[down]);
              if (M) put_value<shared>(up_m[k], M[down]);
            }
            put_value<shared>(up_q[k], dq[up]);
            put_value<shared>(up_v[k], dv[up]);
            if (M) put_value<shared>(up_m[k], M[up]);
          }
        });
    for (int k = first_of_node(d, j); d.many[j] && k <= d.last_carrier[j]; ++k) {
      const int entry = d.speed[k] + n * vj;
      const Spatial<S> s = column_of(d.s, stride, k);
      // Columns of one node move together: the wrench's own turn drops out.
      const auto along = [&](const Spatial<S>& x) __attribute__((always_inline)) {
        return dot(x.w, s.w) + dot(x.v, s.v);
      };
      put_value<shared>(along(t.up_q) - along(t.sF), dq[entry]);
      put_value<shared>(along(t.up_v), dv[entry]);
      if (M) put_value<shared>(along(t.Is), M[entry]);
    }
  }
  for (int k = 0; M && k < n; ++k) M[k * (n + 1)] += S(tree.armature[k]);
}
template <class S>
[[gnu::always_inline]] inline void derivative_rows(const TreeView<S>& tree, const ColumnView<S>& d,
                                                   S* dq, S* dv, S* M) {
  if (d.shared) [[unlikely]]
    derivative_rows<true>(tree, d, dq, dv, M);
  else
    derivative_rows<false>(tree, d, dq, dv, M);
}

/// Derivatives of tau with respect to q and v, and the mass matrix; speeds x speeds, column major.
template <class S>
[[gnu::always_inline]] inline void inverse_derivatives(const TreeView<S>& tree,
                                                       const ScratchView<S>& work,
                                                       const ColumnView<S>& d, const S* q,
                                                       const S* v, const S* a, S* dq, S* dv, S* M) {
  node_poses(tree, work, q);
  derivative_velocities(tree, work, d, v);
  derivative_accelerations(tree, d, v, a);
  derivative_composites(tree, d);
  derivative_rows(tree, d, dq, dv, M);
}

/// The mass matrix alone, in world axes: for long robots cheaper than composite_body.hpp, because
/// the axes of many joints are met by one wrench at once. speeds x speeds, symmetric.
template <class S>
[[gnu::always_inline]] inline void world_mass_matrix(const TreeView<S>& tree,
                                                     const ScratchView<S>& work,
                                                     const ColumnView<S>& d, const S* q, S* M) {
  node_poses(tree, work, q);
  int column = 0;
  for (int i = 1; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    const int degrees = speeds_of(node.kind);
    for (int k = 0; k < degrees; ++k, ++column)
      put_column(column_axis(node, work.pose[i], k), d.s, d.stride, column);
    world_inertia<S>(tree.parameters[i], work.pose[i], d.composite[i]);
  }
  for (int i = tree.size - 1; i > 0; --i) {
    if (tree.nodes[i].parent == 0) continue;
    WorldBody<S>& to = d.composite[tree.nodes[i].parent];
    to.mass += d.composite[i].mass;
    to.h += d.composite[i].h;
    to.Sigma += d.composite[i].Sigma;
  }
  mass_rows(tree, d, M, tree.speeds);
}

}  // namespace ulna
