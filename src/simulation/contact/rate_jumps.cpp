// Jumps of prescribed rates, which the drives answer by impulses. docs/theory/simulation.md, eq.
// 19a.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact/contacts.hpp"

namespace ulna {

bool Contacts::pass_jump(double time, double next, double* y) {
  if (s_.layout.driven_v.empty() || !s_.controls.always_follows()) {
    s_.controls.set_segment(time, next);
    return false;
  }
  s_.controls.end_segment(time);
  s_.expand(time, y);
  const Eigen::VectorXd before = s_.v;
  s_.controls.set_segment(time, next);
  s_.expand(time, y);
  // Free speeds are the same on both sides: what differs is prescribed.
  const Eigen::VectorXd given = s_.v - before;
  constexpr double rounding = 1e-9;  // of rates, rad/s or m/s: a motion ends at rest to less
  const double size = std::max(before.cwiseAbs().maxCoeff(), s_.v.cwiseAbs().maxCoeff());
  if (given.cwiseAbs().maxCoeff() <= rounding * (1 + size)) return false;
  for (const JointContacts::Speed& s : joints_.speeds())
    if (s.rests_against_stop())
      throw ComputationError(
          fmt::format("a prescribed rate jumps at t = {:.9g} s while '{}' rests against its stop",
                      time, s_.model().speed_names()[s.v]));
  s_.v = before;
  answer_jump(time, given);
  SpeedResponse& response = constraints_.response();
  response.mass_times(s_.work, before, moving_);
  double kinetic = -before.dot(moving_) / 2;
  response.mass_times(s_.work, s_.v, moving_);
  kinetic += s_.v.dot(moving_) / 2;
  s_.layout.put(s_.q, s_.v, y);
  y[s_.layout.first_work] += kinetic;  // only the drives do work in it
  release_joints(y);
  return true;
}

/// v_F changes by -M_FF^-1 M_FD dv_D, and with loops by what closes them besides. Friction is
/// finite and takes no part.
void Contacts::answer_jump(double time, const Eigen::VectorXd& given) {
  SpeedResponse& response = constraints_.response();
  response.hold(s_.layout.driven);
  if (!response.lead(s_.work, s_.q, given, s_.v) || !s_.v.allFinite())
    throw ComputationError(fmt::format(
        "a prescribed rate jumps at t = {:.9g} s, and no speeds of the other joints fit it", time));
  hold_resting();
}

/// A joint that stuck and has a speed now slips.
void Contacts::release_joints(const double* y) {
  for (JointContacts::Speed& s : joints_.speeds()) {
    const double speed = y[s_.layout.first_v + s_.layout.place[s.v]];
    if (s.state == JointContactState::sticks && speed != 0) s.slip(speed);
  }
  hold_resting();
}

}  // namespace ulna
