#pragma once
// Python's lock: given back while C++ computes, taken again to call Python.
//
// When a program ends, CPython ends the threads that it does not wait for (daemon threads) where
// they ask for the lock, by pthread_exit. That unwinds the stack of C++ through destructors and
// `catch (...)`, which ends the process with an abort. Here the end of the program stops the
// computations of other threads first (stop_at_the_end); a thread that still asks for the lock
// sleeps until the process is gone.

#include <unistd.h>
#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif

#include "pybind11/pybind11.h"

namespace ulna::python {

namespace py = pybind11;

[[noreturn]] inline void sleep_until_the_process_is_gone() {
  for (;;) ::pause();
}

/// call(), which may ask for the lock: a plain function of Python's C interface. What is created
/// inside of call() must need no destructor.
template <class Call>
auto outliving_python(const Call& call) {
#ifdef __GLIBCXX__
  try {
    return call();
  } catch (const abi::__forced_unwind&) {
    sleep_until_the_process_is_gone();
  }
#else
  return call();
#endif
}

/// Gives the lock back for a scope. Throws SystemExit, which ends a thread in silence, where the
/// program ends in another thread.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

/// Takes the lock for a scope; the thread may have it already.
class Locked {
 public:
  Locked() : state_(outliving_python([] { return PyGILState_Ensure(); })) {}
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Whether the program ends in another thread than this one: computations stop then.
bool program_ends();

/// Lets the end of the program stop the computations of other threads, and wait for them.
void stop_at_the_end();

}  // namespace ulna::python
