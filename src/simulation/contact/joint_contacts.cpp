#include "contact/joint_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/scalar/parts/scalar.hpp"

namespace ulna {

JointContacts::JointContacts(const Model& model, const std::vector<char>& driven,
                             const StopOptions& options, const std::vector<JointFriction>& friction)
    : stops(options), applied_(Eigen::VectorXd::Zero(model.speeds())) {
  std::vector<Speed> all(static_cast<std::size_t>(model.speeds()));
  for (int k = 0; k < model.speeds(); ++k) all[k].v = k;
  for (const DegreeTerms& term : model.degree_terms())
    all[term.v].friction += term.friction * std::abs(term.multiplier);
  for (Speed& speed : all) speed.at_rest = speed.friction;
  for (const JointFriction& f : friction) {
    Speed& speed = all[static_cast<std::size_t>(f.v)];
    speed.at_rest = std::max(f.at_rest, speed.friction);
    speed.stribeck = f.stribeck_speed;
  }
  if (stops.enabled)
    for (const DegreeOfFreedom& degree : model.degrees()) {
      if (degree.joint < 0 || degree.q < 0) continue;
      Speed& speed = all[degree.v];
      speed.q = degree.q;
      speed.lower = model.lower()(speed.q);
      speed.upper = model.upper()(speed.q);
      speed.stopped = std::isfinite(speed.lower) || std::isfinite(speed.upper);
    }
  for (const Speed& speed : all)
    if (!driven[speed.v] && (speed.rubs() || speed.stopped)) speeds_.push_back(speed);
}

std::vector<JointContacts::Speed*> JointContacts::held() {
  std::vector<Speed*> list;
  for (Speed& s : speeds_)
    if (s.held()) list.push_back(&s);
  return list;
}

void JointContacts::prepare(const Eigen::VectorXd& v, Eigen::VectorXd& a, Eigen::VectorXd& tau) {
  applied_ = tau;
  for (const Speed& s : speeds_)
    if (s.held()) a(s.v) = 0;
  rub(v, tau);
}

void JointContacts::rub(const Eigen::VectorXd& v, Eigen::VectorXd& tau) const {
  tau = applied_;
  for (const Speed& s : speeds_)
    if (!s.held() && s.rubs())
      tau(s.v) += s.friction * sign(v(s.v)) - s.sliding(v(s.v)) * s.sense();
}

void JointContacts::take_reactions(Eigen::VectorXd& tau) {
  for (Speed& s : speeds_) {
    if (s.held()) s.reaction = tau(s.v) - applied_(s.v);
    tau(s.v) = applied_(s.v);
  }
}

void JointContacts::act(const Eigen::VectorXd& v, Eigen::VectorXd& tau) const {
  rub(v, tau);
  for (const Speed& s : speeds_)
    if (s.held()) tau(s.v) += s.reaction;
}

double JointContacts::excess_dissipation(const Eigen::VectorXd& v) const {
  double power = 0;
  for (const Speed& s : speeds_)
    if (s.sense() != 0)
      power += s.sliding(v(s.v)) * s.sense() * v(s.v) - s.friction * std::abs(v(s.v));
  return power;
}

namespace {

/// Nearly the slack is taken off: an impact at each return from within it would let the joint creep
/// into its stop, and rounding must not find it past the place where it is.
double past_stop(const JointContacts::Speed& s, const Eigen::VectorXd& q) {
  return std::max(0.0, s.beyond_stop(q) - 0.99 * JointContacts::slack);
}

}  // namespace

void JointContacts::note_past(const Eigen::VectorXd& q) {
  for (Speed& s : speeds_)
    if (s.stopped) s.past = past_stop(s, q);
}

void JointContacts::accept(const Eigen::VectorXd& q) {
  for (Speed& s : speeds_)
    if (s.stopped) s.past = std::min(s.past, past_stop(s, q));
}

double JointContacts::Speed::sliding(double speed) const {
  if (!(at_rest > friction) || !(stribeck > 0)) return friction;
  const double x = speed / stribeck;
  return friction + (at_rest - friction) * std::exp(-x * x);
}

double JointContacts::Speed::beyond_stop(const Eigen::VectorXd& q_at) const {
  return std::max(q_at(q) - upper, lower - q_at(q));
}

double JointContacts::Speed::guard(const Eigen::VectorXd& q_at, const Eigen::VectorXd& v_at) const {
  double least = INFINITY;
  switch (state) {
    case JointContactState::free:
      break;
    case JointContactState::slips_up:
    case JointContactState::slips_down:
      least = sense() * v_at(v);
      break;
    case JointContactState::sticks:
      return at_rest - std::abs(reaction);
    // A stop pushes only inwards; friction may help it to hold.
    case JointContactState::at_lower:
      return reaction + at_rest;
    case JointContactState::at_upper:
      return -reaction + at_rest;
  }
  if (stopped) least = std::min({least, upper + past - q_at(q), q_at(q) - lower + past});
  return least;
}

}  // namespace ulna
