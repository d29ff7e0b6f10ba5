#include "run/progress_guard.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ulna {

std::string ProgressGuard::change_at(double t) {
  ++changes_;
  // What bounces gets on by its bounces; steps between them say nothing.
  looks_ = 0;
  looked_ = -1;
  std::string endless;
  for (Window& window : windows_) {
    if (changes_ % window.count != 0) continue;
    if (t - window.since <= window.share * std::min(end_, 1.0))
      endless =
          fmt::format("{} times between t = {:.9g} and {:.9g} s", window.count, window.since, t);
    window.since = t;
  }
  return endless.empty() ? rattle_at(t) : endless;
}

/// Changes that come evenly and faster than anything mechanical does, such as impacts between two
/// stops that nearly meet, of which the rest of the run would have more than anybody waits for.
/// Those of Zeno's sequences come ever faster, and end.
std::string ProgressGuard::rattle_at(double t) {
  constexpr long count = 20'000, patience = 3;
  constexpr double fast = 1e6;  // a second
  if (changes_ % count != 0) return {};
  const double took = t - last_change_;
  const double needed = (end_ - t) / std::max(took, 1e-300) * static_cast<double>(count);
  const bool even = took > 0.9 * last_took_ && took * fast < static_cast<double>(count);
  if (!even || needed < static_cast<double>(most_steps_) / 20) {
    steady_ = 0;
    steady_since_ = t;
  } else {
    ++steady_;
  }
  last_change_ = t;
  last_took_ = took;
  if (steady_ < patience) return {};
  return fmt::format("{} times between t = {:.9g} and {:.9g} s", patience * count, steady_since_,
                     t);
}

std::string ProgressGuard::step_to(double t, long tried) {
  constexpr long every = 4000, patience = 3;
  if (looked_ < 0) {
    looked_ = tried;
    looked_t_ = t;
  }
  if (tried - looked_ < every) return {};
  const double advanced = t - looked_t_;
  const double needed = (end_ - t) / std::max(advanced, 1e-300) * static_cast<double>(every);
  // A run may be asked to go on for longer than anybody waits: what gets on by more than this gets
  // on.
  const bool creeps = advanced < 1e-2 * std::min(end_, 1.0);
  looks_ = creeps && needed > static_cast<double>(most_steps_) ? looks_ + 1 : 0;
  looked_ = tried;
  looked_t_ = t;
  // Nobody waits a thousand times longer than the longest run: one look is enough.
  const bool hopeless = looks_ > 0 && needed > 1e3 * static_cast<double>(most_steps_);
  if (looks_ < patience && !hopeless) return {};
  return fmt::format(
      "the integration makes no progress at t = {:.9g} s: the last {} steps advanced by {:.3g} s, "
      "and the rest of the run would take {:.2g} more steps; the motion is singular, stiff or "
      "discontinuous there",
      t, every, advanced, needed);
}

}  // namespace ulna
