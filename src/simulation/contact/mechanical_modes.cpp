// The part of MechanicalSystem that deals with joints that stick or rest against a stop.

#include <algorithm>
#include <cmath>

#include "contact/contact_system.hpp"
#include "ulna/scalar/scalar.hpp"
#include "ulna/simulation/internal/mechanical_system.hpp"
#include "ulna/simulation/internal/rest_problem.hpp"

namespace ulna {
namespace {

constexpr double mode_slack = JointModes::slack;

/// With which a joint breaks loose: too slow to show, and enough for a controller that compensates
/// friction to see which way it goes. At rest to rounding it might see the opposite, push it back
/// and so begin again for ever.
constexpr double start_speed = 2 * mode_slack;

}  // namespace

/// Eq. 14, 15: the dynamics knows friction by the sign of the speed; the difference to that of the
/// mode is added to the efforts. What holds a joint is found by the mixed problem.
void MechanicalSystem::prepare_mode_efforts() {
  applied_efforts_ = tau;
  for (const JointModes::Speed& s : modes_.speeds())
    if (s.held()) a(s.v) = 0;
  add_mode_friction();
}

void MechanicalSystem::add_mode_friction() {
  for (const JointModes::Speed& s : modes_.speeds())
    if (!s.held() && s.friction > 0) tau(s.v) += s.friction * (sign(v(s.v)) - s.sense());
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
  held_ = layout_.driven;
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
    least = std::min(least, modes_.guard(s, q, v) + mode_slack * std::max(scale, 1e-6));
  }
  return least;
}

void MechanicalSystem::choose_modes(double time, double* y) {
  evaluate(time, y);
  modes_.note_past(q);
  meet(y);
  for (JointModes::Speed& s : modes_.speeds()) {
    double& speed = y[layout_.first_v + layout_.place[s.v]];
    if (s.stopped && !s.held() && speed == 0) {
      const bool above = q(s.q) >= s.upper - mode_slack, below = q(s.q) <= s.lower + mode_slack;
      if (above || below) s.mode = above ? JointMode::at_upper : JointMode::at_lower;
    }
    if (s.held()) continue;
    // At rest, within the precision to which that instant is known.
    const bool rests =
        s.sense() * speed <= mode_slack && std::abs(speed) <= 1e-9 + 1e-9 * std::abs(a(s.v));
    if (s.friction > 0 && rests) {
      speed = 0;
      s.mode = JointMode::sticks;
    } else if (s.friction > 0) {
      s.mode = speed > 0 ? JointMode::slips_up : JointMode::slips_down;
    } else {
      s.mode = JointMode::free;
    }
  }
  settle(time, y);
  if (!contacts_) return;
  expand(time, y);
  if (project_on_contacts()) layout_.put(q, v, y);
  for (ContactSystem::Touch& c : contacts_->touches()) c.from_rest = false;
  contacts_->update(q, v, true);
  contacts_->accept();
}

/// In a loop others would have to follow: there it starts from rest.
void MechanicalSystem::break_loose(const JointModes::Speed& s, double sense, double* y) const {
  if (!loops_) y[layout_.first_v + layout_.place[s.v]] = sense * start_speed;
}

/// Eq. 17: which of the joints at rest hold, and where the others go.
void MechanicalSystem::share_rest(double time, double* y) {
  std::vector<JointModes::Speed*> resting;
  for (JointModes::Speed& s : modes_.speeds())
    if (s.held()) resting.push_back(&s);
  // In a tree one joint alone holds or not; in a loop it may be where it cannot hold anything.
  if (resting.size() < (loops_ ? 1 : 2)) return;
  const auto n = static_cast<Eigen::Index>(resting.size());
  RestProblem problem{Eigen::MatrixXd(n, n), Eigen::VectorXd(n), Eigen::VectorXd(n),
                      Eigen::VectorXd(n), Eigen::VectorXd(n)};
  std::vector<JointMode> before;
  for (Eigen::Index i = 0; i < n; ++i) {
    JointModes::Speed& s = *resting[i];
    before.push_back(s.mode);
    problem.lower(i) = s.mode == JointMode::at_upper ? -INFINITY : -s.friction;
    problem.upper(i) = s.mode == JointMode::at_lower ? INFINITY : s.friction;
    s.mode = JointMode::free;
  }
  hold_as_modes_say();
  evaluate(time, y);
  bool known = determined_ && response_->update(work, q);
  for (Eigen::Index i = 0; i < n; ++i) problem.a0(i) = a(resting[i]->v);
  for (Eigen::Index i = 0; known && i < n; ++i) {
    known = response_->respond(Eigen::VectorXd::Unit(model_->speeds(), resting[i]->v), moving_);
    for (Eigen::Index k = 0; k < n; ++k) problem.D(k, i) = moving_(resting[k]->v);
    response_->mass_times(work, Eigen::VectorXd::Unit(model_->speeds(), resting[i]->v), moving_);
    problem.inertia(i) = moving_(resting[i]->v);
  }
  for (Eigen::Index i = 0; i < n; ++i) resting[i]->mode = before[i];
  if (!known || !problem.D.allFinite() || !problem.a0.allFinite()) return;
  problem.D = 0.5 * (problem.D + problem.D.transpose()).eval();
  const RestProblem::Answer answer = problem.solve();
  const double fast = 1e-9 * problem.a0.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < n; ++i) {
    JointModes::Speed& s = *resting[i];
    if (answer.holds[i]) continue;
    const double sense = answer.r(i) != 0 ? -sign(answer.r(i)) : sign(answer.a(i));
    s.mode = s.friction == 0 ? JointMode::free
             : sense >= 0    ? JointMode::slips_up
                             : JointMode::slips_down;
    if (s.friction > 0 && sense * answer.a(i) > fast) break_loose(s, sense, y);
  }
}

/// What is left to rounding: of the joints held, that one breaks loose whose hold is exceeded most;
/// then again. With contacts, this is how all is found.
void MechanicalSystem::settle(double time, double* y) {
  if (!contacts_) share_rest(time, y);
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
      if (beyond > std::max(excess, mode_slack)) excess = beyond, worst = &s;
    }
    if (!worst) return;
    // It moves where the effort that held it no longer keeps it from going.
    const double sense = -sign(worst->reaction);
    worst->mode = worst->friction > 0 ? (sense > 0 ? JointMode::slips_up : JointMode::slips_down)
                                      : JointMode::free;
    if (worst->friction > 0) break_loose(*worst, sense, y);
  }
}

}  // namespace ulna
