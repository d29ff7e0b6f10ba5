// The part of MechanicalSystem that passes jumps of prescribed rates. docs/theory/simulation.md,
// eq. 19a.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact/speed_response.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/simulation/internal/mechanical_system.hpp"

namespace ulna {

bool MechanicalSystem::pass_jump(double time, double next, double* y) {
  if (layout_.driven_v.empty() || !controls_.always_follows()) {
    controls_.set_segment(time, next);
    return false;
  }
  controls_.end_segment(time);
  expand(time, y);
  const Eigen::VectorXd before = v;
  controls_.set_segment(time, next);
  expand(time, y);
  // Free speeds are the same on both sides: what differs is prescribed.
  const Eigen::VectorXd given = v - before;
  constexpr double rounding = 1e-9;  // of rates, rad/s or m/s: a motion ends at rest to less
  const double size = std::max(before.cwiseAbs().maxCoeff(), v.cwiseAbs().maxCoeff());
  if (given.cwiseAbs().maxCoeff() <= rounding * (1 + size)) return false;
  for (const JointModes::Speed& s : modes_.speeds())
    if (s.mode == JointMode::at_lower || s.mode == JointMode::at_upper)
      throw ComputationError(
          fmt::format("a prescribed rate jumps at t = {:.9g} s while '{}' rests against its stop",
                      time, model_->speed_names()[s.v]));
  answer_impulse(time, given);
  response_->mass_times(work, before, scratch_);
  double kinetic = -before.dot(scratch_) / 2;
  response_->mass_times(work, v, scratch_);
  kinetic += v.dot(scratch_) / 2;
  layout_.put(q, v, y);
  y[layout_.first_work] += kinetic;  // only the drives do work in it
  release_joints(y);
  return true;
}

/// Eq. 19a: v_F changes by -M_FF^-1 M_FD dv_D, and with loops by what closes them besides. Friction
/// is finite and takes no part.
void MechanicalSystem::answer_impulse(double time, const Eigen::VectorXd& given) {
  response_->hold(layout_.driven);
  Eigen::VectorXd change;
  if (layout_.free_v.empty() && !loops_)
    mass_matrix(*model_, work, q);  // not asked for by the response
  bool solved = response_->update(work, q);
  if (solved) {
    response_->mass_times(work, given, scratch_);
    solved = response_->respond(-scratch_, change);
  }
  if (solved) v += change;
  if (solved && loops_) {
    solved = loops_->close_speeds(work, q, v) &&
             loops_->closure().times(v).norm() <= 1e-9 * (1 + v.norm());
    loops_->update_response(work, q);
  }
  if (!solved || !v.allFinite())
    throw ComputationError(fmt::format(
        "a prescribed rate jumps at t = {:.9g} s, and no speeds of the other joints fit it", time));
  hold_as_modes_say();
}

/// A joint that stuck and has a speed now slips.
void MechanicalSystem::release_joints(const double* y) {
  for (JointModes::Speed& s : modes_.speeds()) {
    const double speed = y[layout_.first_v + layout_.place[s.v]];
    if (s.mode == JointMode::sticks && speed != 0)
      s.mode = speed > 0 ? JointMode::slips_up : JointMode::slips_down;
  }
  hold_as_modes_say();
}

}  // namespace ulna
