#pragma once
// Small machines whose motion has a closed form, for the cases of this folder.

#include <cmath>
#include <numbers>

#include "simulation/contacts.hpp"
#include "simulation/drives.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna::testing {

constexpr double pi = std::numbers::pi;

/// A mass on a joint along or about an axis, without gravity; `degree` is what acts along it.
inline Robot one_joint(JointType type, const Vector3<double>& axis, double mass, double inertia,
                       const DegreeData& degree = {}) {
  Robot robot;
  robot.name = "one";
  robot.gravity.setZero();
  robot.bodies.push_back(body(
      "part", {mass, Vector3<double>::Zero(), Vector3<double>::Constant(inertia).asDiagonal()}));
  JointData joint;
  joint.name = "j";
  joint.type = type;
  joint.child = "part";
  joint.axis = axis;
  joint.degrees = {degree};
  robot.joints.push_back(joint);
  return robot;
}
inline Robot slide(double mass, const DegreeData& degree = {}) {
  return one_joint(JointType::prismatic, {1, 0, 0}, mass, 0.1 * mass, degree);
}
/// The same along z in the field of gravity.
inline Robot lift(double mass, const DegreeData& degree = {}) {
  Robot robot = one_joint(JointType::prismatic, {0, 0, 1}, mass, 0.1 * mass, degree);
  robot.gravity = {0, 0, -g};
  return robot;
}
inline Robot wheel(double inertia, const DegreeData& degree = {}) {
  return one_joint(JointType::revolute, {0, 0, 1}, 1, inertia, degree);
}

/// A run of one joint from (q, v) at rtol 1e-10.
inline Experiment one(const Robot& robot, double q, double v, double end) {
  Experiment e = with(robot, end);
  e.q(0) = q;
  e.v(0) = v;
  e.record.channels = {"q", "v", "a", "energy"};
  return e;
}

/// Where a channel passes a value; the run goes on.
inline Event passes(const std::string& name, const std::string& channel, double value,
                    Event::Direction direction) {
  Event event;
  event.name = name;
  event.channel = channel;
  event.value = value;
  event.direction = direction;
  event.stops = false;
  return event;
}
/// The run ends there.
inline Event stops_at(const std::string& name, const std::string& channel, double value,
                      Event::Direction direction) {
  Event event = passes(name, channel, value, direction);
  event.stops = true;
  return event;
}

/// Complete elliptic integral of the first kind, K(k), by the arithmetic-geometric mean.
inline double elliptic_k(double k) {
  double a = 1, b = std::sqrt(1 - k * k);
  while (std::abs(a - b) > 1e-15 * a) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return pi / (2 * a);
}

/// Jacobi's sn, cn, dn (u, k) by descending Landen transformations.
struct Jacobi {
  double sn, cn, dn;
};
inline Jacobi jacobi(double u, double k) {
  double a[32] = {1}, c[32] = {k}, b = std::sqrt(1 - k * k);
  int n = 0;
  while (std::abs(c[n]) > 1e-16 && n < 30) {
    a[n + 1] = 0.5 * (a[n] + b);
    c[n + 1] = 0.5 * (a[n] - b);
    b = std::sqrt(a[n] * b);
    ++n;
  }
  double phi = std::ldexp(a[n] * u, n);
  for (int i = n; i > 0; --i) phi = 0.5 * (phi + std::asin(c[i] / a[i] * std::sin(phi)));
  const double sn = std::sin(phi), cn = std::cos(phi);
  return {sn, cn, std::sqrt(1 - k * k * sn * sn)};
}

}  // namespace ulna::testing
