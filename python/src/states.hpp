#pragma once
// Functions of states over one state or a batch: (n,) or (N, n) in, one result or N stacked ones
// out. Batches run on all cores with Python's lock released. A single state among batches, or an
// argument left out, serves all of them.

#include <fmt/format.h>

#include <array>
#include <exception>
#include <optional>
#include <thread>

#include "arrays.hpp"
#include "robot_handle.hpp"

namespace ulna::python {

/// How many threads a batch may use.
int threads();
void set_threads(int count);  ///< 0: one per core

enum class StateKind { coordinates, speeds };

/// One argument of a function of states.
struct StateArgument {
  const double* data = nullptr;
  py::ssize_t stride = 0;  ///< 0: the same for all states
  py::ssize_t count = -1;  ///< -1: one state, not a batch
  py::object owner;        ///< of what was converted

  const double* row(py::ssize_t i) const { return data + i * stride; }
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

[[noreturn]] void refuse_count(const char* name, py::ssize_t found, const char* other,
                               py::ssize_t expected);

/// q, then speeds, accelerations or efforts named in `names`.
template <int K>
States<K> states_of(RobotHandle& robot, PyObject* const* slots,
                    const std::array<const char*, K>& names) {
  States<K> states;
  int first = -1;
  for (int k = 0; k < K; ++k) {
    states.x[k] = state_argument(robot, slots[k], names[k],
                                 k == 0 ? StateKind::coordinates : StateKind::speeds);
    if (states.x[k].count < 0) continue;
    if (first < 0) {
      first = k;
      states.count = states.x[k].count;
    } else if (states.x[k].count != states.count) {
      refuse_count(names[k], states.x[k].count, names[first], states.count);
    }
  }
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

/// `out` if given and fit (InputError if not), else a new array.
py::object result_array(PyObject* out, const ResultShape& shape);

/// Rethrows an error of state i in a batch, saying which.
[[noreturn]] void rethrow_for_state(const std::exception_ptr& error, py::ssize_t i);

/// compute(context, i) for i = 0 .. count - 1. `share`: states that are worth a thread of their
/// own.
template <class Compute>
void for_each_state(RobotHandle& robot, py::ssize_t count, py::ssize_t share,
                    const Compute& compute) {
  struct Failure {
    std::exception_ptr error;
    py::ssize_t state = 0;
  };
  const auto run = [&](Context& context, py::ssize_t first, py::ssize_t last, Failure& failure) {
    py::ssize_t i = first;
    try {
      for (; i < last; ++i) compute(context, i);
    } catch (...) {
      failure = {std::current_exception(), i};
    }
  };
  const py::ssize_t used = std::clamp<py::ssize_t>(count / share, 1, threads());
  std::vector<Failure> failures(static_cast<std::size_t>(used));
  std::vector<std::optional<RobotHandle::Loan>> loans(static_cast<std::size_t>(used));
  for (auto& loan : loans) loan.emplace(robot);
  {
    const py::gil_scoped_release unlocked;
    std::vector<std::jthread> crew;  // joins when it goes
    for (py::ssize_t k = 1; k < used; ++k)
      crew.emplace_back(
          [&, k] { run(**loans[k], count * k / used, count * (k + 1) / used, failures[k]); });
    run(**loans[0], 0, count / used, failures[0]);
  }
  for (const Failure& failure : failures)
    if (failure.error) rethrow_for_state(failure.error, failure.state);
}

/// compute(context, rows, result) on every state, `rows` being pointers to the arguments.
template <int K, class Compute>
py::object over_states(RobotHandle& robot, const States<K>& states,
                       std::initializer_list<py::ssize_t> tail, PyObject* out, py::ssize_t share,
                       const Compute& compute) {
  const ResultShape shape(states.count, tail);
  py::object result = result_array(out, shape);
  double* const data = data_of(result);
  if (states.count < 0) {
    RobotHandle::Loan context(robot);
    compute(*context, states.row(0), data);
  } else {
    for_each_state(robot, states.count, share, [&](Context& context, py::ssize_t i) {
      compute(context, states.row(i), data + i * shape.step());
    });
  }
  return result;
}

/// States worth a thread: of functions that take about a microsecond, and of dear ones.
inline constexpr py::ssize_t cheap_share = 512, dear_share = 32;

}  // namespace ulna::python
