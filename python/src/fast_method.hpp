#pragma once
// Methods that are called a million times a second. pybind11's own dispatch costs about half a
// microsecond; here a method is a plain METH_FASTCALL function of CPython whose arguments are bound
// by hand. Everything else uses pybind11.
//
//   Signature gravity{"gravity", {"q"}, 1, 1};
//   py::object compute_gravity(RobotHandle& robot, PyObject** slots);
//   add_fast_method<gravity, compute_gravity>(robot_class, "(self, q)", "Efforts that ...");

#include <string>
#include <vector>

#include "bindings.hpp"
#include "errors.hpp"

namespace ulna::python {

/// Names of the parameters; the first `positional` may be given by place, the first `required` must
/// be given.
struct Signature {
  static constexpr int most = 10;
  const char* function;
  const char* names[most] = {};
  int positional = 0, required = 0;
  int count = 0;
  PyObject* interned[most] = {};

  Signature(const char* name, std::initializer_list<const char*> parameters, int by_place,
            int needed)
      : function(name), positional(by_place), required(needed) {
    for (const char* parameter : parameters) names[count++] = parameter;
  }
  void intern() {
    for (int k = 0; k < count; ++k) interned[k] = PyUnicode_InternFromString(names[k]);
  }
  /// Sorts the arguments of a call into slots, null where there is none, or None for what may be
  /// left out. TypeError as Python's own functions raise it.
  void bind(PyObject* const* args, Py_ssize_t given, PyObject* keywords, PyObject** slots) const;
};

/// The robot behind a Python object that CPython has found to be one.
inline RobotHandle& robot_of(PyObject* self) {
  auto* const instance = reinterpret_cast<py::detail::instance*>(self);
  if (!instance->simple_layout) [[unlikely]]
    throw py::type_error("an object of two compiled classes has no methods of ulna.Robot");
  void* const value = instance->get_value_and_holder().value_ptr();
  if (!value) throw py::type_error("Robot.__init__ was not called");
  return *static_cast<RobotHandle*>(value);
}

template <Signature& signature, py::object (*body)(RobotHandle&, PyObject**)>
PyObject* fast_entry(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* keywords) {
  try {
    PyObject* slots[Signature::most] = {};
    signature.bind(args, given, keywords, slots);
    return body(robot_of(self), slots).release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

/// `parameters` as Python writes them, for help() and inspect.signature: "(self, q, *, out=None)".
template <Signature& signature, py::object (*body)(RobotHandle&, PyObject**)>
void add_fast_method(RobotClass& robot, const char* parameters, const char* doc) {
  static std::string text;
  static PyMethodDef definition;
  text = std::string(signature.function) + parameters + "\n--\n\n" + doc;
  auto* const entry = fast_entry<signature, body>;
  definition = {signature.function,
                reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(entry)),
                METH_FASTCALL | METH_KEYWORDS, text.c_str()};
  signature.intern();
  PyObject* method = PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(robot.ptr()), &definition);
  if (!method) throw py::error_already_set();
  robot.attr(signature.function) = py::reinterpret_steal<py::object>(method);
}

}  // namespace ulna::python
