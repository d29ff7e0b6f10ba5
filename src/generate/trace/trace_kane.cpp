// Kane's method traced: efforts and accelerations through partial velocities in any generalized
// speeds, and the partial velocities themselves (docs/theory/kane.md, eq. 1-8).

#include <fmt/format.h>

#include "trace/formulation_route.hpp"
#include "trace/kane_speeds.hpp"
#include "ulna/dynamics/kernels/kane.hpp"

namespace ulna::generate {
namespace {

using E = Expression;

/// Partial velocities with respect to the speeds asked for, with what they need.
struct KaneTrace {
  Scratch<E> scratch;
  KaneScratch<E> rates;
  std::optional<TracedSpeeds> speeds;  ///< none: the joint rates
  std::optional<SpeedPartials> partials;

  explicit KaneTrace(const Tracing& t) : scratch(t.model.topology()), rates(t.model.topology()) {
    joint_angles(t.tree(), scratch.view(), t.q.data());
    if (t.options.speeds.joint_rates()) {
      partial_velocities(t.tree(), scratch.view(), rates.view(), t.q.data());
      return;
    }
    speeds = traced_speeds(t, scratch.view());
    partials.emplace(t, *speeds, scratch.view());
  }
  KaneView<E> view() { return partials ? partials->view() : rates.view(); }

  /// What inertia and gravity require along u.
  Expressions forces(const Tracing& t, const Expressions& v, const Expressions& a) {
    const Parameters<E> parameters = t.grouped(true);
    const TreeView<E> tree = ulna::view<E>(t.model.topology(), parameters);
    newton_euler_outward<E>(tree, scratch.view(), t.q.data(), v.data(), a.data(), nullptr);
    Expressions out = zeros(t.speeds());
    kane_forces<E>(tree, scratch.view(), view(), out.data());
    return out;
  }

  /// Along v from along u: Y' K; with joint rates the same.
  Expressions to_joints(const Expressions& K) const {
    if (!speeds) return K;
    const std::size_t n = K.size();
    Expressions tau = zeros(n);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t r = 0; r < n; ++r) tau[k] += speeds->Y[r + n * k] * K[r];
    return tau;
  }
  /// Along u from along v: B' tau.
  Expressions to_speeds(const Expressions& tau) const {
    const std::size_t n = tau.size();
    Expressions K = zeros(n);
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t k = 0; k < n; ++k) K[r] += speeds->B[k + n * r] * tau[k];
    return K;
  }
  /// v from u, without y: B u.
  Expressions rates_of(const Expressions& u) const {
    const std::size_t n = u.size();
    Expressions v = zeros(n);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t r = 0; r < n; ++r) v[k] += speeds->B[k + n * r] * u[r];
    return v;
  }

  /// F, rotors included: B' (M + rotors) B.
  Expressions matrix(const Tracing& t) {
    Parameters<E> parameters = t.grouped(false);
    const std::vector<E> rotors = parameters.armature;
    if (speeds)
      for (E& rotor : parameters.armature) rotor = E(0.0);
    const int n = t.speeds();
    Expressions F = zeros(static_cast<std::size_t>(n) * n);
    kane_matrix<E>(ulna::view<E>(t.model.topology(), parameters), view(), F.data());
    if (!speeds) return F;
    for (int k = 0; k < n; ++k)
      for (int r = 0; r < n && !rotors[k].is_zero(); ++r)
        for (int s = 0; s < n; ++s)
          F[r + n * s] += speeds->B[k + n * r] * rotors[k] * speeds->B[k + n * s];
    return F;
  }
};

}  // namespace

Expressions kane_efforts(const Tracing& t, const Expressions& v, const Expressions& a) {
  KaneTrace kane(t);
  Expressions tau = kane.to_joints(kane.forces(t, v, a));
  const std::vector<E> rotors = t.grouped(true).armature;  // bodies may have lent them inertia
  for (int k = 0; k < t.speeds(); ++k) tau[k] += rotors[k] * a[k];
  return tau;
}

Expressions kane_mass(const Tracing& t) {
  Tracing rates = t;
  rates.options.speeds = {};
  return KaneTrace(rates).matrix(rates);
}

Expressions kane_accelerations(const Tracing& t) {
  KaneTrace kane(t);
  Expressions left = t.tau;
  traced_passive_efforts(t, t.v, -1, left);
  Expressions K = kane.to_speeds(left);
  // At a = 0 the change of u that is left is F^-1 (K + K*), and a = B times it (eq. 8).
  const Expressions due = kane.forces(t, t.v, zeros(t.speeds()));
  for (int r = 0; r < t.speeds(); ++r) K[r] -= due[r];
  MassFactor(kane.matrix(t), t.speeds()).solve(K.data());
  return kane.rates_of(K);
}

Traced trace_partial_velocities(const Tracing& t) {
  KaneTrace kane(t);
  const KaneView<E> view = kane.view();
  Expressions angular, linear;
  for (std::size_t body = 1; body < t.model.bodies().size(); ++body) {
    const Frame& frame = t.model.frames()[body];
    const NodePose<E> own = constant_pose(frame.X_NF);
    std::vector<PartialVelocity<E>> columns(static_cast<std::size_t>(t.speeds()),
                                            {Vec3<E>::zero(), Vec3<E>::zero()});
    for (int r = view.first[frame.node]; r < view.first[frame.node + 1]; ++r) {
      const auto [w, v] = view.partial[r];
      PartialVelocity<E>& column = columns[view.speed[view.column[r]]];
      column.w += in_axes_of(own.R, w);
      column.v += in_axes_of(own.R, v + cross(w, own.p));
    }
    for (int row = 0; row < 3; ++row)
      for (const auto& [w, v] : columns) {
        angular.push_back(row == 0 ? w.x : row == 1 ? w.y : w.z);
        linear.push_back(row == 0 ? v.x : row == 1 ? v.y : v.z);
      }
  }
  angular.insert(angular.end(), linear.begin(), linear.end());
  return {std::move(angular), fmt::format("speeds {}", t.options.speeds.name)};
}

}  // namespace ulna::generate
