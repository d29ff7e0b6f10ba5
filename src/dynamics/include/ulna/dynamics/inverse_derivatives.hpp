#pragma once
// First derivatives of inverse dynamics in closed form. docs/theory/derivatives.md, eq. 1-9.
//
// Everything is in world axes about the world's origin. A column is one degree of freedom of one
// node; with V, A the spatial velocity and acceleration (gravity included) of the node's parent,
//
//   s           axis                        p1 = V x s
//   p2 = A x s + V x p1                     p3 = p1 + ds/dt
//
// and for the composite bodies I (inertia), F (wrench) and B (eq. 4), with i carrying j (i = j
// included):
//
//   dtau_i/dq_j = s_i . (I_j p2_j + 2 B_j p1_j + s_j x* F_j)     dtau_j/dq_i = s_j . (I_j p2_i + 2
//   B_j p1_i) dtau_i/dv_j = s_i . (I_j p3_j + 2 B_j s_j)                   dtau_j/dv_i = s_j . (I_j
//   p3_i + 2 B_j s_i) M_ij        = s_i . I_j s_j
//
// B = [tr(Q) 1 - Q, 0; -skew(l), 0] with Q the integral of rdot r' and l the linear momentum.

#include "ulna/kinematics/forward_kinematics.hpp"

namespace ulna {

template <class S>
struct Spatial {
  Vec3<S> w, v;
};
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

/// A composite body in world axes: inertia, wrench and B.
template <class S>
struct WorldBody {
  S mass;
  Vec3<S> h;
  Sym3<S> Sigma;
  Mat3<S> Q;
  Vec3<S> l;
  Vec3<S> n, f;
};

/// What the derivatives need per node, and per column in rows of equal components.
template <class S>
struct DerivativeView {
  Spatial<S>* velocity;      ///< per node
  Spatial<S>* acceleration;  ///< per node, gravity included
  WorldBody<S>* body;        ///< per node
  int columns, stride;       ///< stride: columns rounded up to a multiple of 8
  const int* speed;          ///< speed that a column belongs to
  const int* node;           ///< node that a column belongs to
  const double*
      carries;  ///< carries[stride i + j]: 1 when column j's node carries column i's, else 0
  S *s, *p1, *p2, *p3;  ///< [component][column], 6 x stride each
  S* row;               ///< five rows of length stride
};

/// eq. 1: world inertia of a node's own body, its momentum and wrench.
template <class S>
[[gnu::always_inline]] inline WorldBody<S> world_body(const NodeParameters<Parameter<S>>& par,
                                                      const NodePose<S>& X, const Spatial<S>& V,
                                                      const Spatial<S>& A) {
  const auto* m = par.second_moment;
  const Mat3<S>& R = X.R;
  WorldBody<S> b;
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
  // Q = skew(w) Sigma + v h'
  const Sym3<S>& G = b.Sigma;
  const Vec3<S>&w = V.w, &v = V.v, &h = b.h;
  b.Q = {w.y * G.xz - w.z * G.xy + v.x * h.x, w.y * G.yz - w.z * G.yy + v.x * h.y,
         w.y * G.zz - w.z * G.yz + v.x * h.z, w.z * G.xx - w.x * G.xz + v.y * h.x,
         w.z * G.xy - w.x * G.yz + v.y * h.y, w.z * G.xz - w.x * G.zz + v.y * h.z,
         w.x * G.xy - w.y * G.xx + v.z * h.x, w.x * G.yy - w.y * G.xy + v.z * h.y,
         w.x * G.yz - w.y * G.xz + v.z * h.z};
  b.l = scaled(b.mass, v) + cross(w, h);
  // Wrench I A + V x* (I V). The angular momentum about the origin is the skew part of Q.
  const Vec3<S> momentum{b.Q.zy - b.Q.yz, b.Q.xz - b.Q.zx, b.Q.yx - b.Q.xy};
  const Spatial<S> IA = inertia_times(b, A);
  b.n = IA.w + cross(w, momentum) + cross(v, b.l);
  b.f = IA.v + cross(w, b.l);
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
[[gnu::always_inline]] inline void add(WorldBody<S>& to, const WorldBody<S>& b) {
  to.mass += b.mass;
  to.h += b.h;
  to.Sigma += b.Sigma;
  to.Q = to.Q + b.Q;
  to.l += b.l;
  to.n += b.n;
  to.f += b.f;
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

/// eq. 1-3: velocities, accelerations, axes and bodies, from the root outwards.
template <class S>
[[gnu::always_inline]] inline void derivative_columns(const TreeView<S>& tree,
                                                      const ScratchView<S>& work,
                                                      const DerivativeView<S>& d, const S* v,
                                                      const S* a) {
  const int stride = d.stride;
  d.velocity[0] = {Vec3<S>::zero(), Vec3<S>::zero()};
  d.acceleration[0] = {Vec3<S>::zero(),
                       {S(-tree.gravity[0]), S(-tree.gravity[1]), S(-tree.gravity[2])}};
  int column = 0;
  for (int i = 1; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    const Spatial<S> V0 = d.velocity[node.parent], A0 = d.acceleration[node.parent];
    Spatial<S> V = V0, A = A0;
    const int degrees = speeds_of(node.kind);
    for (int k = 0; k < degrees; ++k) {
      const Spatial<S> s = column_axis(node, work.pose[i], k);
      const Spatial<S> p1 = cross(V0, s);
      put_column(s, d.s, stride, column + k);
      put_column(p1, d.p1, stride, column + k);
      put_column(cross(A0, s) + cross(V0, p1), d.p2, stride, column + k);
      V = V + scaled(v[node.v + k], s);
      A = A + scaled(a[node.v + k], s);
    }
    for (int k = 0; k < degrees; ++k) {
      const Spatial<S> s = column_of(d.s, stride, column + k),
                       p1 = column_of(d.p1, stride, column + k);
      const Spatial<S> ds = degrees == 1 ? p1 : cross(V, s);
      put_column(p1 + ds, d.p3, stride, column + k);
      A = A + scaled(v[node.v + k], ds);
    }
    d.velocity[i] = V;
    d.acceleration[i] = A;
    d.body[i] = world_body<S>(tree.parameters[i], work.pose[i], V, A);
    column += degrees;
  }
}

/// x . (rows of components) for every column at once.
template <class S>
[[gnu::always_inline]] inline void dots(const Spatial<S>& x, const S* rows, int stride, int count,
                                        S* out) {
  const S *r0 = rows, *r1 = r0 + stride, *r2 = r1 + stride, *r3 = r2 + stride, *r4 = r3 + stride,
          *r5 = r4 + stride;
  for (int k = 0; k < count; ++k)
    out[k] = x.w.x * r0[k] + x.w.y * r1[k] + x.w.z * r2[k] + x.v.x * r3[k] + x.v.y * r4[k] +
             x.v.z * r5[k];
}
/// The same, added, for a motion without linear part.
template <class S>
[[gnu::always_inline]] inline void add_dots(const Vec3<S>& x, const S* rows, int stride, int count,
                                            S* out) {
  const S *r0 = rows, *r1 = r0 + stride, *r2 = r1 + stride;
  for (int k = 0; k < count; ++k) out[k] += x.x * r0[k] + x.y * r1[k] + x.z * r2[k];
}

/// Derivatives of tau with respect to q and v, and the mass matrix; speeds x speeds, column major.
template <class S>
[[gnu::always_inline]] inline void inverse_derivatives(const TreeView<S>& tree,
                                                       const ScratchView<S>& work,
                                                       const DerivativeView<S>& d, const S* q,
                                                       const S* v, const S* a, S* dq, S* dv, S* M) {
  node_poses(tree, work, q);
  derivative_columns(tree, work, d, v, a);
  for (int i = tree.size - 1; i > 0; --i)
    if (tree.nodes[i].parent != 0) add(d.body[tree.nodes[i].parent], d.body[i]);

  const int n = tree.speeds, stride = d.stride;
  for (int k = 0; k < n * n; ++k) dq[k] = dv[k] = M[k] = S(0);
  for (int k = 0; k < n; ++k) M[k * (n + 1)] = S(tree.armature[k]);
  S *up_q = d.row, *up_v = up_q + stride, *up_m = up_v + stride, *down_q = up_m + stride,
    *down_v = down_q + stride;
  for (int j = 0; j < d.columns; ++j) {
    const WorldBody<S>& b = d.body[d.node[j]];
    const Spatial<S> s = column_of(d.s, stride, j), p1 = column_of(d.p1, stride, j),
                     p2 = column_of(d.p2, stride, j), p3 = column_of(d.p3, stride, j);
    const S trace = b.Q.xx + b.Q.yy + b.Q.zz;
    const auto twice_B = [&](const Vec3<S>& w) __attribute__((always_inline)) {
      const Vec3<S> n_B = scaled(trace, w) - b.Q * w, f_B = cross(w, b.l);
      return Spatial<S>{n_B + n_B, f_B + f_B};
    };
    const Spatial<S> Is = inertia_times(b, s);
    const Spatial<S> sF{cross(s.w, b.n) + cross(s.v, b.f), cross(s.w, b.f)};
    const Spatial<S> rest = inertia_times(b, p2) + twice_B(p1.w);
    const Vec3<S> half = scaled(trace, s.w) - transposed_times(b.Q, s.w) + cross(b.l, s.v);
    const Vec3<S> Bts = half + half;
    // Row j for every column that carries it, and column j for the same.
    const int count = d.columns;
    dots(rest + sF, d.s, stride, count, up_q);
    dots(inertia_times(b, p3) + twice_B(s.w), d.s, stride, count, up_v);
    dots(Is, d.s, stride, count, up_m);
    dots(Is, d.p2, stride, count, down_q);
    add_dots(Bts, d.p1, stride, count, down_q);
    dots(Is, d.p3, stride, count, down_v);
    add_dots(Bts, d.s, stride, count, down_v);
    const int vj = d.speed[j];
    const double* carries = d.carries + stride * j;
    for (int k = 0; k < count; ++k) {
      if (carries[k] == 0) continue;
      const int vk = d.speed[k];
      if (d.node[k] == d.node[j]) {
        // Columns of one node move together: the wrench's own turn drops out.
        dq[vk + n * vj] +=
            up_q[k] -
            (column_of(d.s, stride, k).w.x * sF.w.x + column_of(d.s, stride, k).w.y * sF.w.y +
             column_of(d.s, stride, k).w.z * sF.w.z + column_of(d.s, stride, k).v.x * sF.v.x +
             column_of(d.s, stride, k).v.y * sF.v.y + column_of(d.s, stride, k).v.z * sF.v.z);
        dv[vk + n * vj] += up_v[k];
        M[vk + n * vj] += up_m[k];
        continue;
      }
      dq[vk + n * vj] += up_q[k];
      dq[vj + n * vk] += down_q[k];
      dv[vk + n * vj] += up_v[k];
      dv[vj + n * vk] += down_v[k];
      M[vk + n * vj] += up_m[k];
      M[vj + n * vk] += up_m[k];
    }
  }
}

}  // namespace ulna
