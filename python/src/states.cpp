#include "states.hpp"

#include <atomic>
#include <chrono>
#include <cmath>

#include "ulna/numerics/internal/threads.hpp"

namespace ulna::python {
namespace {

using Api = py::detail::npy_api;

std::atomic<int> wanted_threads = 0;

std::string expected_shape(const RobotHandle& robot, StateKind kind) {
  const bool coordinates = kind == StateKind::coordinates;
  const int n = coordinates ? robot.model->coordinates() : robot.model->speeds();
  return fmt::format("({},) or (N, {}), {} of robot '{}'", n, n,
                     coordinates ? "the coordinates" : "one per speed", robot.model->name());
}

bool all_unit(const RobotHandle& robot, const StateArgument& q) {
  const py::ssize_t rows = std::max<py::ssize_t>(q.count, 1);
  if (q.count == 0) return true;
  for (py::ssize_t i = 0; i < rows; ++i)
    for (const int k : robot.quaternions())
      if (std::abs(ConstVector(q.row(i) + k, 4).squaredNorm() - 1) > 1e-15) return false;
  return true;
}

void make_unit(const RobotHandle& robot, StateArgument& q) {
  const py::ssize_t rows = std::max<py::ssize_t>(q.count, 1), n = robot.model->coordinates();
  py::object copy = new_array({rows, n});
  for (py::ssize_t i = 0; i < rows; ++i)
    MutableVector(data_of(copy) + i * n, n) = robot.model->normalized(ConstVector(q.row(i), n));
  q.data = data_of(copy);
  q.stride = q.count < 0 ? 0 : n;
  q.owner = std::move(copy);
}

}  // namespace

int threads() {
  const int wanted = wanted_threads;
  return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void set_threads(int count) {
  if (count < 0)
    throw InputError(Problem{{}, "count", fmt::format("{} found", count), "0 or more", {}});
  wanted_threads = count;
}

StateArgument state_argument(RobotHandle& robot, PyObject* object, const char* name,
                             StateKind kind) {
  const int n = kind == StateKind::coordinates ? robot.model->coordinates() : robot.model->speeds();
  StateArgument argument;
  argument.width = n;
  if (!object) {
    argument.data = robot.zeros();
    return argument;
  }
  // An ordinary array is taken as it is; `numbers` sees to everything else.
  static PyTypeObject* const array_type = Api::get().PyArray_Type_;
  if (Py_TYPE(object) != array_type || !is_plain(object)) {
    argument.owner = numbers(object, name);
    object = argument.owner.ptr();
  }
  const auto* const proxy = py::detail::array_proxy(object);
  const auto* const shape = proxy->dimensions;
  if (proxy->nd == 1 && shape[0] == n) {
    argument.data = static_cast<const double*>(static_cast<const void*>(proxy->data));
  } else if (proxy->nd == 2 && shape[1] == n) {
    argument.data = static_cast<const double*>(static_cast<const void*>(proxy->data));
    argument.count = shape[0];
    argument.stride = n;
  } else {
    throw InputError(Problem{{},
                             name,
                             "has shape " + shape_text(py::reinterpret_borrow<py::array>(object)),
                             expected_shape(robot, kind),
                             {}});
  }
  if (kind == StateKind::coordinates && !robot.quaternions().empty() && !all_unit(robot, argument))
    make_unit(robot, argument);
  return argument;
}

py::ssize_t common_count(std::span<const py::ssize_t> counts, std::span<const char* const> names) {
  py::ssize_t found = -1;
  const char* first = nullptr;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const py::ssize_t count = counts[k];
    if (count < 0 || count == found || (count == 1 && found >= 0)) continue;
    if (found >= 0 && found != 1)
      throw InputError(Problem{{},
                               names[k],
                               fmt::format("has {} states", count),
                               fmt::format("{}, as many as {}, or one for all", found, first),
                               {}});
    found = count;
    first = names[k];
  }
  return found;
}

namespace {

/// What keeps an array from being filled in place; empty when nothing does.
std::string obstacle(PyObject* out) {
  const py::handle object(out);
  if (!Api::get().PyArray_Check_(out))
    return "is of type " + std::string(py::str(py::type::of(object).attr("__name__")));
  if (is_plain(out)) {
    const bool writeable = (py::detail::array_proxy(out)->flags & Api::NPY_ARRAY_WRITEABLE_) != 0;
    return writeable ? "" : "cannot be written to";
  }
  const py::array array = py::reinterpret_borrow<py::array>(object);
  return fmt::format("is an array of {}, shape {}{}", std::string(py::str(array.dtype())),
                     shape_text(array),
                     array.flags() & py::array::c_style ? "" : ", not C-contiguous");
}

bool less(const double* a, const double* b) { return std::less<const double*>()(a, b); }

}  // namespace

py::object ResultArray::given(PyObject* out, const ResultShape& shape) {
  const std::span<const py::ssize_t> wanted = shape.all();
  if (const std::string found = obstacle(out); !found.empty())
    throw InputError(
        Problem{{},
                "out",
                found,
                "a writeable, C-contiguous array of float64, shape " + shape_text(wanted),
                {}});
  const py::array array = py::reinterpret_borrow<py::array>(out);
  if (!std::equal(wanted.begin(), wanted.end(), array.shape(), array.shape() + array.ndim()))
    throw InputError(Problem{{}, "out", "has shape " + shape_text(array), shape_text(wanted), {}});
  return py::reinterpret_borrow<py::object>(out);
}

bool ResultArray::overlaps(std::span<const StateArgument> read) const {
  const double* const begin = data_of(result_);
  const double* const end = begin + py::reinterpret_borrow<py::array>(result_).size();
  for (const StateArgument& x : read) {
    const double* const last = x.data + (x.count < 0 ? 1 : x.count) * x.width;
    if (less(x.data, end) && less(begin, last)) return true;
  }
  return false;
}

void ResultArray::copy_back() {
  std::copy_n(data_of(aside_), py::reinterpret_borrow<py::array>(result_).size(), data_of(result_));
}

void lay_out(StateArgument& argument, py::ssize_t count) {
  if (argument.count >= 0) return;
  py::object rows = new_array({count, argument.width});
  MutableRows(data_of(rows), count, argument.width).rowwise() =
      ConstVector(argument.data, argument.width).transpose();
  argument.data = data_of(rows);
  argument.stride = argument.width;
  argument.count = count;
  argument.owner = std::move(rows);
}

bool not_finite(std::span<const StateArgument> arguments, py::ssize_t i) {
  for (const StateArgument& x : arguments)
    if (!ConstVector(x.row(i), x.width).allFinite()) return true;
  return false;
}

bool Helpers::start(std::function<void()> work) {
  const std::lock_guard<std::mutex> locked(gate_);
  std::optional<std::jthread> one = thread_if_any([this, work = std::move(work)] {
    work();
    const std::lock_guard<std::mutex> ending(gate_);
    --running_;
    ended_.notify_one();
  });
  if (!one) return false;
  crew_.push_back(std::move(*one));
  ++running_;
  return true;
}

void Helpers::wait(const std::function<void()>& look) {
  std::unique_lock<std::mutex> locked(gate_);
  while (!ended_.wait_for(locked, std::chrono::milliseconds(20), [&] { return running_ == 0; })) {
    locked.unlock();
    look();
    locked.lock();
  }
}

void rethrow_for_state(const std::exception_ptr& error, py::ssize_t i) {
  try {
    std::rethrow_exception(error);
  } catch (const ComputationError& e) {
    throw ComputationError(fmt::format("state {}: {}", i, e.what()), e.measure());
  } catch (const InputError& e) {
    throw InputError(fmt::format("state {}: {}", i, e.what()));
  }
}

}  // namespace ulna::python
