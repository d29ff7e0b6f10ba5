#pragma once
// Functions of states over one state or a batch: (n,) or (N, n) in, one result or N stacked ones
// out. Batches run on all cores with Python's lock released. A single state among batches, or an
// argument left out, serves all of them. States that are not numbers (nan) give nan.

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "arrays.hpp"
#include "interrupt.hpp"
#include "robot_handle.hpp"

namespace ulna::python {

/// States worth a thread: of functions that take about a microsecond, and of dear ones.
inline constexpr py::ssize_t cheap_share = 512, dear_share = 32;

/// How many threads a batch may use.
int threads();
void set_threads(int count);  ///< 0: one per core

enum class StateKind { coordinates, speeds };

/// One argument of a function of states.
struct StateArgument {
  const double* data = nullptr;
  py::ssize_t stride = 0;  ///< 0: the same for all states
  py::ssize_t count = -1;  ///< -1: one state, not a batch
  py::ssize_t width = 0;   ///< numbers in one state
  py::object owner;        ///< of what was converted

  const double* row(py::ssize_t i) const { return data + i * stride; }
  void serve_all() { stride = 0, count = -1; }
};

/// Reads an argument; null stands for zeros. Quaternions are made unit.
StateArgument state_argument(RobotHandle& robot, PyObject* object, const char* name,
                             StateKind kind);

/// Several arguments that belong together.
template <int K>
struct States {
  std::array<StateArgument, K> x;
  py::ssize_t count = -1;

  std::array<const double*, K> row(py::ssize_t i) const {
    std::array<const double*, K> rows;
    for (int k = 0; k < K; ++k) rows[k] = x[k].row(i);
    return rows;
  }
};

/// How many states arguments of these counts make together (-1: one state, not a batch). A batch of
/// one serves all, as in NumPy; InputError for others that differ.
py::ssize_t common_count(std::span<const py::ssize_t> counts, std::span<const char* const> names);

/// Arguments read one by one, fitted to each other.
template <int K>
void fit_together(States<K>& states, const std::array<const char*, K>& names) {
  bool alike = true;
  for (int k = 0; k < K; ++k) {
    if (states.x[k].count < 0) continue;
    alike = alike && (states.count < 0 || states.x[k].count == states.count);
    states.count = states.x[k].count;
  }
  if (alike) return;
  std::array<py::ssize_t, K> counts;
  for (int k = 0; k < K; ++k) counts[k] = states.x[k].count;
  states.count = common_count(counts, names);
  for (StateArgument& x : states.x)
    if (x.count != states.count) x.serve_all();
}

/// One state of which some values are given by name, completed (complete_state): arrays for q, v, a
/// or tau in the place of `slots`. InputError for a batch.
std::vector<py::object> named_state(RobotHandle& robot, std::span<PyObject* const> slots,
                                    std::span<const char* const> names);

/// q, then speeds, accelerations or efforts named in `names`.
template <int K>
States<K> states_of(RobotHandle& robot, PyObject* const* slots,
                    const std::array<const char*, K>& names) {
  States<K> states;
  for (int k = 0; k < K; ++k)
    if (slots[k] && PyDict_Check(slots[k])) [[unlikely]] {
      const std::vector<py::object> made = named_state(robot, {slots, K}, names);
      for (int i = 0; i < K; ++i) {
        states.x[i] = state_argument(robot, made[i].ptr(), names[i],
                                     i == 0 ? StateKind::coordinates : StateKind::speeds);
        if (!states.x[i].owner) states.x[i].owner = made[i];
      }
      return states;
    }
  for (int k = 0; k < K; ++k)
    states.x[k] = state_argument(robot, slots[k], names[k],
                                 k == 0 ? StateKind::coordinates : StateKind::speeds);
  fit_together<K>(states, names);
  return states;
}

/// The shape of one result, with the batch in front if there is one.
class ResultShape {
 public:
  ResultShape(py::ssize_t count, std::initializer_list<py::ssize_t> tail) {
    if (count >= 0) at_[size_++] = count;
    for (const py::ssize_t n : tail) {
      at_[size_++] = n;
      step_ *= n;
    }
  }
  std::span<const py::ssize_t> all() const { return {at_, static_cast<std::size_t>(size_)}; }
  py::ssize_t step() const { return step_; }  ///< numbers in one result

