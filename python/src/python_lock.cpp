#include "python_lock.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace ulna::python {
namespace {

std::atomic<bool> ending = false;
std::atomic<unsigned long> ending_thread = 0;
std::atomic<int> unlocked_scopes = 0;  ///< of all threads

/// Called by Python's `atexit`, with the lock, before it ends anything. Computations look some
/// twenty times a second whether they go on; what takes longer than the patience is left to itself.
void end_computations() {
  ending_thread = PyThread_get_thread_ident();
  ending = true;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (unlocked_scopes > 0 && std::chrono::steady_clock::now() < patience) {
    PyThreadState* const state = PyEval_SaveThread();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    PyEval_RestoreThread(state);
  }
}

}  // namespace

bool program_ends() { return ending && PyThread_get_thread_ident() != ending_thread; }

Unlocked::Unlocked() {
  if (program_ends()) {
    PyErr_SetNone(PyExc_SystemExit);
    throw py::error_already_set();
  }
  ++unlocked_scopes;
  state_ = PyEval_SaveThread();
}

Unlocked::~Unlocked() {
  outliving_python([&] { PyEval_RestoreThread(state_); });
  --unlocked_scopes;
}

void stop_at_the_end() {
  py::module_::import("atexit").attr("register")(py::cpp_function(&end_computations));
  pthread_atfork(nullptr, nullptr, [] { unlocked_scopes = 0; });  // no other thread lives there
}

}  // namespace ulna::python
