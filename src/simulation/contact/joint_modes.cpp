#include "ulna/simulation/joint_modes.hpp"

#include <algorithm>
#include <cmath>

namespace ulna {

JointModes::JointModes(const Model& model, const std::vector<char>& driven,
                       const StopOptions& options)
    : stops(options) {
  std::vector<Speed> all(static_cast<std::size_t>(model.speeds()));
  for (int k = 0; k < model.speeds(); ++k) all[k].v = k;
  for (const DegreeTerms& term : model.degree_terms())
    all[term.v].friction += term.friction * std::abs(term.multiplier);
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
    if (!driven[speed.v] && (speed.friction > 0 || speed.stopped)) speeds_.push_back(speed);
}

namespace {

/// Nearly the slack is taken off: an impact at each return from within it would let the joint creep
/// into its stop, and rounding must not find it past the place where it is.
double past_stop(const JointModes::Speed& s, const Eigen::VectorXd& q) {
  return std::max(0.0, std::max(q(s.q) - s.upper, s.lower - q(s.q)) - 0.99 * JointModes::slack);
}

}  // namespace

void JointModes::note_past(const Eigen::VectorXd& q) {
  for (Speed& s : speeds_)
    if (s.stopped) s.past = past_stop(s, q);
}

void JointModes::accept(const Eigen::VectorXd& q) {
  for (Speed& s : speeds_)
    if (s.stopped) s.past = std::min(s.past, past_stop(s, q));
}

double JointModes::guard(const Speed& s, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
  double least = INFINITY;
  switch (s.mode) {
    case JointMode::free:
      break;
    case JointMode::slips_up:
    case JointMode::slips_down:
      least = s.sense() * v(s.v);
      break;
    case JointMode::sticks:
      return s.friction - std::abs(s.reaction);
    // A stop pushes only inwards; friction may help it to hold.
    case JointMode::at_lower:
      return s.reaction + s.friction;
    case JointMode::at_upper:
      return -s.reaction + s.friction;
  }
  if (s.stopped) least = std::min({least, s.upper + s.past - q(s.q), q(s.q) - s.lower + s.past});
  return least;
}

}  // namespace ulna
