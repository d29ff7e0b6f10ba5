#include "names.hpp"

#include <fmt/format.h>

#include "arrays.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/state.hpp"

namespace ulna::python {
namespace {

/// What `find` throws does not know which argument was looked at.
template <class Find>
int named(const std::string& text, const char* argument, const Find& find) {
  try {
    return find(text);
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& p : problems)
      if (p.element.empty()) p.element = argument;
    throw InputError(std::move(problems));
  }
}

std::string type_name(py::handle object) {
  if (PyType_Check(object.ptr())) return "a class";
  return py::str(py::type::of(object).attr("__name__"));
}

/// What can be gone through, item by item; TypeError naming the argument for anything else.
py::iterable items_of(py::handle object, const char* name, const char* expected) {
  if (!py::isinstance<py::iterable>(object))
    throw py::type_error(fmt::format("{} must be {}, not {}", name, expected, type_name(object)));
  return py::reinterpret_borrow<py::iterable>(object);
}

/// By name through `find`, or by index.
template <class Find>
int index_of(py::handle object, const char* name, int count, const Find& find) {
  if (py::isinstance<py::str>(object)) return named(object.cast<std::string>(), name, find);
  const auto refuse_type = [&] {
    throw py::type_error(fmt::format("{} must be a name, not {}", name, type_name(object)));
  };
  if (!PyIndex_Check(object.ptr()) || PyBool_Check(object.ptr())) refuse_type();
  const Py_ssize_t index = PyNumber_AsSsize_t(object.ptr(), nullptr);  // clipped, never too large
  if (index == -1 && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();
    PyErr_Clear();  // an array that is no whole number, for one
    refuse_type();
  }
  if (index < 0 || index >= count)
    throw InputError(Problem{{},
                             name,
                             fmt::format("{} found", index),
                             fmt::format("a name, or an index from 0 to {}", count - 1),
                             {}});
  return static_cast<int>(index);
}

template <class Items>
int size_of_list(const Items& items) {
  return static_cast<int>(items.size());
}

}  // namespace

int frame_argument(const RobotHandle& robot, PyObject* object, const char* name) {
  const Model& model = *robot.model;
  if (!object) return model.tip_frame();
  return index_of(object, name, size_of_list(model.frames()), [&](const std::string& text) {
    const int found = robot.find_frame(text);
    return found < 0 ? model.frame(text) : found;  // which then throws
  });
}

int body_argument(const RobotHandle& robot, py::handle object, const char* name) {
  return index_of(object, name, size_of_list(robot.model->bodies()),
                  [&](const std::string& text) { return robot.model->body(text); });
}

int joint_argument(const RobotHandle& robot, py::handle object, const char* name) {
  return index_of(object, name, size_of_list(robot.model->joints()),
                  [&](const std::string& text) { return robot.model->joint(text); });
}

std::vector<int> speeds_argument(const RobotHandle& robot, py::handle object, const char* name) {
  const auto one = [&](py::handle item) {
    return index_of(item, name, robot.model->speeds(), [&](const std::string& text) {
      return speeds_by_name(*robot.model, {text}).front();
    });
  };
  if (py::isinstance<py::str>(object)) return {one(object)};
  std::vector<int> speeds;
  for (const py::handle item : items_of(object, name, "a list of names"))
    speeds.push_back(one(item));
  return speeds;
}

std::vector<int> degrees_argument(const RobotHandle& robot, py::handle object, const char* name) {
  const auto one = [&](py::handle item) {
    return index_of(item, name, robot.model->speeds(), [&](const std::string& text) {
      return degrees_by_name(*robot.model, {text}).front();
    });
  };
  if (py::isinstance<py::str>(object)) return {one(object)};
  std::vector<int> degrees;
  for (const py::handle item : items_of(object, name, "a list of names"))
    degrees.push_back(one(item));
  return degrees;
}

std::string text_argument(py::handle object, const char* name) {
  if (!py::isinstance<py::str>(object))
    throw py::type_error(fmt::format("{} must be a str, not {}", name, type_name(object)));
  return object.cast<std::string>();
}

std::string path_argument(py::handle object, const char* name) {
  if (!py::isinstance<py::str>(object) && !py::isinstance<py::bytes>(object) &&
      !py::hasattr(object, "__fspath__"))
    throw py::type_error(fmt::format("{} must be a path (str, bytes or os.PathLike), not {}", name,
                                     type_name(object)));
  return py::str(py::module_::import("os").attr("fsdecode")(object));
}

double number_or_nan(py::handle object, const char* name) {
  const double value = PyComplex_Check(object.ptr()) || PyUnicode_Check(object.ptr())
                           ? -1
                           : PyFloat_AsDouble(object.ptr());
  if (value != -1) return value;
  const bool failed =
      PyErr_Occurred() || PyComplex_Check(object.ptr()) || PyUnicode_Check(object.ptr());
  if (!failed) return value;
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();
  PyErr_Clear();
  throw py::type_error(fmt::format("{} must be a number, not {}", name, type_name(object)));
}

double number_argument(py::handle object, const char* name) {
  const double value = number_or_nan(object, name);
  if (std::isnan(value)) throw InputError(Problem{{}, name, "is nan", "a number", {}});
  return value;
}

std::vector<std::pair<py::object, py::object>> entries_of(py::handle dict) {
  std::vector<std::pair<py::object, py::object>> entries;
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(dict))
    entries.emplace_back(py::reinterpret_borrow<py::object>(key),
                         py::reinterpret_borrow<py::object>(value));
  return entries;
}

py::iterable items_argument(py::handle object, const char* name) {
  if (py::isinstance<py::str>(object)) return py::make_tuple(object);
  return items_of(object, name, "a name or a list of names");
}

std::vector<std::string> texts_argument(py::handle object, const char* name) {
  if (py::isinstance<py::str>(object)) return {object.cast<std::string>()};
  std::vector<std::string> texts;
  for (const py::handle item : items_of(object, name, "a list of names"))
    texts.push_back(text_argument(item, name));
  return texts;
}

int choice(const std::string& found, std::span<const char* const> names, const char* argument) {
  for (std::size_t k = 0; k < names.size(); ++k)
    if (found == names[k]) return static_cast<int>(k);
  const std::vector<std::string> known(names.begin(), names.end());
  throw InputError(
      Problem{{},
              argument,
              fmt::format("'{}' is not available", found),
              fmt::format("{}{}", known.size() > 1 ? "one of " : "", fmt::join(known, ", ")),
              nearest_name_hint(found, known)});
}

LoopInverseOptions motors_argument(RobotHandle& robot, const py::object& actuated) {
  LoopInverseOptions motors;
  if (actuated.is_none()) return motors;
  motors.actuated = speeds_argument(robot, actuated, "actuated");
  check_options(robot, {.actuated = motors.actuated});
  return motors;
}

void check_options(RobotHandle& robot, const DynamicsOptions& options) {
  RobotHandle::Loan context(robot);
  context->dynamics(options);
}

}  // namespace ulna::python
