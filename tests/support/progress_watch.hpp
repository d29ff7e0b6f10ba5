#pragma once
// Looks on while a seed is tried. What shows no progress for 10 s is asked to stop; what goes on
// for a minute nevertheless ends the program, with its seed: a hang is seen, too. Times are those
// of the processor, so that a busy machine is no reason to complain.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <thread>

namespace ulna::testing {

inline double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

class ProgressWatch {
 public:
  static constexpr double patience = 10, last_resort = 60;

  explicit ProgressWatch(unsigned seed)
      : seed_(seed),
        last_(processor_seconds()),
        thread_([this](std::stop_token end) { look(end); }) {}

  void progress() {
    const std::lock_guard lock(mutex_);
    longest_ = longest();
    last_ = processor_seconds();
  }
  std::stop_token token() const { return stop_.get_token(); }
  /// It was asked to stop.
  bool stuck() const { return stop_.stop_requested(); }
  /// The longest time without progress so far, in seconds.
  double longest() const { return std::max(longest_, processor_seconds() - last_); }

 private:
  void look(const std::stop_token& end) {
    std::unique_lock lock(mutex_);
    while (!end.stop_requested()) {
      wake_.wait_for(lock, end, std::chrono::milliseconds(200), [] { return false; });
      const double waited = processor_seconds() - last_;
      if (waited > patience) stop_.request_stop();
      if (waited < last_resort) continue;
      std::fprintf(stderr, "seed %u made no progress for %.0f s and does not stop\n", seed_,
                   waited);
      std::abort();
    }
  }

  unsigned seed_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  double last_, longest_ = 0;
  std::jthread thread_;
};

/// The seed that took the longest.
struct Longest {
  double seconds = 0;
  unsigned seed = 0;
  void see(double time, unsigned of) {
    if (time > seconds) seconds = time, seed = of;
  }
};

}  // namespace ulna::testing
