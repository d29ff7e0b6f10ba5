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
  EventFinder(const Experiment& experiment, MechanicalSystem& system)
      : events_(experiment.events), reader_(system, channels_of_events(experiment)) {
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

  static std::vector<Channel> channels_of_events(const Experiment& experiment) {
    std::vector<Channel> channels;
    for (const Event& event : experiment.events)
      channels.push_back(channels_named(experiment, event.channel).front());
    return channels;
  }

  double level(std::size_t k, double t, const double* y) {
    return reader_.read(t, y)[k] - events_[k].value;
  }
  void levels(double t, const double* y, std::vector<double>& all) {
    if (events_.empty()) return;
    const std::span<const double> values = reader_.read(t, y);
    for (std::size_t k = 0; k < events_.size(); ++k) all[k] = values[k] - events_[k].value;
  }

  std::vector<Event> events_;
  ChannelReader reader_;  ///< one for all: the state is evaluated once
  std::vector<double> before_, after_;
  std::size_t last_ = 0;
};

}  // namespace ulna
