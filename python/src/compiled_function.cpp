// ulna.CompiledFunction: a function of one robot, generated, compiled and loaded. Batches go
// through the code for packs of states, single calls past pybind11's dispatch, as in
// fast_method.hpp.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "argument_kinds.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "generate_options.hpp"
#include "interrupt.hpp"
#include "states.hpp"
#include "ulna/generate/compile.hpp"
#include "ulna/numerics/internal/instruction_set.hpp"

namespace ulna::python {
namespace {

/// How the outputs make the result of the method that the function stands for.
enum class ResultForm { arrays, pose, poses, energy, inverse_derivatives, forward_derivatives };

/// The function that stands for a method of Robot.
struct StandsFor {
  const char *method, *function;
  ResultForm form = ResultForm::arrays;
  unsigned matrices = 0;  ///< bits of the outputs that are matrices, also with one column
};
constexpr StandsFor compiled_methods[] = {
    {"fk", "forward-kinematics", ResultForm::pose},
    {"poses", "frame-poses", ResultForm::poses},
    {"jacobian", "jacobian", ResultForm::arrays, 0b1},
    {"inverse_dynamics", "inverse"},
    {"forward_dynamics", "forward"},
    {"mass_matrix", "mass", ResultForm::arrays, 0b1},
    {"bias", "bias"},
    {"gravity", "gravity"},
    {"energy", "energy", ResultForm::energy},
    {"inverse_dynamics_derivatives", "inverse-derivatives", ResultForm::inverse_derivatives, 0b111},
    {"forward_dynamics_derivatives", "forward-derivatives", ResultForm::forward_derivatives,
     0b1110},
    {"regressor", "regressor", ResultForm::arrays, 0b1}};

/// By the name of the method, or of the generated function; others have no method.
StandsFor stands_for(const std::string& name) {
  for (const StandsFor& one : compiled_methods)
    if (name == one.method || name == one.function) return one;
  return {nullptr, nullptr};
}

/// With its robot, which the general algorithm needs where there is no compiler.
struct Compiled {
  std::shared_ptr<RobotHandle> robot;
  CompiledFunction function;
  std::string name;  ///< of the method, where there is one
  ResultForm form = ResultForm::arrays;
  unsigned matrices = 0;  ///< as in StandsFor
  py::tuple made_of;      ///< function, frame, compiler, cache: what robot.compile was given

