#pragma once
// First derivatives of forward dynamics. docs/theory/derivatives.md, eq. 11-13. From
// tau(q, v, a(q, v, tau)) = tau:
//
//   da/dtau = M^-1,  da/dq = -M^-1 dtau/dq,  da/dv = -M^-1 dtau/dv
//
// The pass that gives the derivatives of tau has M and the bias on its way, so the accelerations
// come from M = L D L' as well; all columns are solved at once.

#include "ulna/dynamics/kernels/inverse_derivatives.hpp"
#include "ulna/scalar/kernels/unroll.hpp"

namespace ulna {

/// eq. 11: M (rows `stride` apart, both halves) and tau - bias, from composites made with zero
/// acceleration.
template <class S>
[[gnu::always_inline]] inline void mass_and_rest(const TreeView<S>& tree, const ColumnView<S>& d,
                                                 const S* tau, S* M, int M_stride, S* rest) {
  const int n = tree.speeds;
  mass_rows(tree, d, M, M_stride);
  for (int k = 0; k < n; ++k) rest[k] = tau[k];
  for (int j = 0; j < d.columns; ++j) {
    const WorldBody<S>& b = d.composite[d.node[j]];
    const Spatial<S> s = column_of(d.s, d.stride, j);
    rest[d.speed[j]] -= dot(s.w, b.n) + dot(s.v, b.f);
  }
}

/// Solving many columns takes long enough for the widest registers to pay.
template <class S>
constexpr int panel_lanes() {
  if constexpr (std::is_same_v<S, double>) return native_lanes;
  return 1;
}

/// M = U' D U in place: unit U above the diagonal, 1/D on it, U' below. Rows are `stride` apart, a
/// multiple of 8, and worked on in lanes.
template <class S>
[[gnu::always_inline]] inline void factor_rows(S* M, int n, int stride) {
  constexpr int W = lane_count<S>();
  for (int k = 0; k < n; ++k) {
    S* pivot = M + static_cast<long>(k) * stride;
    const S inverse = S(1) / pivot[k];
    for (int i = k + 1; i < n; ++i) {
      const S factor = pivot[i] * inverse;
      S* row = M + static_cast<long>(i) * stride;
      for (int c = i / W * W; c < n; c += W)
        store_some<W>(load_some<W>(row + c) - factor * load_some<W>(pivot + c), row + c);
    }
    for (int i = k + 1; i < n; ++i) pivot[i] *= inverse;
    pivot[k] = inverse;
  }
  for (int i = 1; i < n; ++i)
    for (int k = 0; k < i; ++k)
      M[static_cast<long>(i) * stride + k] = M[static_cast<long>(k) * stride + i];
}

/// Solves U' D U X = X for one panel of P columns: X has n rows of P. The lower half of U holds U'.
template <int P, class S>
[[gnu::always_inline]] inline void solve_panel(const S* U, int n, int stride, S* X) {
  constexpr int W = panel_lanes<S>(), chains = P / W;
  using Lane = decltype(load_some<W>(X));
  Lane x[chains];
  const auto load = [&](int i) __attribute__((always_inline)) {
    unroll<chains>([&]<int c>()
                       __attribute__((always_inline)) { x[c] = load_some<W>(X + i * P + W * c); });
  };
  const auto put = [&](int i) __attribute__((always_inline)) {
    unroll<chains>([&]<int c>()
                       __attribute__((always_inline)) { store_some<W>(x[c], X + i * P + W * c); });
  };
  const auto subtract = [&](const S& f, int k) __attribute__((always_inline)) {
    unroll<chains>([&]<int c>() __attribute__((always_inline)) {
      x[c] = x[c] - f * load_some<W>(X + k * P + W * c);
    });
  };
  for (int i = 1; i < n; ++i) {
    const S* row = U + static_cast<long>(i) * stride;
    load(i);
    for (int k = 0; k < i; ++k) subtract(row[k], k);
    put(i);
  }
  for (int i = n - 1; i >= 0; --i) {
    const S* row = U + static_cast<long>(i) * stride;
    load(i);
    unroll<chains>([&]<int c>() __attribute__((always_inline)) { x[c] = row[i] * x[c]; });
    for (int k = i + 1; k < n; ++k) subtract(row[k], k);
    put(i);
  }
}

/// eq. 12, 13: columns `first` .. `first` + P of (-dtau/dq, -dtau/dv, 1), solved and put back.
template <int P, class S>
[[gnu::always_inline]] inline void solve_derivatives(const S* U, int n, int stride, S* X, S* dq,
                                                     S* dv, S* dtau, int first) {
  const int last = first + P < 3 * n ? first + P : 3 * n;
  for (int column = first; column < last; ++column) {
    const int kind = column / n, k = column % n;
    const S* source = (kind == 0 ? dq : dv) + static_cast<long>(n) * k;
    for (int i = 0; i < n; ++i)
      X[i * P + column - first] = kind == 2 ? S(i == k ? 1 : 0) : S(-source[i]);
  }
  solve_panel<P>(U, n, stride, X);
  for (int column = first; column < last; ++column) {
    const int kind = column / n, k = column % n;
    S* target = (kind == 0 ? dq : kind == 1 ? dv : dtau) + static_cast<long>(n) * k;
    for (int i = 0; i < n; ++i) target[i] = X[i * P + column - first];
  }
}

/// Accelerations, and their derivatives with respect to q, v and tau; speeds x speeds, column
/// major. tau are the efforts left after damping and springs, whose constants per speed are given
/// apart. The factor of M is left in d.system, rows a multiple of 8 apart: its diagonal holds 1/D.
template <class S>
[[gnu::always_inline]] inline void forward_derivatives(
    const TreeView<S>& tree, const ScratchView<S>& work, const ColumnView<S>& d, const S* q,
    const S* v, const S* tau, const S* zero, const double* stiffness, const double* damping, S* a,
    S* dq, S* dv, S* dtau) {
  const int n = tree.speeds, stride = (n + 7) / 8 * 8;
  S *U = d.system, *X = U + static_cast<long>(n) * stride;
  node_poses(tree, work, q);
  derivative_velocities(tree, work, d, v);
  derivative_composites(tree, d);
  derivative_accelerations(tree, d, v, zero);
  mass_and_rest(tree, d, tau, U, stride, a);
  factor_rows(U, n, stride);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < i; ++k) a[i] -= U[static_cast<long>(i) * stride + k] * a[k];
  for (int i = n - 1; i >= 0; --i) {
    a[i] *= U[static_cast<long>(i) * (stride + 1)];
    for (int k = i + 1; k < n; ++k) a[i] -= U[static_cast<long>(i) * stride + k] * a[k];
  }
  derivative_accelerations(tree, d, v, a);
  derivative_rows<S>(tree, d, dq, dv, nullptr);
  for (int k = 0; k < n; ++k) {
    dq[k * (n + 1)] += stiffness[k];
    dv[k * (n + 1)] += damping[k];
  }
  // Few columns at once for small robots, as many as hide the latency of the sums for large ones.
  if (n <= 16)
    for (int c = 0; c < 3 * n; c += 8) solve_derivatives<8>(U, n, stride, X, dq, dv, dtau, c);
  else
    for (int c = 0; c < 3 * n; c += 32) solve_derivatives<32>(U, n, stride, X, dq, dv, dtau, c);
}

}  // namespace ulna
