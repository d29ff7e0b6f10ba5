#pragma once
// One leg of a platform by Newton and Euler: what its bodies ask of the platform and of the drive.
// docs/theory/platforms.md, eq. 14-19.

#include <cmath>

#include "ulna/kinematics/platform_kinematics.hpp"

namespace ulna {

/// Force on the leg at the platform's point, but for the share along the leg that the drive gives;
/// and the drive's effort if the platform took none along the leg.
struct LegNeed {
  Vector3<double> across;
  double drive;
};

/// A bar along n that a universal joint with fixed first axis `a` (or a ball) holds. eq. 14-15
struct BarMotion {
  Vector3<double> w, dw;

  BarMotion(const Vector3<double>& n, const Vector3<double>& dn, const Vector3<double>& ddn,
            const Vector3<double>& a, bool ball) {
    w = n.cross(dn);
    dw = n.cross(ddn);
    if (ball) return;
    const double an = a.dot(n);
    const Vector3<double> t = n - an * a, dt = dn - a.dot(dn) * a;
    const double tn = 1 - an * an;
    const double spin = -w.dot(t) / tn;
    w += spin * n;
    dw += spin * dn;
    dw -= (dw.dot(t) + w.dot(dt)) / tn * n;
  }
};

/// Inertia force of a body and its moment about the origin of its frame, weight included. eq. 16
struct BodyNeed {
  Vector3<double> force, moment;

  BodyNeed(const Inertial& body, const Matrix3<double>& R, const Vector3<double>& w,
           const Vector3<double>& dw, const Vector3<double>& acceleration) {
    const Vector3<double> c = R * body.centre;
    force = body.mass * (acceleration + dw.cross(c) + w.cross(w.cross(c)));
    const Vector3<double> w_B = R.transpose() * w, dw_B = R.transpose() * dw;
    const Vector3<double> spin = body.inertia * dw_B + w_B.cross(body.inertia * w_B);
    moment = c.cross(force) + R * spin;
  }
};

/// Force across the leg at its end from moments about the two axes of its joint. eq. 17
inline Vector3<double> force_across(const Vector3<double>& n, double length,
                                    const Vector3<double>& a, const Vector3<double>& y,
                                    double about_a, double about_y) {
  const Vector3<double> k = a.cross(n);
  return (about_a / (length * k.squaredNorm())) * k + (about_y / length) * y.cross(n);
}

/// Accelerations `g_free` = a - g: gravity enters as an acceleration of everything upward.
inline LegNeed slider_need(const PlatformLeg& data, const Platform::Leg& leg, const LegMotion& m,
                           const Vector3<double>& gravity) {
  const Vector3<double> dn = (m.dP - m.rate * m.n) / m.length,
                        ddn = (m.ddP - m.acceleration * m.n - 2 * m.rate * dn) / m.length;
  const BarMotion bar(m.n, dn, ddn, leg.a, false);
  const Vector3<double> y = m.n.cross(leg.a).normalized();
  Matrix3<double> R;
  R << y.cross(m.n), y, m.n;
  const BodyNeed cylinder(data.cylinder, R, bar.w, bar.dw, -gravity);
  const BodyNeed rod(data.rod, R, bar.w, bar.dw, m.ddP - gravity);
  const Vector3<double> moment = cylinder.moment + rod.moment + (m.length * m.n).cross(rod.force);
  // The cross turns about the axis alone.
  Matrix3<double> R_cross;
  R_cross << leg.a, y, leg.a.cross(y);
  const BodyNeed cross(data.cross, R_cross, leg.a * leg.a.dot(bar.w), leg.a * leg.a.dot(bar.dw),
                       -gravity);
  return {force_across(m.n, m.length, leg.a, y, leg.a.dot(moment + cross.moment), y.dot(moment)),
          m.n.dot(rod.force)};
}

inline LegNeed crank_need(const PlatformLeg& data, const Platform::Leg& leg, const LegMotion& m,
                          const Vector3<double>& gravity) {
  const Vector3<double> r = leg.drawn(m.E), ddE = m.acceleration * m.E_q - m.rate * m.rate * r;
  const Vector3<double> dn = (m.dP - m.rate * m.E_q) / m.length, ddn = (m.ddP - ddE) / m.length;
  const bool ball = data.crank_balls || leg.kind == LegKind::planar;
  const BarMotion bar(m.n, dn, ddn, leg.a, ball);
  const Vector3<double> y = leg.a.cross(m.n).normalized();
  Matrix3<double> R;
  R << m.n, y, m.n.cross(y);
  const double rods = leg.kind == LegKind::pair ? 2 : 1;
  const BodyNeed rod(data.rod, R, bar.w, bar.dw, ddE - gravity);
  const Vector3<double> across =
      rods * (data.crank_balls ? (rod.moment.cross(m.n) / m.length).eval()
                               : force_across(m.n, m.length, leg.a, y, leg.a.dot(rod.moment),
                                              y.dot(rod.moment)));
  if (leg.on_rail) {
    const Vector3<double> carriage = data.crank.mass * (ddE - gravity);
    return {across, m.E_q.dot(carriage + rods * rod.force - across)};
  }
  const Vector3<double> x = r / leg.crank;
  Matrix3<double> R_crank;
  R_crank << x, leg.a.cross(x), leg.a;
  const BodyNeed crank(data.crank, R_crank, m.rate * leg.a, m.acceleration * leg.a, -gravity);
  return {across, leg.a.dot(crank.moment) + m.E_q.dot(rods * rod.force - across)};
}

}  // namespace ulna
