#pragma once
// Kane's equations for trees. docs/theory/kane.md, eq. 1-7.
//
// Every body has, for every generalized speed u_r, a partial angular velocity w_r and a partial
// velocity v_r (of its node's origin, in its own axes). The generalized inertia force is what the
// inertia forces do along them, K*_r = -sum (w_r . n + v_r . f), and K_r + K*_r = 0. The inverse
// route never forms the inertia matrix; its cost grows with the number of pairs (body, joint that
// carries it): 13 n^2 + 43 n - 64 multiplications and 9 n^2 + 45 n - 69 additions for n > 2 general
// screws in a row (eq. 9).

#include "ulna/dynamics/kernels/newton_euler.hpp"
#include "ulna/kinematics/kernels/partial_velocities.hpp"

namespace ulna {

/// eq. 3: what the wrenches that newton_euler_outward left in `work` do along the partial
/// velocities; added to `forces`, one for each speed.
template <class S>
[[gnu::always_inline]] inline void kane_forces(const TreeView<S>& tree, const ScratchView<S>& work,
                                               const KaneView<S>& view, S* forces) {
  for (int i = 1; i < tree.size; ++i) {
    const Vec3<S> n = work.newton_euler[i].n, f = work.newton_euler[i].f;
    for (int r = view.first[i]; r < view.first[i + 1]; ++r) {
      const PartialVelocity<S>& partial = view.partial[r];
      forces[view.speed[view.column[r]]] += dot(partial.w, n) + dot(partial.v, f);
    }
  }
}

/// eq. 3-5: efforts, speeds being the joint rates.
template <class S>
[[gnu::always_inline]] inline void kane(const TreeView<S>& tree, const ScratchView<S>& work,
                                        const KaneView<S>& view, const S* q, const S* v, const S* a,
                                        const NodeWrench<S>* external, S* tau) {
  joint_angles(tree, work, q);
  newton_euler_outward(tree, work, q, v, a, external);  // accelerations and inertia wrenches
  partial_velocities(tree, work, view, q);
  for (int k = 0; k < tree.speeds; ++k) tau[k] = tree.armature[k] * a[k];
  kane_forces(tree, work, view, tau);
}

/// eq. 6: the assembled matrix F, speeds x speeds, from partial velocities in `kane`.
template <class S>
[[gnu::always_inline]] inline void kane_matrix(const TreeView<S>& tree, const KaneView<S>& kane,
                                               S* F) {
  const int n = tree.speeds;
  for (int k = 0; k < n * n; ++k) F[k] = S(0);
  for (int k = 0; k < n; ++k) F[k * (n + 1)] = S(tree.armature[k]);
  for (int i = 1; i < tree.size; ++i) {
    const NodeParameters<Parameter<S>>& par = tree.parameters[i];
    const auto* m = par.second_moment;
    const Sym3<Parameter<S>> Sigma{m[0], m[1], m[2], m[3], m[4], m[5]};
    const Parameter<S> trace = m[0] + m[1] + m[2];
    const Vec3<Parameter<S>> h = vec3(par.first_moment);
    for (int c = kane.first[i]; c < kane.first[i + 1]; ++c) {
      const PartialVelocity<S>& p = kane.partial[c];
      const Vec3<S> n_c = scaled(trace, p.w) - Sigma * p.w + cross(h, p.v);
      const Vec3<S> f_c = scaled(par.mass, p.v) + cross(p.w, h);
      const int column = kane.speed[kane.column[c]];
      for (int r = kane.first[i]; r < kane.first[i + 1]; ++r)
        F[kane.speed[kane.column[r]] + n * column] +=
            dot(kane.partial[r].w, n_c) + dot(kane.partial[r].v, f_c);
    }
  }
}

}  // namespace ulna
