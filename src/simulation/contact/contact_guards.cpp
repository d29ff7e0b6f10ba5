// When the contact states of a ContactSystem end. docs/theory/simulation.md, eq. 59, 60.

#include <algorithm>
#include <cmath>

#include "contact/contact_system.hpp"

namespace ulna {
namespace {

/// Guards are passed when they are below zero by more than rounding in what they compare.
constexpr double slip_slack = 1e-11, force_slack = 2e-9;

}  // namespace

double ContactSystem::gap_slack() const { return 1e-12 * (1 + model_.length_scale()); }

/// Nearly the slack is added: a body that rocks from edge to edge by less than the slack would fall
/// through it each time, gain speed and sink.
double ContactSystem::opened_at(double gap) const {
  return std::min(0.0, gap + 0.99 * gap_slack());
}

double ContactSystem::guard() const {
  double least = 1;
  for (const Touch& t : touches_) {
    if (t.flat) least = std::min(least, 2 * nearly_flat - t.at.tilt);
    if (!t.enabled) continue;
    if (t.closed() && t.shape.disc()) least = std::min(least, t.at.tilt - nearly_flat);
    switch (t.state) {
      case ContactState::open:
        least = std::min(least, t.at.gap - t.reference + gap_slack());
        break;
      case ContactState::sticks:
        least = std::min(
            {least, t.force(0) / force_size_ + force_slack,
             (t.data.coefficient_at_rest() * t.force(0) - t.force.tail<2>().norm()) / force_size_ +
                 force_slack});
        break;
      case ContactState::slips:
        least = std::min(least, t.force(0) / force_size_ + force_slack);
        if (t.data.friction > 0)
          least = std::min(least, t.speed.tail<2>().dot(t.direction) + slip_slack);
        break;
    }
  }
  return least;
}

void ContactSystem::accept() {
  for (Touch& t : touches_) {
    if (!t.enabled) continue;
    if (!t.closed()) t.reference = std::max(t.reference, opened_at(t.at.gap));
    if (t.state == ContactState::slips && (t.turned || t.slip_speed() > 100 * slow_slip))
      t.direction = t.now;
    t.last_gap = t.at.gap;
    t.last_rate = t.speed(0);
  }
}

double ContactSystem::dip(double h) const {
  double first = 0;
  for (const Touch& t : touches_) {
    // It fell at the beginning and rises at the end.
    if (!t.enabled || t.closed() || !(t.last_rate < 0) || !(t.speed(0) > 0) || !(h > 0)) continue;
    // The cubic through both ends with their rates, in s from 0 to 1.
    const double a = t.last_gap, b = h * t.last_rate, d = t.at.gap - a, e = h * t.speed(0);
    const double c2 = 3 * d - 2 * b - e, c3 = b + e - 2 * d;
    const double root = c2 * c2 - 3 * c3 * b;
    if (!(root >= 0)) continue;
    const double s = -b / (c2 + std::sqrt(root));  // where its slope vanishes, going up
    if (!(s > 0 && s < 1)) continue;
    if (a + s * (b + s * (c2 + s * c3)) > t.reference) continue;
    if (first == 0 || s * h < first) first = s * h;
  }
  return first;
}

}  // namespace ulna
