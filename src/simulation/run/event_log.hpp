#pragma once
// Which events of an experiment have happened, when, and which are due at a time.

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "run/times.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {

class EventLog {
 public:
  explicit EventLog(const Experiment& experiment)
      : events_(experiment.events),
        last_(events_.size(), std::numeric_limits<double>::quiet_NaN()) {}

  /// As it stands in a summary.
  void restore(const std::vector<EventNote>& notes) {
    for (const EventNote& note : notes)
      for (std::size_t k = 0; k < events_.size(); ++k)
        if (events_[k].name == note.name) last_[k] = note.t;
  }
  void happened(std::size_t k, double t) { last_[k] = t; }
  bool has_happened(std::size_t k) const { return !std::isnan(last_[k]); }

  /// Whether an event may happen: the one it comes after has, and it is not over.
  bool armed(std::size_t k) const {
    if (events_[k].once && has_happened(k)) return false;
    return events_[k].after.empty() || !std::isnan(last_of(events_[k].after));
  }
  /// When an event without a channel is due; none: never, or no more.
  std::optional<double> due(std::size_t k) const {
    const Event& event = events_[k];
    if (!event.channel.empty() || !armed(k)) return std::nullopt;
    const bool own_time = !std::isnan(event.time);
    const double time = own_time ? event.time : last_of(event.after) + event.delay;
    if (has_happened(k) && (own_time || last_[k] >= time || same_time(last_[k], time)))
      return std::nullopt;
    return time;
  }
  /// The next time at which an event without a channel is due; infinite when there is none.
  double next_due() const {
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < events_.size(); ++k)
      if (const std::optional<double> time = due(k)) next = std::min(next, *time);
    return next;
  }

 private:
  double last_of(const std::string& name) const {
    for (std::size_t k = 0; k < events_.size(); ++k)
      if (events_[k].name == name) return last_[k];
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::vector<Event> events_;
  std::vector<double> last_;
};

}  // namespace ulna
