// Which contact states joints and contacts have: what rests, what breaks loose.
// docs/theory/simulation.md, eq. 16-18.

#include <algorithm>
#include <cmath>
#include <utility>

#include "actuators/actuator_bank.hpp"
#include "contact/contact_system.hpp"
#include "contact/contacts.hpp"
#include "ulna/scalar/parts/scalar.hpp"
#include "ulna/simulation/internal/rest_problem.hpp"

namespace ulna {
namespace {

constexpr double rest_slack = JointContacts::slack;

/// With which a joint breaks loose: too slow to show, and enough for a controller that compensates
/// friction to see which way it goes. At rest to rounding it might see the opposite, push it back
/// and so begin again for ever.
constexpr double start_speed = 2 * rest_slack;

}  // namespace

void Contacts::hold_resting() {
  held_ = s_.layout.driven;
  for (const JointContacts::Speed& s : joints_.speeds())
    if (s.held()) held_[s.v] = 1;
  constraints_.hold(held_);
}

double Contacts::guard() {
  double least = std::min({kinks_.guard(s_.q, s_.v), s_.controls.actuators().flanks().guard(),
                           touching_ ? touching_->guard() : 1.0});
  for (const JointContacts::Speed& s : joints_.speeds()) {
    const double scale = s.held() ? std::max(s.at_rest, std::abs(joints_.applied_effort(s))) : 1;
    least = std::min(least, s.guard(s_.q, s_.v) + rest_slack * std::max(scale, 1e-6));
  }
  return least;
}

/// A joint that has hit its stop is past it by what the search for that instant left: it is moved
/// back, with the speed that it had there. Else it would gain what it fell through each time, and
/// bounces that should become ever smaller would not end (eq. 18).
void Contacts::return_to_stops(double* y) {
  SpeedResponse& response = constraints_.response();
  bool moved = false;
  for (JointContacts::Speed& s : joints_.speeds()) {
    const double past = s.stopped && !s.held() ? s.beyond_stop(s_.q) : 0;
    if (!(past > 0) || past > 1e-6) continue;  // more is no search's doing
    const double outwards = s_.q(s.q) > s.upper ? 1 : -1;
    if (!std::exchange(moved, true)) {
      response.hold(held_);
      response.update(s_.work, s_.q);
    }
    if (!response.respond(Eigen::VectorXd::Unit(s_.model().speeds(), s.v), moving_)) continue;
    const double answer = moving_(s.v);
    if (!(answer > 0)) continue;
    const double speed = outwards * s_.v(s.v), gain = 2 * outwards * s_.a(s.v) * past;
    if (speed > 0 && gain > 0)
      s_.v +=
          moving_ * (outwards * (std::sqrt(std::max(0.0, speed * speed - gain)) - speed) / answer);
    moving_ *= -outwards * past / answer;
    s_.model().move_along(s_.q, moving_);
  }
  if (!moved) return;
  constraints_.close();
  s_.layout.put(s_.q, s_.v, y);
}

/// A contact whose friction jams while it slides stops in an impact without collision (eq. 98), and
/// then the states are chosen again.
void Contacts::choose_states(double time, double* y) {
  constexpr int most_jams = 3;
  passed_kink_ = false;
  std::vector<JointContactState> joints_before;
  std::vector<ContactState> touches_before;
  for (const JointContacts::Speed& s : joints_.speeds()) joints_before.push_back(s.state);
  if (touching_)
    for (const ContactSystem::Touch& c : touching_->touches()) touches_before.push_back(c.state);
  for (int jams = 0;; ++jams) {
    try {
      choose_states_once(time, y);
      return count_changes(joints_before, touches_before);
    } catch (const FrictionJam&) {
      if (jams == most_jams) throw;
      s_.expand(time, y);
      look();
      if (!jolt(y)) throw;
    }
  }
}

void Contacts::count_changes(const std::vector<JointContactState>& joints,
                             const std::vector<ContactState>& touches) {
  for (std::size_t k = 0; k < joints.size(); ++k)
    joints_.speeds()[k].changes += joints_.speeds()[k].state != joints[k];
  for (std::size_t k = 0; k < touches.size(); ++k)
    touching_->touches()[k].changes += touching_->touches()[k].state != touches[k];
}

bool Contacts::leave_jam(double time, double* y) {
  if (!touching_ || !touching_->jams()) return false;
  s_.expand(time, y);
  look();
  if (!jolt(y)) return false;
  evaluate(time, y);
  choose_states(time, y);
  return true;
}

void Contacts::choose_states_once(double time, double* y) {
  if (touching_) touching_->arrange_discs(s_.q, s_.v);
  return_to_stops(y);
  passed_kink_ |= kinks_.choose(s_.q, s_.v);
  passed_kink_ |= s_.controls.actuators().flanks().choose();
  rest_strokes(time, y);
  joints_.note_past(s_.q);
  meet(y);
  bool came_to_rest = false;
  for (JointContacts::Speed& s : joints_.speeds()) {
    double& speed = y[s_.layout.first_v + s_.layout.place[s.v]];
    // In a loop a speed that an impact ended is zero to rounding only.
    if (s.stopped && !s.held() && std::abs(speed) <= 1e-13) {
      const bool above = s_.q(s.q) >= s.upper - rest_slack,
                 below = s_.q(s.q) <= s.lower + rest_slack;
      if (above || below) {
        s.state = above ? JointContactState::at_upper : JointContactState::at_lower;
        speed = 0;
      }
    }
    if (s.held()) continue;
    // At rest, within the precision to which that instant is known.
    const bool rests =
        s.sense() * speed <= rest_slack && std::abs(speed) <= 1e-9 + 1e-9 * std::abs(s_.a(s.v));
    if (s.rubs() && rests) {
      speed = 0;
      came_to_rest = true;
      s.state = JointContactState::sticks;
    } else {
      s.slip(speed);
    }
  }
  if (came_to_rest) rest_in_loops(time, y);
  settle(time, y);
  if (!touching_) return;
  s_.expand(time, y);
  if (project()) s_.layout.put(s_.q, s_.v, y);
  for (ContactSystem::Touch& c : touching_->touches()) c.from_rest = false;
  look();
  touching_->accept();
}

/// A joint that comes to rest loses what the search for that instant left of its speed, and the
/// others in its loop with it: a state that is off the loops by more than a step may err would be
/// mended by every step, and each be refused.
void Contacts::rest_in_loops(double time, double* y) {
  if (!constraints_.closes()) return;
  hold_resting();
  s_.expand(time, y);
  if (constraints_.close()) s_.layout.put(s_.q, s_.v, y);
  s_.trouble.clear();
}

/// In a loop others would have to follow: there it starts from rest.
void Contacts::break_loose(const JointContacts::Speed& s, double sense, double* y) const {
  if (constraints_.moves_alone(s.v))
    y[s_.layout.first_v + s_.layout.place[s.v]] = sense * start_speed;
}

/// Eq. 17: which of the joints at rest hold, and where the others go.
void Contacts::share_rest(double time, double* y) {
  const std::vector<JointContacts::Speed*> resting = joints_.held();
  // A joint that moves alone holds or not; in a loop it may be where it cannot hold anything.
  if (resting.empty()) return;
  if (resting.size() == 1 && constraints_.moves_alone(resting[0]->v)) return;
  const auto n = static_cast<Eigen::Index>(resting.size());
  RestProblem problem{Eigen::MatrixXd(n, n), Eigen::VectorXd(n), Eigen::VectorXd(n),
                      Eigen::VectorXd(n), Eigen::VectorXd(n)};
  std::vector<JointContactState> before;
  for (Eigen::Index i = 0; i < n; ++i) {
    JointContacts::Speed& s = *resting[i];
    before.push_back(s.state);
    problem.lower(i) = s.state == JointContactState::at_upper ? -INFINITY : -s.at_rest;
    problem.upper(i) = s.state == JointContactState::at_lower ? INFINITY : s.at_rest;
    s.state = JointContactState::free;
  }
  hold_resting();
  evaluate(time, y);
  SpeedResponse& response = constraints_.response();
  bool known = s_.determined && response.update(s_.work, s_.q);
  for (Eigen::Index i = 0; i < n; ++i) problem.a0(i) = s_.a(resting[i]->v);
  for (Eigen::Index i = 0; known && i < n; ++i) {
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(s_.model().speeds(), resting[i]->v);
    known = response.respond(unit, moving_);
    for (Eigen::Index k = 0; k < n; ++k) problem.D(k, i) = moving_(resting[k]->v);
    response.mass_times(s_.work, unit, moving_);
    problem.inertia(i) = moving_(resting[i]->v);
  }
  for (Eigen::Index i = 0; i < n; ++i) resting[i]->state = before[i];
  if (!known || !problem.D.allFinite() || !problem.a0.allFinite()) return;
  problem.D = 0.5 * (problem.D + problem.D.transpose()).eval();
  const RestProblem::Answer answer = problem.solve();
  const double fast = 1e-9 * problem.a0.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < n; ++i) {
    JointContacts::Speed& s = *resting[i];
    if (answer.holds[i]) continue;
    const double sense = answer.r(i) != 0 ? -sign(answer.r(i)) : sign(answer.a(i));
    s.slip(sense);
    if (s.rubs() && sense * answer.a(i) > fast) break_loose(s, sense, y);
  }
}

/// What is left to rounding: of the joints held, that one breaks loose whose hold is exceeded most;
/// then again. With contacts, this is how all is found.
void Contacts::settle(double time, double* y) {
  if (!touching_) share_rest(time, y);
  const int most = 4 * static_cast<int>(joints_.speeds().size()) + 4;
  for (int round = 0; round < most; ++round) {
    hold_resting();
    if (touching_) choose_touching_states(time, y);
    evaluate(time, y);
    JointContacts::Speed* worst = nullptr;
    double excess = 0;
    for (JointContacts::Speed* s : joints_.held()) {
      const double scale = std::max({s->at_rest, std::abs(joints_.applied_effort(*s)), 1e-6});
      const double beyond = -s->guard(s_.q, s_.v) / scale;
      if (beyond > std::max(excess, rest_slack)) excess = beyond, worst = s;
    }
    if (!worst) return;
    // It moves where the effort that held it no longer keeps it from going.
    const double sense = -sign(worst->reaction);
    worst->slip(sense);
    if (worst->rubs()) break_loose(*worst, sense, y);
  }
}

}  // namespace ulna