  bool takes_out() const {
    return form == ResultForm::pose ||
           (form == ResultForm::arrays && function.outputs().size() == 1);
  }
};

std::shared_ptr<Compiled> compiled(const std::shared_ptr<RobotHandle>& robot,
                                   const std::string& name, const py::object& frame,
                                   const std::string& compiler, bool use_cache) {
  CompileOptions options;
  options.trace = trace_options(*robot, frame);
  options.compiler = compiler;
  options.use_cache = use_cache;
  options.pack = instruction_set() == InstructionSet::v4 ? 8 : 4;
  const StandsFor what = stands_for(name);
  CompiledFunction function = interruptible(
      [&] { return compile(*robot->model, what.function ? what.function : name, options); });
  if (!function.warning().empty() &&
      PyErr_WarnEx(PyExc_RuntimeWarning, function.warning().c_str(), 1) != 0)
    throw py::error_already_set();
  return std::make_shared<Compiled>(
      Compiled{robot, std::move(function), what.method ? what.method : name, what.form,
               what.matrices, py::make_tuple(name, frame, compiler, use_cache)});
}

/// The arguments of a call, each (n,) or (N, n): coordinates first, then speeds and the like.
constexpr std::size_t most = 4;
struct Inputs {
  std::array<StateArgument, most> x;
  std::array<const double*, most> data;
  py::ssize_t count = -1;
  std::vector<py::object> named;  ///< what a state given by name was completed to
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

/// Where a keyword goes, `out` behind the inputs; TypeError for one that is no input.
std::size_t place_of_input(const Compiled& c, PyObject* keyword) {
  const std::vector<Argument>& wanted = c.function.inputs();
  for (std::size_t k = 0; k < wanted.size(); ++k)
    if (PyUnicode_CompareWithASCIIString(keyword, wanted[k].name.c_str()) == 0) return k;
  if (c.takes_out() && PyUnicode_CompareWithASCIIString(keyword, "out") == 0) return wanted.size();
  throw py::type_error(
      fmt::format("{}() got an unexpected keyword argument '{}'", c.name, written(keyword)));
}

/// Arguments by place and by name; speeds and the like that are left out are zero.
void sort_arguments(const Compiled& c, PyObject* args, PyObject* keywords,
                    std::array<PyObject*, most + 1>& slots) {
  const std::vector<Argument>& wanted = c.function.inputs();
  const auto given = static_cast<std::size_t>(PyTuple_GET_SIZE(args));
  if (given > wanted.size() || given > most)
    throw py::type_error(fmt::format("{}() takes at most {} argument{} ({} given)", c.name,
                                     wanted.size(), wanted.size() == 1 ? "" : "s", given));
  for (std::size_t k = 0; k < given; ++k) slots[k] = PyTuple_GET_ITEM(args, k);
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; keywords && PyDict_Next(keywords, &at, &key, &value);) {
    const std::size_t k = place_of_input(c, key);
    if (slots[k])
      throw py::type_error(
          fmt::format("{}() got multiple values for argument '{}'", c.name, written(key)));
    slots[k] = value;
  }
  if (!slots[0]) throw py::type_error(fmt::format("{}() missing required argument: 'q'", c.name));
  for (std::size_t k = 1; k <= wanted.size(); ++k)
    if (slots[k] == Py_None) slots[k] = nullptr;
}

/// A state of which some values are given by name, completed.
std::vector<py::object> completed(const Compiled& c, const std::array<PyObject*, most + 1>& slots) {
  const std::vector<Argument>& wanted = c.function.inputs();
  std::array<const char*, most> names;
  for (std::size_t k = 0; k < wanted.size(); ++k) names[k] = wanted[k].name.c_str();
  return named_state(*c.robot, {slots.data(), wanted.size()}, {names.data(), wanted.size()});
}

void read(const Compiled& c, std::array<PyObject*, most + 1> slots, Inputs& inputs) {
  const std::vector<Argument>& wanted = c.function.inputs();
  std::vector<py::object>& named = inputs.named;
  for (std::size_t k = 0; k < wanted.size() && named.empty(); ++k)
    if (slots[k] && PyDict_Check(slots[k])) named = completed(c, slots);
  for (std::size_t k = 0; k < named.size(); ++k) slots[k] = named[k].ptr();
  bool batch = false;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    inputs.x[k] = state_argument(*c.robot, slots[k], wanted[k].name.c_str(),
                                 k == 0 ? StateKind::coordinates : StateKind::speeds);
    batch = batch || inputs.x[k].count >= 0;
  }
  if (batch) fit(wanted, inputs);
  for (std::size_t k = 0; k < wanted.size(); ++k) inputs.data[k] = inputs.x[k].data;
}

ResultShape shape_of(const Compiled& c, std::size_t k, py::ssize_t count) {
  const Argument& output = c.function.outputs()[k];
  const bool matrix = output.cols > 1 || (c.matrices >> k & 1u);
  return matrix ? ResultShape(count, {output.rows, output.cols})
                : ResultShape(count, {output.rows});
}

/// Poses (..., 4, 4) from their positions and rotations, row by row.
void fill_poses(double* X, const double* positions, const double* rotations, py::ssize_t all) {
  for (py::ssize_t i = 0; i < all; ++i, X += 16, positions += 3, rotations += 9) {
    for (int r = 0; r < 3; ++r) {
      std::copy_n(rotations + 3 * r, 3, X + 4 * r);
      X[4 * r + 3] = positions[r];
    }
    X[12] = X[13] = X[14] = 0;
    X[15] = 1;
  }
}

py::object poses_of_frames(const double* positions, const double* rotations, py::ssize_t count,
                           py::ssize_t frames) {
  py::object out = new_array(ResultShape(count, {frames, 4, 4}).all());
  fill_poses(data_of(out), positions, rotations, (count < 0 ? 1 : count) * frames);
  return out;
}

/// {frame: pose}, views into one array.
py::dict by_frame(const RobotHandle& robot, const py::object& poses) {
  py::dict out;
  const py::slice all(0, 4, 1);
  int k = 0;
  for (const Frame& frame : robot.model->frames())
    out[py::str(frame.name)] =
        poses.attr("__getitem__")(py::make_tuple(py::ellipsis(), k++, all, all));
  return out;
}

/// (1,) is a number, (N, 1) is (N,).
py::object number_from(const py::object& array, py::ssize_t count) {
  if (count < 0) return py::float_(*data_of(array));
  return array.attr("reshape")(count);
}

/// The outputs as the method gives them.
py::object shaped(const Compiled& c, const std::array<py::object, most>& r, const Inputs& inputs,
                  PyObject* out) {
  const std::size_t n = c.function.outputs().size();
  const py::ssize_t count = inputs.count;
  switch (c.form) {
    case ResultForm::pose: {
      ResultArray X(out, ResultShape(count, {4, 4}), inputs.x);
      fill_poses(X.data(), data_of(r[0]), data_of(r[1]), count < 0 ? 1 : count);
      return X.take();
    }
    case ResultForm::poses:
      return by_frame(*c.robot, poses_of_frames(data_of(r[0]), data_of(r[1]), count,
                                                c.function.outputs()[0].rows));
    case ResultForm::energy:
      return result_class("Energy")(number_from(r[0], count), number_from(r[1], count));
    case ResultForm::inverse_derivatives:
      return result_class("InverseDerivatives")(r[0], r[1], r[2]);
    case ResultForm::forward_derivatives:  // the accelerations are the first output
      return result_class("ForwardDerivatives")(r[1], r[2], r[3], r[0]);
    case ResultForm::arrays:
      break;
  }
  py::tuple all(n);
  for (std::size_t k = 0; k < n; ++k) all[k] = r[k];
  return all;
}

/// Batches in pieces of some milliseconds, so that Ctrl-C is seen between them. The general
/// algorithm is slower and not made for several threads.
void compute(const CompiledFunction& f, const Inputs& inputs, double* const* outputs) {
  if (inputs.count < 0) {
    f(inputs.data.data(), outputs);
    return;
  }
  const py::ssize_t piece = f.compiled() ? 1 << 16 : 1 << 9;
  std::array<const double*, most> in = inputs.data;
  std::array<double*, most> out{};
  std::copy_n(outputs, f.outputs().size(), out.begin());
  InterruptWatch watch;
  const auto all = [&] {
    for (py::ssize_t i = 0; i < inputs.count && !watch.interrupted_now(); i += piece) {
      const py::ssize_t n = std::min(piece, inputs.count - i);
      f.batch(n, in.data(), out.data(), threads());
      for (std::size_t k = 0; k < f.inputs().size(); ++k) in[k] += n * f.inputs()[k].size();
      for (std::size_t k = 0; k < f.outputs().size(); ++k) out[k] += n * f.outputs()[k].size();
    }
  };
  if (f.compiled()) {
    const Unlocked unlocked;
    all();
  } else {
    all();
  }
  watch.rethrow();
}

py::object run_compiled(const Compiled& c, PyObject* args, PyObject* keywords) {
  const CompiledFunction& f = c.function;
  const std::size_t n = f.outputs().size();
  std::array<PyObject*, most + 1> slots{};
  sort_arguments(c, args, keywords, slots);
  PyObject* const out = slots[f.inputs().size()];
  Inputs inputs;
  read(c, slots, inputs);
  std::array<double*, most> data;
  if (c.form == ResultForm::arrays && n == 1) {
    ResultArray result(out, shape_of(c, 0, inputs.count), inputs.x);
    data[0] = result.data();
    compute(f, inputs, data.data());
    return result.take();
  }
  std::array<py::object, most> results;
  for (std::size_t k = 0; k < n; ++k) {
    results[k] = new_array(shape_of(c, k, inputs.count).all());
    data[k] = data_of(results[k]);
  }
  compute(f, inputs, data.data());
  return shaped(c, results, inputs, out);
}

PyObject* call(PyObject* self, PyObject* args, PyObject* keywords) {
  try {
    auto* const instance = reinterpret_cast<py::detail::instance*>(self);
    const void* const value =
        instance->simple_layout ? instance->get_value_and_holder().value_ptr() : nullptr;
    if (!value) throw py::type_error("robot.compile makes compiled functions");
    const Compiled& c = *static_cast<const Compiled*>(value);
    return run_compiled(c, args, keywords).release().ptr();
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
      "__call__(self, /, *args, **kwargs)\n--\n\nCalled like the method it replaces: arrays named "
      "in `inputs`, by position or name, each (n,) or\n(N, n); omitted arguments except q are "
      "zero."};
  auto* const object = reinterpret_cast<PyTypeObject*>(type.ptr());
  PyObject* method = PyDescr_NewMethod(object, &definition);
  if (!method) throw py::error_already_set();
  type.attr("__call__") = py::reinterpret_steal<py::object>(method);
  object->tp_call = call;
}

std::string compiled_text(const Compiled& c) {
  std::string inputs;
  for (const Argument& input : c.function.inputs())
    inputs += (inputs.empty() ? "" : ", ") + input.name;
  return fmt::format("<ulna.CompiledFunction {}({}) of '{}'{}>", c.name, inputs,
                     c.robot->model->name(), c.function.compiled() ? "" : ", not compiled");
}

/// What it takes, for inspect.signature.
py::object compiled_signature(const Compiled& c) {
  const py::module_ inspect = py::module_::import("inspect");
  const py::object parameter = inspect.attr("Parameter");
  py::list parameters;
  for (const Argument& input : c.function.inputs())
    parameters.append(parameters.empty()
                          ? parameter(input.name, parameter.attr("POSITIONAL_OR_KEYWORD"))
                          : parameter(input.name, parameter.attr("POSITIONAL_OR_KEYWORD"),
                                      py::arg("default") = py::none()));
  if (c.takes_out())
    parameters.append(
        parameter("out", parameter.attr("KEYWORD_ONLY"), py::arg("default") = py::none()));
  return inspect.attr("Signature")(parameters);
}

/// For pickle: robot.compile(...) again, which finds it in the cache.
py::tuple compiled_state(const Compiled& c) {
  return py::make_tuple(py::module_::import("ulna._recipes").attr("compile_again"),
                        py::make_tuple(c.robot, c.made_of));
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
  type.def_property_readonly(
          "name", [](const Compiled& c) { return c.name; },
          "Name of the method it replaces, or of the generated function.")
      .def_property_readonly(
          "robot", [](const Compiled& c) { return c.robot; }, "The robot it is a function of.")
      .def_property_readonly(
          "inputs", [](const Compiled& c) { return names_of(c.function.inputs()); },
          "Names of its arguments, in their order.")
      .def_property_readonly(
          "outputs", [](const Compiled& c) { return names_of(c.function.outputs()); },
          "Names of the results of the generated code.")
      .def_property_readonly(
          "operations", [](const Compiled& c) { return operation_dict(c.function.operations()); },
          "How many operations one call takes, by kind.")
      .def_property_readonly(
          "compiled", [](const Compiled& c) { return c.function.compiled(); },
          "False if there is no compiler; the general algorithm is used instead.")
      .def_property_readonly(
          "from_cache", [](const Compiled& c) { return c.function.from_cache(); },
          "Whether it was found in the user's cache folder.")
      .def_property_readonly(
          "warning", [](const Compiled& c) { return c.function.warning(); },
          "Why it was not compiled; empty when it was.")
      .def(
          "__getattr__",
          [](const Compiled& c, const std::string& name) -> py::object {
            // Properties would be taken for the class's own.
            if (name == "__name__") return py::str(c.name);
            if (name == "__signature__") return compiled_signature(c);
            throw py::attribute_error("'CompiledFunction' object has no attribute '" + name + "'");
          },
          py::arg("name"), "Only __name__ and __signature__, as of other functions.")
      .def("__repr__", &compiled_text)
      .def("__reduce__", &compiled_state)
      .def("__copy__", [](const std::shared_ptr<Compiled>& c) { return c; })
      .def(
          "__deepcopy__", [](const std::shared_ptr<Compiled>& c, const py::dict&) { return c; },
          py::arg("memo"));
  add_call(type);
  robot.def("compile", &compiled, py::arg("function") = "inverse_dynamics", py::kw_only(),
            py::arg("frame") = py::none(), py::arg("compiler") = "", py::arg("cache") = true,
            "A method of this robot, compiled by the system's C compiler and loaded: called in the "
            "same\nway with the same results. Single calls are faster, and batches if the geometry "
            "is simple.\nfunction: 'fk', 'poses', 'jacobian', 'inverse_dynamics', "
            "'forward_dynamics', 'mass_matrix', 'bias', 'gravity', 'energy', "
            "'regressor',\n'inverse_dynamics_derivatives', 'forward_dynamics_derivatives', or "
            "another of\nulna.function_names(). Kept in the user's cache folder; RuntimeWarning "
            "where there is no\ncompiler.");
}

}  // namespace ulna::python
