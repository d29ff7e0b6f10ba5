#pragma once
// A section of an element of a geometrically exact beam, for any scalar: its pose is the
// exponential of a screw that the element's strains make, docs/theory/geometrically-exact.md, eq.
// 5-11. The functions of the angle are power series in its square: no division, no branch, exact to
// rounding for an element that turns by less than 3 rad. Cost: about 30 k + 400 multiplications.

#include "ulna/model/kernels/exact_beam.hpp"
#include "ulna/model/parts/workspace.hpp"

namespace ulna {

/// A function of t and its first two slopes.
template <class S>
struct SeriesValue {
  S value, slope, bend;
};

/// (-1)^k / (2 k + first)! for k = 0, 1, ...
template <int first>
struct TurnCoefficients {
  static constexpr int terms = 13;
  double c[terms];
  [[gnu::always_inline]] constexpr TurnCoefficients() : c{} {
    double factorial = first == 2 ? 2 : 6;
    for (int k = 0; k < terms; ++k) {
      c[k] = (k % 2 == 0 ? 1 : -1) / factorial;
      const double n = 2 * k + first;
      factorial *= (n + 1) * (n + 2);
    }
  }
};

/// sum_k (-t)^k / (2 k + first)!: (1 - cos x) / x^2 for first = 2 and (x - sin x) / x^3 for
/// first = 3, with t = x^2. eq. 7.
template <int first, class S>
[[gnu::always_inline]] inline SeriesValue<S> turn_series(const S& t) {
  constexpr TurnCoefficients<first> series;
  SeriesValue<S> out{S(series.c[series.terms - 1]), S(0), S(0)};
  for (int k = series.terms - 2; k >= 0; --k) {
    out.bend = out.bend * t + out.slope;
    out.slope = out.slope * t + out.value;
    out.value = out.value * t + series.c[k];
  }
  out.bend = out.bend + out.bend;
  return out;
}

/// A screw: rotation vector and translation.
template <class S>
struct Screw6 {
  Vec3<S> turn, shift;
};
template <class S>
[[gnu::always_inline]] inline Screw6<S> bracket(const Screw6<S>& a, const Screw6<S>& b) {
  return {cross(a.turn, b.turn), cross(a.turn, b.shift) + cross(a.shift, b.turn)};
}
template <class S>
[[gnu::always_inline]] inline S& component(Screw6<S>& x, int i) {
  return i == 0   ? x.turn.x
         : i == 1 ? x.turn.y
         : i == 2 ? x.turn.z
         : i == 3 ? x.shift.x
         : i == 4 ? x.shift.y
                  : x.shift.z;
}

template <class S>
[[gnu::always_inline]] inline Mat3<S> skew_matrix(const Vec3<S>& v) {
  return {S(0), -v.z, v.y, v.z, S(0), -v.x, -v.y, v.x, S(0)};
}
/// a x' for two vectors.
template <class S>
[[gnu::always_inline]] inline Mat3<S> outer(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y,
          a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z};
}
template <class S>
[[gnu::always_inline]] inline Mat3<S> scaled_matrix(const S& s, const Mat3<S>& m) {
  return {s * m.xx, s * m.xy, s * m.xz, s * m.yx, s * m.yy, s * m.yz, s * m.zx, s * m.zy, s * m.zz};
}

/// A station of an element, from where a ModalStation keeps it (exact_beam.hpp).
struct StrainStation {
  [[gnu::always_inline]] explicit StrainStation(const ModalStation& from)
      : s(from.position[0]),
        f(from.position[1]),
        c(from.position[2]),
        by_length(from.position[3]),
        components(from.angles.data()) {}
  [[gnu::always_inline]] int strain(int j) const { return static_cast<int>(components[j]); }

  double s, f, c, by_length;
  const double* components;
};

/// The strains of an element and their screw at a station, eq. 5: Omega = s alpha + f beta +
/// c [alpha, beta]. `unit` is the strain along the axis of an element without deformation, 1.
template <class S>
struct ElementStrains {
  Screw6<S> alpha, beta;

  [[gnu::always_inline]] ElementStrains(const StrainStation& station, int k, const S* eta,
                                        double unit) {
    const Vec3<S> zero = Vec3<S>::zero();
    alpha = beta = {zero, zero};
    for (int j = 0; j < k; ++j) {
      const int at = station.strain(j);
      component(at < 6 ? alpha : beta, at % 6) = station.by_length * eta[j];
    }
    alpha.shift.x += unit;
  }
};

template <class S>
[[gnu::always_inline]] inline Screw6<S> combined(const StrainStation& station, const Screw6<S>& a,
                                                 const Screw6<S>& b, const Screw6<S>& crossed) {
  return {
      scaled(station.s, a.turn) + scaled(station.f, b.turn) + scaled(station.c, crossed.turn),
      scaled(station.s, a.shift) + scaled(station.f, b.shift) + scaled(station.c, crossed.shift)};
}

