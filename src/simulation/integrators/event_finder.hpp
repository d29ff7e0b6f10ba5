#pragma once
// Finds where channels pass their values. The run then goes on from that very state.

#include <cmath>
#include <optional>

#include "integrators/root_location.hpp"
#include "run/channel_reader.hpp"
#include "run/event_log.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {

class EventFinder {
 public:
  EventFinder(const Experiment& experiment, MechanicalSystem& system, const EventLog& log)
      : log_(log), reader_(system, channels_of_events(experiment)) {
    for (std::size_t k = 0; k < experiment.events.size(); ++k)
      if (!experiment.events[k].channel.empty()) {
        events_.push_back(experiment.events[k]);
        numbers_.push_back(k);
      }
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
      if (!passes(k)) continue;  // not before the one found, if any
      const double t = locate_zero(
          stepper, [&](double at, const double* y) { return level(k, at, y); }, before_[k],
          after_[k]);
      // Roots nearer than they are known to belong to one instant: the order is that of the file.
      if (!found || t < found->t - 2 * root_precision)
        found = EventNote{events_[k].name, t}, last_ = k;
      stepper.end_last_step_at(found->t);
      levels(found->t, stepper.y(), after_);
    }
    if (found) keep_others();
    std::swap(before_, after_);
    return found;
  }

  /// The state or its rates jumped at t: events that lie in the jump.
  std::optional<EventNote> jump(double t, const double* y) {
    if (events_.empty()) return std::nullopt;
    levels(t, y, after_);
    std::optional<EventNote> found;
    for (std::size_t k = 0; k < events_.size() && !found; ++k)
      if (passes(k)) found = EventNote{events_[k].name, t}, last_ = k;
    if (found) keep_others();
    std::swap(before_, after_);
    return found;
  }

  /// How far the channels are beyond their values, as last seen; for the next phase of a run.
  const std::vector<double>& seen() const { return before_; }
  void go_on_from(const std::vector<double>& levels) { before_ = levels; }

  /// Index of the last one found among the events of the experiment.
  std::size_t last() const { return numbers_[last_]; }

 private:
  /// Events that pass at the very instant of the one found are still to come: `jump` finds them.
  void keep_others() {
    for (std::size_t k = 0; k < events_.size(); ++k)
      if (k != last_ && passes(k)) after_[k] = before_[k];
  }

  bool passes(std::size_t k) const {
    const Event& event = events_[k];
    const double before = before_[k], after = after_[k];
    if (!log_.armed(numbers_[k])) return false;
    const bool rises = before < 0 && after >= 0, falls = before > 0 && after <= 0;
    return (rises && event.direction != Event::Direction::falling) ||
           (falls && event.direction != Event::Direction::rising);
  }

  static std::vector<Channel> channels_of_events(const Experiment& experiment) {
    std::vector<Channel> channels;
    for (const Event& event : experiment.events)
      if (!event.channel.empty())
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

  const EventLog& log_;
  std::vector<Event> events_;         ///< those with a channel
  std::vector<std::size_t> numbers_;  ///< of these among all
  ChannelReader reader_;              ///< one for all: the state is evaluated once
  std::vector<double> before_, after_;
  std::size_t last_ = 0;
};

}  // namespace ulna
