#pragma once
// Ctrl-C during long computations, which run without Python's lock: it is looked for some twenty
// times a second, and where a long loop of the library has an `interruption_point`. The end of the
// program stops computations of other threads in the same way.

#include <chrono>
#include <optional>

#include "bindings.hpp"
#include "python_lock.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna::python {

class InterruptWatch {
 public:
  /// True once Ctrl-C was pressed (or another signal's handler raised); `rethrow`
  /// raises it. Cheap enough for every step. To be called without the lock.
  bool interrupted() {
    if (found_) return true;
    return (++calls_ & 63) == 0 && interrupted_now();
  }
  /// The same for calls that are rare.
  bool interrupted_now() {
    if (found_) return true;
    if (program_ends()) return take_end();
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return false;
    last_ = now;
    const Locked locked;
    if (PyErr_CheckSignals() != 0) found_.emplace();  // takes the error
    return found_.has_value();
  }
  /// With the lock: makes what was found Python's current error; false when nothing was.
  bool restore() {
    if (!found_) return false;
    PyErr_Clear();
    found_->restore();
    found_.reset();
    return true;
  }
  /// With the lock: raises what was found, if anything was.
  void rethrow() {
    if (found_) throw *found_;
  }

 private:
  bool take_end() {
    const Locked locked;
    PyErr_SetNone(PyExc_SystemExit);
    found_.emplace();
    return true;
  }

  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  unsigned calls_ = 0;
  std::optional<py::error_already_set> found_;
};

/// compute() without Python's lock; Ctrl-C ends it and raises.
template <class Compute>
auto interruptible(const Compute& compute) {
  InterruptWatch watch;
  const auto run = [&] {
    const Unlocked unlocked;
    const InterruptionScope scope([&] { return watch.interrupted_now(); });
    return compute();
  };
  try {
    return run();
  } catch (const Interrupted&) {
    watch.rethrow();
    throw;
  }
}

}  // namespace ulna::python
