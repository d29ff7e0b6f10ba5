#pragma once
// Finds where channels pass their values: a change of sign over a step, then shorter steps from the
// same beginning until the place is known to 1e-10 s. The run then goes on from that very state.

#include <cmath>
#include <optional>

#include "channel_reader.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {

class EventFinder {
 public:
  EventFinder(const Experiment& experiment, MechanicalSystem& system) : events_(experiment.events) {
    for (const Event& event : events_)
      readers_.emplace_back(system, channels_named(system.model(), event.channel));
    before_.resize(events_.size());
    after_.resize(events_.size());
  }

  void start(double t, const double* y) { before_ = levels(t, y); }

  /// If an event lies within the last step, ends that step at the first one.
  template <class Stepper>
  std::optional<EventNote> locate(Stepper& stepper) {
    if (events_.empty()) return std::nullopt;
    after_ = levels(stepper.t(), stepper.y());
    std::optional<EventNote> found;
    for (std::size_t k = 0; k < events_.size(); ++k) {
      if (!passes(events_[k], before_[k], after_[k])) continue;
      const double t = first_passing(stepper, k);
      if (!found || t < found->t) found = EventNote{events_[k].name, t}, last_ = k;
    }
    if (found) {
      stepper.end_last_step_at(found->t);
      after_ = levels(found->t, stepper.y());
    }
    std::swap(before_, after_);
    return found;
  }

  bool last_stops() const { return events_[last_].stops; }

 private:
  static constexpr double precision = 1e-10;

  static bool passes(const Event& event, double before, double after) {
    const bool rises = before < 0 && after >= 0, falls = before > 0 && after <= 0;
    return (rises && event.direction != Event::Direction::falling) ||
           (falls && event.direction != Event::Direction::rising);
  }

  double level(std::size_t k, double t, const double* y) {
    return readers_[k].read(t, y)[0] - events_[k].value;
  }
  std::vector<double> levels(double t, const double* y) {
    std::vector<double> all(events_.size());
    for (std::size_t k = 0; k < events_.size(); ++k) all[k] = level(k, t, y);
    return all;
  }

  /// By false position with halving of the stale end (Illinois); the later end of the bracket is
  /// beyond the event.
  template <class Stepper>
  double first_passing(Stepper& stepper, std::size_t k) {
    double early = stepper.previous_t(), late = stepper.t();
    double g0 = before_[k], g1 = after_[k];
    int side = 0;
    for (int trial = 0; trial < 100 && late - early > precision; ++trial) {
      double t = late - g1 * (late - early) / (g1 - g0);
      // Stay inside by a little, so that both ends close in.
      const double margin = std::min(0.4 * precision, 0.25 * (late - early));
      t = std::clamp(t, early + margin, late - margin);
      stepper.end_last_step_at(t);
      const double g = level(k, t, stepper.y());
      if ((g < 0) == (before_[k] < 0) && g != 0) {
        early = t, g0 = g;
        if (side == -1) g1 /= 2;
        side = -1;
      } else {
        late = t, g1 = g;
        if (side == 1) g0 /= 2;
        side = 1;
      }
    }
    return late;
  }

  std::vector<Event> events_;
  std::vector<ChannelReader> readers_;
  std::vector<double> before_, after_;
  std::size_t last_ = 0;
};

}  // namespace ulna
