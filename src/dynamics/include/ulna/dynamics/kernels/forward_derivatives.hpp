#pragma once
// First derivatives of forward dynamics. docs/theory/derivatives.md, eq. 11-13. From
// tau(q, v, a(q, v, tau)) = tau:
//
//   da/dtau = M^-1,  da/dq = -M^-1 dtau/dq,  da/dv = -M^-1 dtau/dv
//
// The pass that gives the derivatives of tau has the bodies, axes and the bias on its way; M is
// solved along the tree (branch_solve.hpp) for all columns, a panel of them at once.

#include "ulna/dynamics/kernels/branch_solve.hpp"

namespace ulna {

/// eq. 11: the accelerations, from composites made with zero acceleration.
template <class S>
[[gnu::always_inline]] inline void solve_accelerations(const TreeView<S>& tree,
                                                       const ColumnView<S>& d,
                                                       const BranchSolveView<S>& m, const S* tau,
                                                       S* a) {
  const int n = tree.speeds;
  for (int k = 0; k < n; ++k) a[k] = tau[k];
  for (int j = 0; j < d.columns; ++j) {
    const WorldBody<S>& b = d.composite[d.node[j]];
    const Spatial<S> s = column_of(d.s, d.stride, j);
    a[d.speed[j]] -= dot(s.w, b.n) + dot(s.v, b.f);
  }
  for (int j = 0; j < n; ++j) m.panel[j] = a[m.speed[j]];
  solve_mass<1>(d, m);
  for (int j = 0; j < n; ++j) a[m.speed[j]] = m.panel[j];
}

/// eq. 12, 13: columns `first` .. `first` + P of (-dtau/dq, -dtau/dv, 1), solved and put back.
template <int P, class S>
[[gnu::always_inline]] inline void solve_derivatives(const ColumnView<S>& d,
                                                     const BranchSolveView<S>& m, int n, S* dq,
                                                     S* dv, S* dtau, int first) {
  S* X = m.panel;
  const int last = first + P < 3 * n ? first + P : 3 * n;
  for (int column = first; column < last; ++column) {
    const int kind = column / n, k = column % n;
    const S* source = (kind == 0 ? dq : dv) + static_cast<long>(n) * k;
    for (int j = 0; j < n; ++j)
      X[j * P + column - first] = kind == 2 ? S(m.speed[j] == k ? 1 : 0) : S(-source[m.speed[j]]);
  }
  solve_mass<P>(d, m);
  for (int column = first; column < last; ++column) {
    const int kind = column / n, k = column % n;
    S* target = (kind == 0 ? dq : kind == 1 ? dv : dtau) + static_cast<long>(n) * k;
    for (int j = 0; j < n; ++j) target[m.speed[j]] = X[j * P + column - first];
  }
}

/// Accelerations, and their derivatives with respect to q, v and tau; speeds x speeds, column
/// major. tau are the efforts left after damping and springs, whose constants per speed are given
/// apart. m.inverse is left with 1/D of the factored mass matrix.
template <class S>
[[gnu::always_inline]] inline void forward_derivatives(
    const TreeView<S>& tree, const ScratchView<S>& work, const ColumnView<S>& d,
    const BranchSolveView<S>& m, const S* q, const S* v, const S* tau, const S* zero,
    const double* stiffness, const double* damping, S* a, S* dq, S* dv, S* dtau) {
  const int n = tree.speeds;
  node_poses(tree, work, q);
  derivative_velocities(tree, work, d, v);
  derivative_composites(tree, d);
  derivative_accelerations(tree, d, v, zero);
  factor_mass(tree, d, m);
  solve_accelerations(tree, d, m, tau, a);
  derivative_accelerations(tree, d, v, a);
  derivative_rows<S>(tree, d, dq, dv, nullptr);
  for (int k = 0; k < n; ++k) {
    dq[k * (n + 1)] += stiffness[k];
    dv[k * (n + 1)] += damping[k];
  }
  // As many columns at once as hide the latency of the sums, all of them for short arms; the
  // recursion keeps six rows of a panel in registers, of which wide machines have more.
  constexpr int W = panel_lanes<S>(), few = 24, many = 32, kept = W >= 8 ? 4 * W : 2 * W;
  if (m.articulated)
    for (int c = 0; c < 3 * n; c += kept) solve_derivatives<kept>(d, m, n, dq, dv, dtau, c);
  else if (n <= 8)
    solve_derivatives<few>(d, m, n, dq, dv, dtau, 0);
  else
    for (int c = 0; c < 3 * n; c += many) solve_derivatives<many>(d, m, n, dq, dv, dtau, c);
}

}  // namespace ulna
