#pragma once
// Ctrl-C during long computations, which run without Python's lock: it is looked for some ten times
// a second.

#include <chrono>

#include "bindings.hpp"

namespace ulna::python {

class InterruptWatch {
 public:
  /// True once Ctrl-C was pressed (or another signal's handler raised); the error is then Python's
  /// current one. Cheap enough for every step. To be called without the lock.
  bool interrupted() {
    if (found_) return true;
    return (++calls_ & 63) == 0 && interrupted_now();
  }
  /// The same for calls that are rare.
  bool interrupted_now() {
    if (found_) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return false;
    last_ = now;
    const py::gil_scoped_acquire locked;
    found_ = PyErr_CheckSignals() != 0;
    if (found_) PyErr_Fetch(&type_, &value_, &trace_);
    return found_;
  }
  /// With the lock: raises what was found, if anything was.
  void rethrow() {
    if (!found_) return;
    PyErr_Restore(type_, value_, trace_);
    throw py::error_already_set();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  unsigned calls_ = 0;
  bool found_ = false;
  PyObject *type_ = nullptr, *value_ = nullptr, *trace_ = nullptr;
};

}  // namespace ulna::python