 private:
  py::ssize_t at_[5] = {}, step_ = 1;
  int size_ = 0;
};

/// Where results go: `out` if given and fit (InputError if not), else a new array. An `out` that
/// shares memory with an argument is filled at the end, when nothing is read any more.
class ResultArray {
 public:
  ResultArray(PyObject* out, const ResultShape& shape, std::span<const StateArgument> read)
      : result_(out ? given(out, shape) : new_array(shape.all())) {
    if (out && overlaps(read)) aside_ = new_array(shape.all());
  }
  double* data() const { return data_of(aside_ ? aside_ : result_); }
  py::object take() {
    if (aside_) copy_back();
    return std::move(result_);
  }

 private:
  static py::object given(PyObject* out, const ResultShape& shape);
  bool overlaps(std::span<const StateArgument> read) const;
  void copy_back();
  py::object result_, aside_;
};

/// Rethrows an error of state i in a batch, saying which.
[[noreturn]] void rethrow_for_state(const std::exception_ptr& error, py::ssize_t i);

/// What serves all states, repeated in `count` rows: vectorised batches read rows in place.
void lay_out(StateArgument& argument, py::ssize_t count);

/// True if any number of the state is infinite or nan.
bool not_finite(std::span<const StateArgument> arguments, py::ssize_t i);

/// Threads that help with a batch; joined when they go.
class Helpers {
 public:
  /// False where the system has no more threads.
  bool start(std::function<void()> work);
  /// Until all have ended; look() some fifty times a second meanwhile.
  void wait(const std::function<void()>& look);

 private:
  std::mutex gate_;
  std::condition_variable ended_;
  int running_ = 0;
  std::vector<std::jthread> crew_;
};

/// compute(context, i) for i = 0 .. count - 1. `share`: states that are worth a thread of their
/// own. Ctrl-C stops it.
template <class Compute>
void for_each_state(RobotHandle& robot, py::ssize_t count, py::ssize_t share,
                    const Compute& compute) {
  struct Failure {
    std::exception_ptr error;
    py::ssize_t state = 0;
  };
  std::atomic<bool> stop = false;
  InterruptWatch watch;  // of the calling thread, the only one that may look
  const auto run = [&](Context& context, py::ssize_t first, py::ssize_t last, Failure& failure,
                       InterruptWatch* looking) {
    py::ssize_t i = first;
    try {
      for (; i < last && !stop.load(std::memory_order_relaxed); ++i) {
        compute(context, i);
        if (looking && (share > dear_share ? looking->interrupted() : looking->interrupted_now()))
          stop = true;
      }
    } catch (const Interrupted&) {
      stop = true;
      failure = {std::current_exception(), i};
    } catch (...) {
      failure = {std::current_exception(), i};
    }
  };
  const py::ssize_t used = std::clamp<py::ssize_t>(count / share, 1, threads());
  std::vector<Failure> failures(static_cast<std::size_t>(used));
  std::vector<std::optional<RobotHandle::Loan>> loans(static_cast<std::size_t>(used));
  for (auto& loan : loans) loan.emplace(robot);
  {
    const Unlocked unlocked;
    const auto part = [&](py::ssize_t k, InterruptWatch* looking) {
      run(**loans[k], count * k / used, count * (k + 1) / used, failures[k], looking);
    };
    Helpers helpers;
    py::ssize_t others = 1;
    const auto help = [&](py::ssize_t k) {
      // Ends a long computation of one state.
      const InterruptionScope scope([&] { return stop.load(std::memory_order_relaxed); });
      part(k, nullptr);
    };
    while (others < used && helpers.start([&, k = others] { help(k); })) ++others;
    part(0, &watch);
    for (; others < used; ++others) part(others, &watch);  // where there are no more threads
    helpers.wait([&] {
      if (watch.interrupted_now()) stop = true;
    });
  }
  watch.rethrow();
  for (const Failure& failure : failures)
    if (failure.error) rethrow_for_state(failure.error, failure.state);
}

/// compute(context, rows, result) on every state, `rows` being pointers to the arguments.
template <int K, class Compute>
py::object over_states(RobotHandle& robot, const States<K>& states,
                       std::initializer_list<py::ssize_t> tail, PyObject* out, py::ssize_t share,
                       const Compute& compute) {
  const ResultShape shape(states.count, tail);
  ResultArray result(out, shape, states.x);
  double* const data = result.data();
  const auto one = [&](Context& context, py::ssize_t i) {
    double* const to = data + i * shape.step();
    try {
      compute(context, states.row(i), to);
    } catch (const ComputationError&) {
      if (!not_finite(states.x, i)) throw;
      std::fill_n(to, shape.step(), std::numeric_limits<double>::quiet_NaN());
    }
  };
  if (states.count < 0) {
    RobotHandle::Loan context(robot);
    one(*context, 0);
  } else {
    for_each_state(robot, states.count, share, one);
  }
  return result.take();
}

}  // namespace ulna::python
