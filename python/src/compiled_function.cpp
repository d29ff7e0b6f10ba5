// ulna.CompiledFunction: a function of one robot, generated, compiled and loaded. Batches go
// through the code for packs of states, single calls past pybind11's dispatch, as in
// fast_method.hpp.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "errors.hpp"
#include "generate_options.hpp"
#include "states.hpp"
#include "ulna/generate/compile.hpp"
#include "ulna/numerics/internal/instruction_set.hpp"

namespace ulna::python {
namespace {

/// With its robot, which the general algorithm needs where there is no compiler.
struct Compiled {
  std::shared_ptr<RobotHandle> robot;
  CompiledFunction function;
  std::string name;
};

std::shared_ptr<Compiled> compiled(const std::shared_ptr<RobotHandle>& robot,
                                   const std::string& name, const py::object& frame,
                                   const std::string& compiler, bool use_cache) {
  CompileOptions options;
  options.trace = trace_options(*robot, frame);
  options.compiler = compiler;
  options.use_cache = use_cache;
  options.pack = instruction_set() == InstructionSet::v4 ? 8 : 4;
  const py::gil_scoped_release unlocked;
  return std::make_shared<Compiled>(Compiled{robot, compile(*robot->model, name, options), name});
}

/// The arguments of a call, each (n,) or (N, n): coordinates first, then speeds and the like.
constexpr std::size_t most = 4;
struct Inputs {
  std::array<StateArgument, most> x;
  std::array<const double*, most> data;
  py::ssize_t count = -1;
};

void fit(const std::vector<Argument>& wanted, Inputs& inputs) {
  const std::size_t n = wanted.size();
  std::array<py::ssize_t, most> counts;
  std::array<const char*, most> names;
  for (std::size_t k = 0; k < n; ++k) {
    counts[k] = inputs.x[k].count;
    names[k] = wanted[k].name.c_str();
  }
  inputs.count = common_count({counts.data(), n}, {names.data(), n});
  if (inputs.count < 0) return;
  for (std::size_t k = 0; k < n; ++k) {
    if (inputs.x[k].count != inputs.count) inputs.x[k].serve_all();
    lay_out(inputs.x[k], inputs.count);
  }
}

void read(const Compiled& c, PyObject* args, Inputs& inputs) {
  const std::vector<Argument>& wanted = c.function.inputs();
  const auto given = static_cast<std::size_t>(PyTuple_GET_SIZE(args));
  if (given != wanted.size() || given > most)
    throw py::type_error(fmt::format("{}() takes {} argument{} ({} given)", c.name, wanted.size(),
                                     wanted.size() == 1 ? "" : "s", given));
  bool batch = false;
  for (std::size_t k = 0; k < given; ++k) {
    inputs.x[k] = state_argument(*c.robot, PyTuple_GET_ITEM(args, k), wanted[k].name.c_str(),
                                 k == 0 ? StateKind::coordinates : StateKind::speeds);
    batch = batch || inputs.x[k].count >= 0;
  }
  if (batch) fit(wanted, inputs);
  for (std::size_t k = 0; k < given; ++k) inputs.data[k] = inputs.x[k].data;
}

py::object output_array(const Argument& output, py::ssize_t count) {
  return output.cols > 1 ? new_array(ResultShape(count, {output.rows, output.cols}).all())
                         : new_array(ResultShape(count, {output.rows}).all());
}

py::object run_compiled(const Compiled& c, PyObject* args) {
  const CompiledFunction& f = c.function;
  Inputs inputs;
  read(c, args, inputs);
  std::array<py::object, most> results;
  std::array<double*, most> data;
  const std::size_t n = f.outputs().size();
  for (std::size_t k = 0; k < n; ++k) {
    results[k] = output_array(f.outputs()[k], inputs.count);
    data[k] = data_of(results[k]);
  }
  if (inputs.count < 0) {
    f(inputs.data.data(), data.data());
  } else if (!f.compiled()) {  // the general algorithm is not made for several threads
    f.batch(inputs.count, inputs.data.data(), data.data());
  } else {
    const py::gil_scoped_release unlocked;
    f.batch(inputs.count, inputs.data.data(), data.data(), threads());
  }
  if (n == 1) return results[0];
  py::tuple all(n);
  for (std::size_t k = 0; k < n; ++k) all[k] = results[k];
  return all;
}

PyObject* call(PyObject* self, PyObject* args, PyObject* keywords) {
  try {
    auto* const instance = reinterpret_cast<py::detail::instance*>(self);
    const void* const value = instance->get_value_and_holder().value_ptr();
    if (!value) throw py::type_error("robot.compile makes compiled functions");
    const Compiled& c = *static_cast<const Compiled*>(value);
    if (keywords && PyDict_GET_SIZE(keywords) > 0)
      throw py::type_error(fmt::format("{}() takes no keyword arguments", c.name));
    return run_compiled(c, args).release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

/// `__call__` for help and inspection, then straight into the slot that calls use.
void add_call(py::handle type) {
  static PyMethodDef definition = {
      "__call__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
      METH_VARARGS | METH_KEYWORDS,
      "__call__(self, *args)\n--\n\n"
      "The outputs for the arrays named in `inputs`, each (n,) or (N, n); several as a tuple."};
  auto* const object = reinterpret_cast<PyTypeObject*>(type.ptr());
  PyObject* method = PyDescr_NewMethod(object, &definition);
  if (!method) throw py::error_already_set();
  type.attr("__call__") = py::reinterpret_steal<py::object>(method);
  object->tp_call = call;
}

std::vector<std::string> names_of(const std::vector<Argument>& arguments) {
  std::vector<std::string> names;
  for (const Argument& argument : arguments) names.push_back(argument.name);
  return names;
}

}  // namespace

void add_compiled(py::module_& m, RobotClass& robot) {
  py::class_<Compiled, std::shared_ptr<Compiled>> type(
      m, "CompiledFunction",
      "A function of one robot, generated, compiled and loaded. Call it with the arrays named in\n"
      "`inputs`, of shape (n,) or (N, n).");
  type.def_property_readonly("name", [](const Compiled& c) { return c.name; })
      .def_property_readonly("inputs",
                             [](const Compiled& c) { return names_of(c.function.inputs()); })
      .def_property_readonly("outputs",
                             [](const Compiled& c) { return names_of(c.function.outputs()); })
      .def_property_readonly(
          "operations", [](const Compiled& c) { return operation_dict(c.function.operations()); })
      .def_property_readonly(
          "compiled", [](const Compiled& c) { return c.function.compiled(); },
          "False where there is no compiler: the general algorithm stands in.")
      .def_property_readonly("from_cache",
                             [](const Compiled& c) { return c.function.from_cache(); })
      .def_property_readonly("warning", [](const Compiled& c) { return c.function.warning(); });
  add_call(type);
  robot.def("compile", &compiled, py::arg("function") = "inverse", py::kw_only(),
            py::arg("frame") = py::none(), py::arg("compiler") = "", py::arg("cache") = true,
            "The same, compiled by the system's C compiler and loaded: a function of arrays and\n"
            "batches, faster than the general one. Kept in the user's cache folder.");
}

}  // namespace ulna::python
