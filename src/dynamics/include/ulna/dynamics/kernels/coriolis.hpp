#pragma once
// The Coriolis matrix: C v are the velocity-dependent efforts and dM/dt = C + C', so that
// dM/dt - 2 C is skew-symmetric. docs/theory/derivatives.md, eq. 10, with the composite I and B of
// inverse_derivatives.hpp:
//
//   C_ij = s_i . (I_j ds_j/dt + B_j s_j)   i carries j      C_ji = s_j . (I_j ds_i/dt + B_j s_i)

#include "ulna/dynamics/kernels/inverse_derivatives.hpp"

namespace ulna {

/// C, speeds x speeds, column major.
template <class S>
inline void coriolis(const TreeView<S>& tree, const ScratchView<S>& work, const ColumnView<S>& d,
                     const S* q, const S* v, S* C) {
  node_poses(tree, work, q);
  derivative_velocities(tree, work, d, v);
  derivative_composites(tree, d);
  const int n = tree.speeds, stride = d.stride;
  for (int k = 0; k < n * n; ++k) C[k] = S(0);
  const auto dot6 = [](const Spatial<S>& x, const Spatial<S>& y) {
    return dot(x.w, y.w) + dot(x.v, y.v);
  };
  const auto rate = [&](int k) {
    const Spatial<S> p3 = column_of(d.p3, stride, k), p1 = column_of(d.p1, stride, k);
    return Spatial<S>{p3.w - p1.w, p3.v - p1.v};
  };
  for (int j = 0; j < d.columns; ++j) {
    const WorldBody<S>& b = d.composite[d.node[j]];
    const S trace = b.Q.xx + b.Q.yy + b.Q.zz;
    const auto B_times = [&](const Spatial<S>& m) {
      return Spatial<S>{scaled(trace, m.w) - b.Q * m.w, cross(m.w, b.l)};
    };
    const Spatial<S> s = column_of(d.s, stride, j);
    const Spatial<S> up = inertia_times(b, rate(j)) + B_times(s);
    for (int k = 0; k < d.columns; ++k) {
      if (d.carries[stride * j + k] == 0) continue;
      const Spatial<S> sk = column_of(d.s, stride, k);
      C[d.speed[k] + n * d.speed[j]] += dot6(sk, up);
      if (d.node[k] != d.node[j])
        C[d.speed[j] + n * d.speed[k]] += dot6(s, inertia_times(b, rate(k)) + B_times(sk));
    }
  }
}

}  // namespace ulna
