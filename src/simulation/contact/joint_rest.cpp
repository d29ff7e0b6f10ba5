// Which contact states joints and contacts have: what rests, what breaks loose.
// docs/theory/simulation.md, eq. 16-18.

#include <algorithm>
#include <cmath>

#include "contact/contact_system.hpp"
#include "contact/contacts.hpp"
#include "ulna/scalar/scalar.hpp"
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

double Contacts::guard() const {
  double least = touching_ ? touching_->guard() : 1;
  for (const JointContacts::Speed& s : joints_.speeds()) {
    const double scale = s.held() ? std::max(s.friction, std::abs(joints_.applied_effort(s))) : 1;
    least = std::min(least, s.guard(s_.q, s_.v) + rest_slack * std::max(scale, 1e-6));
  }
  return least;
}

void Contacts::choose_states(double time, double* y) {
  joints_.note_past(s_.q);
  meet(y);
  for (JointContacts::Speed& s : joints_.speeds()) {
    double& speed = y[s_.layout.first_v + s_.layout.place[s.v]];
    if (s.stopped && !s.held() && speed == 0) {
      const bool above = s_.q(s.q) >= s.upper - rest_slack,
                 below = s_.q(s.q) <= s.lower + rest_slack;
      if (above || below)
        s.state = above ? JointContactState::at_upper : JointContactState::at_lower;
    }
    if (s.held()) continue;
    // At rest, within the precision to which that instant is known.
    const bool rests =
        s.sense() * speed <= rest_slack && std::abs(speed) <= 1e-9 + 1e-9 * std::abs(s_.a(s.v));
    if (s.friction > 0 && rests) {
      speed = 0;
      s.state = JointContactState::sticks;
    } else {
      s.slip(speed);
    }
  }
  settle(time, y);
  if (!touching_) return;
  s_.expand(time, y);
  if (project()) s_.layout.put(s_.q, s_.v, y);
  for (ContactSystem::Touch& c : touching_->touches()) c.from_rest = false;
  look();
  touching_->accept();
}

/// In a loop others would have to follow: there it starts from rest.
void Contacts::break_loose(const JointContacts::Speed& s, double sense, double* y) const {
  if (!constraints_.has_loops()) y[s_.layout.first_v + s_.layout.place[s.v]] = sense * start_speed;
}

/// Eq. 17: which of the joints at rest hold, and where the others go.
void Contacts::share_rest(double time, double* y) {
  const std::vector<JointContacts::Speed*> resting = joints_.held();
  // In a tree one joint alone holds or not; in a loop it may be where it cannot hold anything.
  if (resting.size() < (constraints_.has_loops() ? 1 : 2)) return;
  const auto n = static_cast<Eigen::Index>(resting.size());
  RestProblem problem{Eigen::MatrixXd(n, n), Eigen::VectorXd(n), Eigen::VectorXd(n),
                      Eigen::VectorXd(n), Eigen::VectorXd(n)};
  std::vector<JointContactState> before;
  for (Eigen::Index i = 0; i < n; ++i) {
    JointContacts::Speed& s = *resting[i];
    before.push_back(s.state);
    problem.lower(i) = s.state == JointContactState::at_upper ? -INFINITY : -s.friction;
    problem.upper(i) = s.state == JointContactState::at_lower ? INFINITY : s.friction;
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
    if (s.friction > 0 && sense * answer.a(i) > fast) break_loose(s, sense, y);
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
      const double scale = std::max({s->friction, std::abs(joints_.applied_effort(*s)), 1e-6});
      const double beyond = -s->guard(s_.q, s_.v) / scale;
      if (beyond > std::max(excess, rest_slack)) excess = beyond, worst = s;
    }
    if (!worst) return;
    // It moves where the effort that held it no longer keeps it from going.
    const double sense = -sign(worst->reaction);
    worst->slip(sense);
    if (worst->friction > 0) break_loose(*worst, sense, y);
  }
}

}  // namespace ulna
