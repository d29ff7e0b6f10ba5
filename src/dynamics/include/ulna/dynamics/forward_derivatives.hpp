#pragma once
// First derivatives of forward dynamics. docs/theory/derivatives.md, eq. 11-13. From
// tau(q, v, a(q, v, tau)) = tau:
//
//   da/dtau = M^-1,  da/dq = -M^-1 dtau/dq,  da/dv = -M^-1 dtau/dv
//
// The pass that gives the derivatives of tau has M and the bias on its way, so the accelerations
// come from M = L D L' as well; all columns are solved at once.

#include "ulna/dynamics/inverse_derivatives.hpp"
#include "ulna/scalar/ldlt.hpp"

namespace ulna {

/// eq. 11: M and tau - bias, from composites made with zero acceleration.
template <class S>
[[gnu::always_inline]] inline void mass_and_rest(const TreeView<S>& tree,
                                                 const DerivativeView<S>& d, const S* tau, S* M,
                                                 S* rest) {
  constexpr int W = lane_count<S>();
  const int n = tree.speeds, stride = d.stride;
  for (int k = 0; k < n * n; ++k) M[k] = S(0);
  for (int k = 0; k < n; ++k) M[k * (n + 1)] = S(tree.armature[k]);
  for (int k = 0; k < n; ++k) rest[k] = tau[k];
  for (int j = 0; j < d.columns; ++j) {
    const WorldBody<S>& b = d.composite[d.node[j]];
    const Spatial<S> s = column_of(d.s, stride, j), Is = inertia_times(b, s);
    const int vj = d.speed[j], last = d.last_carrier[j];
    rest[vj] -= dot(s.w, b.n) + dot(s.v, b.f);
    for (int k = 0; k <= last; k += W) store_some<W>(dots<W>(Is, d.s + k, stride), d.row + k);
    for (int k = 0; k <= last; ++k) {
      if (d.carries[static_cast<long>(stride) * j + k] == 0) continue;
      M[d.speed[k] + n * vj] += d.row[k];
      if (d.node[k] != d.node[j]) M[vj + n * d.speed[k]] += d.row[k];
    }
  }
}

/// Solves L D L' X = X for `width` columns at once; X has n rows of length `width`.
template <class S>
[[gnu::always_inline]] inline void solve_columns(const S* F, int n, S* X, int width) {
  constexpr int W = lane_count<S>();
  for (int c = 0; c < width; c += W) {
    for (int i = 1; i < n; ++i) {
      auto x = load_some<W>(X + i * width + c);
      for (int k = 0; k < i; ++k) x = x - F[n * i + k] * load_some<W>(X + k * width + c);
      store_some<W>(x, X + i * width + c);
    }
    for (int i = n - 1; i >= 0; --i) {
      auto x = F[n * i + i] * load_some<W>(X + i * width + c);
      for (int k = i + 1; k < n; ++k) x = x - F[n * k + i] * load_some<W>(X + k * width + c);
      store_some<W>(x, X + i * width + c);
    }
  }
}

/// Accelerations, and their derivatives with respect to q, v and tau; speeds x speeds, column
/// major. tau are the efforts left after damping and springs, whose constants per speed are given
/// apart. The factor of M is left in d.system: its diagonal holds 1/D.
template <class S>
[[gnu::always_inline]] inline void forward_derivatives(
    const TreeView<S>& tree, const ScratchView<S>& work, const DerivativeView<S>& d, const S* q,
    const S* v, const S* tau, const S* zero, const double* stiffness, const double* damping, S* a,
    S* dq, S* dv, S* dtau) {
  const int n = tree.speeds, padded = (n + 7) / 8 * 8, width = 3 * padded;
  S *F = d.system, *X = F + n * n;
  node_poses(tree, work, q);
  derivative_velocities(tree, work, d, v);
  derivative_composites(tree, d);
  derivative_accelerations(tree, d, v, zero);
  mass_and_rest(tree, d, tau, F, a);
  ldlt_factor(F, n, n);
  ldlt_solve(F, n, n, a);
  derivative_accelerations(tree, d, v, a);
  derivative_rows<S>(tree, d, dq, dv, nullptr);
  for (int k = 0; k < n; ++k) {
    dq[k * (n + 1)] += stiffness[k];
    dv[k * (n + 1)] += damping[k];
  }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      X[i * width + k] = -dq[i + n * k];
      X[i * width + padded + k] = -dv[i + n * k];
      X[i * width + 2 * padded + k] = S(i == k ? 1 : 0);
    }
  solve_columns(F, n, X, width);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      dq[i + n * k] = X[i * width + k];
      dv[i + n * k] = X[i * width + padded + k];
      dtau[i + n * k] = X[i * width + 2 * padded + k];
    }
}

}  // namespace ulna
