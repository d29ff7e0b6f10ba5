#pragma once
// What a flexible body itself contributes: its inertia wrench and modal efforts in motion, its
// elastic and damping efforts, its energy. docs/theory/flexible.md, eq. 7-12. Root axes, about the
// root's origin. Cost per generalised point: about k^2 + 12 k multiplications.

#include "ulna/dynamics/kernels/newton_euler.hpp"
#include "ulna/kinematics/kernels/flexible_body.hpp"

namespace ulna {

/// eq. 10, 11: modal efforts of stiffness and damping, added to `effort`.
template <class S>
[[gnu::always_inline]] inline void add_elastic_efforts(const ModalBody& body, const S* eta,
                                                       const S* rate, S* effort) {
  const int k = body.modes;
  for (int j = 0; j < k; ++j)
    effort[j] += row_times(body.stiffness.data() + j * k, eta, k) +
                 row_times(body.damping.data() + j * k, rate, k);
  for (int h = 0; h < body.strains; ++h) {
    const double *l = body.strain_linear.data() + h * k,
                 *Q = body.strain_quadratic.data() + h * k * k;
    const S strain = row_times(l, eta, k) + 0.5 * quadratic_form(Q, eta, eta, k);
    for (int j = 0; j < k; ++j) effort[j] += strain * (l[j] + row_times(Q + j * k, eta, k));
  }
}

/// The part of them that is linear, for one mode.
inline double linear_elastic_effort(const ModalBody& body, int j, const double* eta,
                                    const double* rate) {
  const int k = body.modes;
  double effort = row_times(body.stiffness.data() + j * k, eta, k) +
                  row_times(body.damping.data() + j * k, rate, k);
  for (int h = 0; h < body.strains; ++h) {
    const double* l = body.strain_linear.data() + h * k;
    effort += row_times(l, eta, k) * l[j];
  }
  return effort;
}

template <class S>
[[gnu::always_inline]] inline S elastic_energy(const ModalBody& body, const S* eta) {
  const int k = body.modes;
  S twice = quadratic_form(body.stiffness.data(), eta, eta, k);
  for (int h = 0; h < body.strains; ++h) {
    const S strain = row_times(body.strain_linear.data() + h * k, eta, k) +
                     0.5 * quadratic_form(body.strain_quadratic.data() + h * k * k, eta, eta, k);
    twice += strain * strain;
  }
  return 0.5 * twice;
}

/// eq. 8, 9: the wrench and the modal efforts (added to `effort`) that make the beam move so.
/// `acceleration` null: zero. J is room for k vectors.
template <class S>
[[gnu::always_inline]] inline NodeWrench<S> beam_inertia_wrench(const ModalBody& body,
                                                                const BodyMotion<S>& now,
                                                                const S* eta, const S* rate,
                                                                const S* acceleration, Vec3<S>* J,
                                                                S* effort) {
  const int k = body.modes;
  NodeWrench<S> F{Vec3<S>::zero(), Vec3<S>::zero()};
  for (int g = 0; g < body.points; ++g) {
    const ModalPoint<S> point = modal_point(body.place[g], body.linear.data() + 3 * g * k,
                                            body.quadratic.data() + g * k * k, k, eta, rate, J);
    Vec3<S> a = scaled(body.share[g], now.a) + now.U * point.place + point.bias +
                cross(now.w + now.w, point.rate);
    if (acceleration)
      for (int j = 0; j < k; ++j) a += scaled(acceleration[j], J[j]);
    F.f += scaled(body.share[g], a);
    F.n += cross(point.place, a);
    for (int j = 0; j < k; ++j) effort[j] += dot(J[j], a);
  }
  for (int s = 0; s < body.spins; ++s) {
    const double *l = body.spin_linear.data() + s * k, e = body.spin_share[s];
    const S spin = e * now.w.x + row_times(l, rate, k);
    S rise = e * now.dw.x;
    if (acceleration) rise += row_times(l, acceleration, k);
    F.n += Vec3<S>{e * rise, e * spin * now.w.z, -(e * spin * now.w.y)};
    for (int j = 0; j < k; ++j) effort[j] += l[j] * rise;
  }
  return F;
}

/// The motion of a station from that of its root, in the station's axes: eq. 16.
template <class S>
[[gnu::always_inline]] inline BodyMotion<S> station_motion(const BodyMotion<S>& root,
                                                           const StationState<S>& s,
                                                           const Vec3<S>& relative_dw,
                                                           const Vec3<S>& relative_dv) {
  BodyMotion<S> now;
  const Vec3<S> dw = root.dw + relative_dw + cross(root.w, s.w);
  const Vec3<S> a = root.a + root.U * s.p + cross(root.w + root.w, s.v) + relative_dv;
  now.w = transposed_times(s.R, root.w + s.w);
  now.dw = transposed_times(s.R, dw);
  now.a = transposed_times(s.R, a);
  now.U = acceleration_matrix(now.w, now.dw);
  return now;
}

/// A station's wrench in root axes about the root's origin (handed on), and the modal efforts that
/// it takes (added): eq. 17.
template <class S>
[[gnu::always_inline]] inline NodeWrench<S> hand_to_root(const StationState<S>& s, const Vec3<S>* W,
                                                         const Vec3<S>* P, int k,
                                                         const NodeWrench<S>& F, S* effort) {
  const Vec3<S> f = s.R * F.f, n = s.R * F.n;
  for (int j = 0; j < k; ++j) effort[j] += dot(W[j], n) + dot(P[j], f);
  return {n + cross(s.p, f), f};
}

}  // namespace ulna
