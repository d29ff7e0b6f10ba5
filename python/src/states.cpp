#include "states.hpp"

#include <atomic>
#include <cmath>

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
  StateArgument argument;
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
  const int n = kind == StateKind::coordinates ? robot.model->coordinates() : robot.model->speeds();
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

void refuse_count(const char* name, py::ssize_t found, const char* other, py::ssize_t expected) {
  throw InputError(Problem{{},
                           name,
                           fmt::format("has {} states", found),
                           fmt::format("{}, as many as {}, or one for all", expected, other),
                           {}});
}

py::object result_array(PyObject* out, const ResultShape& shape) {
  if (!out) return new_array(shape.all());
  const bool fits = Api::get().PyArray_Check_(out) && is_plain(out) &&
                    (py::detail::array_proxy(out)->flags & Api::NPY_ARRAY_WRITEABLE_) != 0;
  if (!fits)
    throw InputError(Problem{
        {}, "out", "cannot be written to", "a writeable, C-contiguous array of float64", {}});
  const py::array array = py::reinterpret_borrow<py::array>(out);
  const auto wanted = shape.all();
  if (!std::equal(wanted.begin(), wanted.end(), array.shape(), array.shape() + array.ndim()))
    throw InputError(Problem{{}, "out", "has shape " + shape_text(array), shape_text(wanted), {}});
  return py::reinterpret_borrow<py::object>(out);
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
