#pragma once
// Finds where channels pass their values. The run then goes on from that very state.

#include <cmath>
#include <optional>

#include "integrators/root_location.hpp"
#include "run/channel_reader.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {

class EventFinder {
 public:
  EventFinder(const Experiment& experiment, MechanicalSystem& system) : events_(experiment.events) {
    for (const Event& event : events_)
      readers_.emplace_back(system, channels_named(experiment, event.channel));
    before_.resize(events_.size());
    after_.resize(events_.size());
  }

  void start(double t, const double* y) { levels(t, y, before_); }

  /// If an event lies within the last step, ends that step at the first one.
  template <class Stepper>
  std::optional<EventNote> locate(Stepper& stepper) {
    if (events_.empty()) return std::nullopt;
    levels(stepper.t(), stepper.y(), after_);
    std::optional<EventNote> found;
    for (std::size_t k = 0; k < events_.size(); ++k) {
      if (!passes(events_[k], before_[k], after_[k])) continue;
      const double t = locate_zero(
          stepper, [&](double at, const double* y) { return level(k, at, y); }, before_[k],
          after_[k]);
      if (!found || t < found->t) found = EventNote{events_[k].name, t}, last_ = k;
    }
    if (found) {
      stepper.end_last_step_at(found->t);
      levels(found->t, stepper.y(), after_);
    }
    std::swap(before_, after_);
    return found;
  }

  /// The state or its rates jumped at t: events that lie in the jump.
  std::optional<EventNote> jump(double t, const double* y) {
    if (events_.empty()) return std::nullopt;
    levels(t, y, after_);
    std::optional<EventNote> found;
    for (std::size_t k = 0; k < events_.size() && !found; ++k)
      if (passes(events_[k], before_[k], after_[k]))
        found = EventNote{events_[k].name, t}, last_ = k;
    std::swap(before_, after_);
    return found;
  }

  bool last_stops() const { return events_[last_].stops; }

 private:
  static bool passes(const Event& event, double before, double after) {
    const bool rises = before < 0 && after >= 0, falls = before > 0 && after <= 0;
    return (rises && event.direction != Event::Direction::falling) ||
           (falls && event.direction != Event::Direction::rising);
  }

  double level(std::size_t k, double t, const double* y) {
    return readers_[k].read(t, y)[0] - events_[k].value;
  }
  void levels(double t, const double* y, std::vector<double>& all) {
    for (std::size_t k = 0; k < events_.size(); ++k) all[k] = level(k, t, y);
  }

  std::vector<Event> events_;
  std::vector<ChannelReader> readers_;
  std::vector<double> before_, after_;
  std::size_t last_ = 0;
};

}  // namespace ulna