/// eq. 6-11: pose, hinge columns W and P, velocities and the accelerations by rates.
/// Of internal linkage and never inlined: each instruction set has one of its own, and the kernels
/// that call it stay short.
template <class S>
[[gnu::noinline]] static StationState<S> strain_station_state(const ModalStation& from, int k,
                                                              const S* eta, const S* rate,
                                                              Vec3<S>* W, Vec3<S>* P) {
  const StrainStation station(from);
  const ElementStrains<S> at(station, k, eta, 1), moving(station, k, rate, 0);
  const Screw6<S> omega = combined(station, at.alpha, at.beta, bracket(at.alpha, at.beta));
  const Vec3<S>&x = omega.turn, &u = omega.shift;
  const S t = dot(x, x);
  const SeriesValue<S> a2 = turn_series<2>(t), a3 = turn_series<3>(t);
  const Vec3<S> xu = cross(x, u), xxu = cross(x, xu);
  const auto V = [&](const Vec3<S>& y) {
    const Vec3<S> xy = cross(x, y);
    return y + scaled(a2.value, xy) + scaled(a3.value, cross(x, xy));
  };
  StationState<S> out;
  // R = 1 + (1 - t a3) [x] + a2 (x x' - t), p = V u.
  const S a1 = S(1) - t * a3.value, diagonal = S(1) - t * a2.value;
  Mat3<S> R = scaled_matrix(a2.value, outer(x, x)) + skew_matrix(scaled(a1, x));
  R.xx += diagonal, R.yy += diagonal, R.zz += diagonal;
  out.R = R;
  out.p = u + scaled(a2.value, xu) + scaled(a3.value, xxu);
  // The slope of V u in x, along y: eq. 9.
  const auto slope = [&](const Vec3<S>& y) {
    const S along = dot(x, y) + dot(x, y);
    const Vec3<S> yu = cross(y, u);
    return scaled(a2.value, yu) + scaled(a3.value, cross(y, xu) + cross(x, yu)) +
           scaled(along * a2.slope, xu) + scaled(along * a3.slope, xxu);
  };
  for (int j = 0; j < k; ++j) {
    Screw6<S> e{Vec3<S>::zero(), Vec3<S>::zero()};
    const int i = station.strain(j);
    component(e, i % 6) = S(station.by_length);
    const Screw6<S> crossed = i < 6 ? bracket(e, at.beta) : bracket(at.alpha, e);
    const double direct = i < 6 ? station.s : station.f;
    const Screw6<S> d{scaled(direct, e.turn) + scaled(station.c, crossed.turn),
                      scaled(direct, e.shift) + scaled(station.c, crossed.shift)};
    W[j] = V(d.turn);
    P[j] = V(d.shift) + slope(d.turn);
  }
  // Rates: eq. 10, 11.
  const Screw6<S> one = bracket(moving.alpha, at.beta), two = bracket(at.alpha, moving.beta);
  const Screw6<S> d = combined(station, moving.alpha, moving.beta,
                               Screw6<S>{one.turn + two.turn, one.shift + two.shift});
  const Screw6<S> both = bracket(moving.alpha, moving.beta);
  const Screw6<S> dd{scaled(2 * station.c, both.turn), scaled(2 * station.c, both.shift)};
  const Vec3<S>&dx = d.turn, &du = d.shift;
  const S rise = dot(x, dx) + dot(x, dx), dd_t = dot(dx, dx) + dot(dx, dx);
  const S da2 = a2.slope * rise, da3 = a3.slope * rise;
  const auto dV = [&](const Vec3<S>& y) {
    const Vec3<S> xy = cross(x, y), dxy = cross(dx, y);
    return scaled(a2.value, dxy) + scaled(a3.value, cross(dx, xy) + cross(x, dxy)) +
           scaled(da2, xy) + scaled(da3, cross(x, xy));
  };
  const Vec3<S> dV_u = dV(u), dxu = cross(dx, u);
  out.w = V(dx);
  out.v = V(du) + dV_u;
  out.bias_w = V(dd.turn) + dV(dx);
  const S bend2 = a2.bend * rise * rise + a2.slope * dd_t,
          bend3 = a3.bend * rise * rise + a3.slope * dd_t;
  const Vec3<S> twice = dV(du);
  const Vec3<S> spread = cross(dx, xu) + cross(x, dxu), turned = cross(dx, dxu);
  out.bias_v = V(dd.shift) + slope(dd.turn) + twice + twice + scaled(da2 + da2, dxu) +
               scaled(da3 + da3, spread) + scaled(a3.value + a3.value, turned) + scaled(bend2, xu) +
               scaled(bend3, xxu);
  return out;
}

}  // namespace ulna
