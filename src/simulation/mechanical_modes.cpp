// The part of MechanicalSystem that deals with joints that stick or rest against a stop.

#include <algorithm>
#include <cmath>

#include "contact_system.hpp"
#include "ulna/simulation/mechanical_system.hpp"

namespace ulna {
namespace {

double sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }

/// Guards are passed when they are below zero by more than rounding in what they compare.
constexpr double slack = 1e-11;

/// With which a joint breaks loose: too slow to show, and enough for a controller that compensates
/// friction to see which way it goes. At rest to rounding it might see the opposite, push it back
/// and so begin again for ever.
constexpr double start_speed = 2 * slack;

}  // namespace

/// Eq. 14, 15: the dynamics knows friction by the sign of the speed; the difference to that of the
/// mode is added to the efforts. What holds a joint is found by the mixed problem.
void MechanicalSystem::prepare_mode_efforts() {
  applied_efforts_ = tau;
  for (const JointModes::Speed& s : modes_.speeds()) {
    if (s.held()) a(s.v) = 0;
    if (s.sense() != 0) tau(s.v) += s.friction * (sign(v(s.v)) - s.sense());
  }
}

void MechanicalSystem::solve_with_modes() {
  prepare_mode_efforts();
  determined_ = contacts_ ? solve_with_contacts() : solve(wrenches_);
  for (JointModes::Speed& s : modes_.speeds()) {
    if (s.held()) s.reaction = tau(s.v) - applied_efforts_(s.v);
    tau(s.v) = applied_efforts_(s.v);
  }
}

void MechanicalSystem::hold_as_modes_say() {
  held_ = driven_;
  for (const JointModes::Speed& s : modes_.speeds())
    if (s.held()) held_[s.v] = 1;
  response_->hold(held_);
  if (!loops_) dynamics_.set_driven(held_);
}

double MechanicalSystem::guard(double time, const double* y) {
  evaluate(time, y);
  double least = contacts_ ? contacts_->guard() : 1;
  for (const JointModes::Speed& s : modes_.speeds()) {
    const double scale = s.held() ? std::max(s.friction, std::abs(applied_efforts_(s.v))) : 1;
    least = std::min(least, modes_.guard(s, q, v) + slack * std::max(scale, 1e-6));
  }
  return least;
}

void MechanicalSystem::choose_modes(double time, double* y) {
  evaluate(time, y);
  meet(y);
  // A dead point of a loop: one joint turns back while the others go on. No friction holds it
  // there, and to hold it would not determine the motion; it slips on if it does so against the
  // friction of its new sense.
  const auto turns_back = [&](JointModes::Speed& s) {
    if (!loops_ || a(s.v) == 0) return false;
    double fastest = 0;
    for (const int k : free_v_)
      if (k != s.v) fastest = std::max(fastest, std::abs(v(k)));
    if (fastest < 1e-6) return false;
    const JointMode before = s.mode;
    const double towards = sign(a(s.v));
    s.mode = towards > 0 ? JointMode::slips_up : JointMode::slips_down;
    evaluate(time, y);
    if (determined_ && towards * a(s.v) > 0) return true;
    s.mode = before;
    evaluate(time, y);
    return false;
  };
  for (JointModes::Speed& s : modes_.speeds()) {
    double& speed = y[first_v_ + place_[s.v]];
    if (s.stopped && !s.held() && speed == 0) {
      const bool above = q(s.q) >= s.upper - slack, below = q(s.q) <= s.lower + slack;
      if (above || below) s.mode = above ? JointMode::at_upper : JointMode::at_lower;
    }
    if (s.held()) continue;
    // At rest, within the precision to which that instant is known.
    const bool rests =
        s.sense() * speed <= slack && std::abs(speed) <= 1e-9 + 1e-9 * std::abs(a(s.v));
    if (s.friction > 0 && rests) {
      speed = 0;
      if (!turns_back(s)) s.mode = JointMode::sticks;
    } else if (s.friction > 0) {
      s.mode = speed > 0 ? JointMode::slips_up : JointMode::slips_down;
    } else {
      s.mode = JointMode::free;
    }
  }
  settle(time, y);
  if (!contacts_) return;
  expand(time, y);
  if (project_on_contacts()) put_back(y);
  for (ContactSystem::Touch& c : contacts_->touches()) c.from_rest = false;
  contacts_->update(q, v, true);
  contacts_->accept();
}

/// Eq. 17: of the joints held, that one breaks loose whose hold is exceeded most; then again. A
/// joint that broke loose but is driven back is held after all.
void MechanicalSystem::settle(double time, double* y) {
  const int most = 4 * static_cast<int>(modes_.speeds().size()) + 4;
  for (int round = 0; round < most; ++round) {
    hold_as_modes_say();
    if (contacts_) choose_contact_modes(time, y);
    evaluate(time, y);
    JointModes::Speed* worst = nullptr;
    double excess = 0;
    for (JointModes::Speed& s : modes_.speeds()) {
      if (!s.held()) continue;
      const double scale = std::max({s.friction, std::abs(applied_efforts_(s.v)), 1e-6});
      const double beyond = -modes_.guard(s, q, v) / scale;
      if (beyond > std::max(excess, slack)) excess = beyond, worst = &s;
    }
    if (!worst) return;
    // It moves where the effort that held it no longer keeps it from going.
    const double sense = -sign(worst->reaction);
    worst->mode = worst->friction > 0 ? (sense > 0 ? JointMode::slips_up : JointMode::slips_down)
                                      : JointMode::free;
    if (worst->friction > 0) y[first_v_ + place_[worst->v]] = sense * start_speed;
  }
}

}  // namespace ulna
