#pragma once
// One force element of every kind between the frames PA and PB, and what it measures and exerts
// there by a reckoning of its own.

#include <Eigen/Geometry>
#include <algorithm>

#include "run_cli.hpp"

namespace ulna::test::element_walk {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// One of PA, PB and PC in the world.
struct Place {
  Vector3d p, w, v;
  Matrix3d R;
};
struct Places {
  Place A, B, C;
};

inline Vector3d vector_of(const Json& list) {
  return {list[0].get<double>(), list[1].get<double>(), list[2].get<double>()};
}

inline Place place_of(const Json& frame) {
  Place out{vector_of(frame["position"]),
            vector_of(frame["velocity"]["angular"]),
            vector_of(frame["velocity"]["linear"]),
            {}};
  for (int k = 0; k < 3; ++k) out.R.row(k) = vector_of(frame["rotation"][k]);
  return out;
}

/// What an element measures, stores and exerts: a force and a moment at PB, and a force at PC.
struct Effect {
  double length = 0, rate = 0, force = 0, energy = 0;
  Vector3d at_B = Vector3d::Zero(), moment_B = Vector3d::Zero(), at_C = Vector3d::Zero();
};

/// A line from PA to PB: its tension by length and rate.
template <class Tension>
inline Effect straight(const Places& at, Tension&& tension) {
  const Vector3d d = at.B.p - at.A.p, u = d.normalized();
  Effect out;
  out.length = d.norm();
  out.rate = u.dot(at.B.v - at.A.v);
  out.force = tension(out.length, out.rate);
  out.at_B = -out.force * u;
  return out;
}

inline Effect spring(const Places& at) {
  Effect out = straight(at, [](double l, double rate) {
    const double x = l - 0.3, y = x > 0.02 ? x - 0.02 : x < -0.02 ? x + 0.02 : 0;
    return 3 + 120 * y + 40 * y * y * y + 6 * rate;
  });
  const double x = out.length - 0.3, y = std::max(std::abs(x) - 0.02, 0.0);
  out.energy = 3 * x + 60 * y * y + 10 * std::pow(y, 4);
  return out;
}

/// Springs of 40 N/m below a stretch of 0.1 m and 70 N/m above, damping 3 or 5 N s/m by sense.
inline Effect table(const Places& at) {
  Effect out = straight(at, [](double l, double rate) {
    const double x = l - 0.2;
    return 2 + (x < 0.1 ? 30 : 70) * (x - 0.1) + (rate < 0 ? 3 : 5) * rate;
  });
  const double x = out.length - 0.2, beyond = std::max(x - 0.1, 0.0);
  out.energy = (2 - 3) * x + 15 * x * x + 20 * beyond * beyond;
  return out;
}

inline Effect cable(const Places& at) {
  const Vector3d d1 = at.C.p - at.A.p, d2 = at.B.p - at.C.p, u1 = d1.normalized(),
                 u2 = d2.normalized();
  Effect out;
  out.length = d1.norm() + d2.norm();
  out.rate = u1.dot(at.C.v - at.A.v) + u2.dot(at.B.v - at.C.v);
  out.force = 90 * (out.length - 0.4) + 2 * out.rate;
  out.energy = 45 * std::pow(out.length - 0.4, 2);
  out.at_B = -out.force * u2;
  out.at_C = out.force * (u2 - u1);
  return out;
}

/// Its channels show the thrust.
inline Effect thrust(Effect effect) {
  effect.force = -effect.force;
  return effect;
}
inline Effect actuator(const Places& at) {
  return thrust(straight(
      at, [](double, double rate) { return -std::clamp(25 * (1 - rate / 20), 0.0, 25.0); }));
}
inline Effect formula(const Places& at) {
  return thrust(straight(at, [](double l, double rate) { return -(12 - 30 * l - 4 * rate); }));
}
inline Effect input(const Places& at) {
  return thrust(straight(at, [](double, double) { return -17.0; }));
}

/// PB in the axes of PA: half the rotation as a quaternion, the shift, and their rates.
struct Turned {
  explicit Turned(const Places& at) {
    const Eigen::Quaterniond turn(Matrix3d(at.A.R.transpose() * at.B.R));
    const double sign = turn.w() < 0 ? -1 : 1;
    s = sign * turn.w(), u = sign * turn.vec();
    w = at.A.R.transpose() * (at.B.w - at.A.w);
    p = at.A.R.transpose() * (at.B.p - at.A.p);
    v = at.A.R.transpose() * (at.B.v - at.A.v - at.A.w.cross(at.B.p - at.A.p));
  }
  double s;
  Vector3d u, w, p, v;
};

inline Effect bushing(const Places& at) {
  const Turned turned(at);
  const Vector3d Kt(5, 6, 7), Kp(80, 90, 60), Dt(0.3, 0.2, 0.1), Dp(2, 3, 1), turn = 2 * turned.u;
  const Vector3d turning = turned.s * turned.w + turned.w.cross(turned.u);
  const Vector3d g = Kt.cwiseProduct(turn) + Dt.cwiseProduct(turning),
                 f = Kp.cwiseProduct(turned.p) + Dp.cwiseProduct(turned.v);
  Effect out;
  out.length = turned.p.norm(), out.rate = turned.p.dot(turned.v) / out.length;
  out.force = f.norm();
  out.energy = 0.5 * (turn.dot(Kt.cwiseProduct(turn)) + turned.p.dot(Kp.cwiseProduct(turned.p)));
  out.at_B = -(at.A.R * f);
  // The power g . turning is one of w: (s g + u x g) . w.
  out.moment_B = -(at.A.R * (turned.s * g + turned.u.cross(g)));
  return out;
}

inline Effect torsion(const Places& at) {
  const Turned t(at);
  Effect out;
  out.length = 2 * std::atan2(t.u.z(), t.s);
  const Vector3d slope =
      Vector3d(t.s * t.u.y() + t.u.z() * t.u.x(), t.u.z() * t.u.y() - t.s * t.u.x(),
               t.s * t.s + t.u.z() * t.u.z()) /
      (t.s * t.s + t.u.z() * t.u.z());
  out.rate = slope.dot(t.w);
  const double x = out.length - 0.2;
  out.force = 12 * x + 3 * x * x * x + 0.5 * out.rate;
  out.energy = 6 * x * x + 0.75 * std::pow(x, 4);
  out.moment_B = -out.force * (at.A.R * slope);
  return out;
}

struct WalkedElement {
  const char* name;
  std::string text;
  Effect (*effect)(const Places&);
};

inline const WalkedElement walked_elements[] = {
    {"spring",
     "type: spring-damper, from: PA, to: PB, free_length: 0.3, stiffness: 120, hardening: 40, "
     "backlash: 0.02, damping: 6, preload: 3",
     spring},
    {"table",
     "type: spring-damper, from: PA, to: PB, free_length: 0.2, table: [[-0.3, -10], [0.1, 2], "
     "[0.5, 30]], damper_table: [[-1, -3], [0, 0], [1, 5]]",
     table},
    {"cable",
     "type: spring-damper, from: PA, through: [PC], to: PB, free_length: 0.4, stiffness: 90, "
     "damping: 2",
     cable},
    {"actuator", "type: actuator, from: PA, to: PB, force: 25, rate_limit: 20, stroke: [0.01, 5]",
     actuator},
    {"formula",
     "type: actuator, from: PA, to: PB, force: \"12 - 30*element.e.length - 4*element.e.rate\"",
     formula},
    {"input", "type: actuator, from: PA, to: PB, force: input", input},
    {"bushing",
     "type: bushing, from: PA, to: PB, stiffness: [5, 6, 7, 80, 90, 60], damping: [0.3, 0.2, 0.1, "
     "2, 3, 1]",
     bushing},
    {"torsion",
     "type: torsion, from: PA, to: PB, axis: [0, 0, 1], stiffness: 12, rest: 0.2, damping: 0.5, "
     "hardening: 3",
     torsion},
};

}  // namespace ulna::test::element_walk
