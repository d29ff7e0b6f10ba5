// The module ulna._core: the library as Python sees it. One file per subject (bindings.hpp); the
// package in ulna/ adds plots, notebooks and printed tables.

#include <string>
#include <unordered_map>

#include "bindings.hpp"
#include "errors.hpp"
#include "python_lock.hpp"
#include "states.hpp"
#include "ulna/numerics/internal/instruction_set.hpp"

namespace ulna::python {

py::object result_class(const char* name) {
  // Kept for ever: an entry is needed as long as the module is.
  static std::unordered_map<std::string, PyObject*> classes;
  PyObject*& found = classes[name];
  if (!found) found = py::object(py::module_::import("ulna.results").attr(name)).release().ptr();
  return py::reinterpret_borrow<py::object>(found);
}

namespace {

/// What pybind11 and the caches here keep belongs to the process; a second interpreter would share
/// it, and leave it behind when it ends.
void require_main_interpreter() {
  if (PyInterpreterState_Get() != PyInterpreterState_Main())
    throw std::runtime_error(
        "ulna cannot be imported in a sub-interpreter: use the main interpreter, or processes");
}

/// pybind11 gives an object whose __init__ was never called (Robot.__new__(Robot)) raw memory when
/// it is first used. Here it raises.
void refuse_uninitialised(const py::module_& m) {
  for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(m.attr("__dict__"))) {
    if (!PyType_Check(value.ptr())) continue;
    auto* const type = reinterpret_cast<PyTypeObject*>(value.ptr());
    if (py::detail::type_info* const info = py::detail::get_type_info(type))
      info->operator_new = [](std::size_t) -> void* { throw py::type_error(uninitialised_text); };
  }
}

newfunc new_object = nullptr;  ///< pybind11's own

/// An object of a class that holds nothing of C++, such as the base of all: pybind11 would throw
/// through the interpreter.
PyObject* new_object_or_error(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  try {
    return new_object(type, args, keywords);
  } catch (const std::exception&) {
    PyErr_SetString(PyExc_TypeError, uninitialised_text);
    return nullptr;
  }
}

/// CPython wants all classes of one layout to make objects by the same function.
void guard_objects(const py::module_& m, const RobotClass& robot) {
  PyTypeObject* const base = reinterpret_cast<PyTypeObject*>(robot.ptr())->tp_base;
  if (base->tp_new == new_object_or_error) return;
  new_object = base->tp_new;
  base->tp_new = new_object_or_error;
  for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(m.attr("__dict__"))) {
    if (!PyType_Check(value.ptr())) continue;
    auto* const type = reinterpret_cast<PyTypeObject*>(value.ptr());
    if (type->tp_new == new_object) type->tp_new = new_object_or_error;
  }
}

}  // namespace
}  // namespace ulna::python

PYBIND11_MODULE(_core, m) {
  using namespace ulna::python;
  require_main_interpreter();
  m.doc() = "Kinematics and dynamics of robots, compiled.";
  m.attr("__version__") = ULNA_VERSION;
  m.def("threads", &threads, "How many threads a batch may use.");
  m.def("set_threads", &set_threads, py::arg("count"),
        "Lets batches use this many threads; 0 (the default): one per core.");
  m.def(
      "instruction_set", [] { return std::string(ulna::name_of(ulna::instruction_set())); },
      "The kernels that were chosen for this processor.");
  add_errors(m);
  RobotClass robot = add_robot(m);
  add_builder(m, robot);
  add_kinematics(robot);
  add_inverse_kinematics(robot);
  add_dynamics(robot);
  add_dynamics_class(m);
  add_terms(robot);
  add_energy(robot);
  add_reactions(robot);
  add_influence(robot);
  add_kane(robot);
  add_matrices(robot);
  add_homogeneous(m);
  add_flexible(m, robot);
  add_modes(m, robot);
  add_structure(robot);
  add_platform(m, robot);
  add_derivatives(robot);
  add_regressor(robot);
  add_logs(m, robot);
  add_loops(robot);
  add_loop_equations(robot);
  add_motions(m);
  add_paths(m, robot);
  add_experiment(m);
  add_simulate(m);
  add_linear(m, robot);
  add_generate(m, robot);
  add_compiled(m, robot);
  add_verify(robot);
  add_report(m, robot);
  add_editing(robot);
  add_studies(m, robot);
  add_study_rows(m);
  add_timing(robot);
  add_formats(robot);
  refuse_uninitialised(m);
  guard_objects(m, robot);
  guard_calls(m);
  stop_at_the_end();
}
