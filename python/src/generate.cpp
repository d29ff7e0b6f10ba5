// Robot: the equations of one robot as source code, and compiled into a function.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <filesystem>
#include <fstream>

#include "bindings.hpp"
#include "names.hpp"
#include "states.hpp"
#include "ulna/generate/compile.hpp"
#include "ulna/generate/source.hpp"

namespace ulna::python {
namespace {

TraceOptions trace_options(const RobotHandle& robot, const py::object& frame,
                           const std::vector<std::string>& symbolic = {}) {
  TraceOptions options;
  options.frame = frame_argument(robot, frame.is_none() ? nullptr : frame.ptr(), "frame");
  constexpr const char* known[] = {"inertias", "lengths"};
  for (const std::string& word : symbolic)
    (choice(word, known, "symbolic") == 0 ? options.symbolic_inertias : options.symbolic_lengths) =
        true;
  return options;
}

py::dict counts(const OperationCount& n) {
  py::dict out;
  out["mul"] = n.multiplications;
  out["add"] = n.additions;
  out["div"] = n.divisions;
  out["sqrt"] = n.square_roots;
  out["trig"] = n.sincos_pairs;
  return out;
}

py::object generate(const RobotHandle& robot, const std::string& function,
                    const std::string& language, const py::object& frame,
                    const std::vector<std::string>& symbolic) {
  const TraceOptions options = trace_options(robot, frame, symbolic);
  TracedFunction traced;
  std::vector<SourceFile> files;
  {
    const py::gil_scoped_release unlocked;
    traced = trace(*robot.model, function, options);
    files = generate_source(*robot.model, traced, language, options);
  }
  py::dict texts;
  for (const SourceFile& file : files) texts[py::str(file.name)] = file.content;
  return result_class("Generated")(traced.identifier(), traced.method, texts,
                                   counts(traced.operations()), traced.parameters);
}

/// A compiled function with its robot, which the general algorithm needs where there is no
/// compiler.
struct Compiled {
  std::shared_ptr<const Model> model;
  CompiledFunction function;
  std::string name;
};

std::shared_ptr<Compiled> compiled(const RobotHandle& robot, const std::string& name,
                                   const py::object& frame, const std::string& compiler,
                                   bool use_cache) {
  CompileOptions options;
  options.trace = trace_options(robot, frame);
  options.compiler = compiler;
  options.use_cache = use_cache;
  const py::gil_scoped_release unlocked;
  return std::make_shared<Compiled>(
      Compiled{robot.model, compile(*robot.model, name, options), name});
}

/// The arguments of a call: each (size,) or (N, size).
struct Inputs {
  std::vector<StateArgument> x;
  py::ssize_t count = -1;
};

Inputs inputs_of(const CompiledFunction& function, const py::args& args) {
  const std::vector<Argument>& wanted = function.inputs();
  if (args.size() != wanted.size())
    throw py::type_error(
        fmt::format("{} arguments expected, {} given", wanted.size(), args.size()));
  Inputs inputs;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const int n = wanted[k].size();
    const Array array = numbers(args[k], wanted[k].name.c_str());
    const bool batch = array.ndim() == 2;
    if (array.ndim() < 1 || array.ndim() > 2 || array.shape(array.ndim() - 1) != n)
      throw InputError(Problem{{},
                               wanted[k].name,
                               "has shape " + shape_text(array),
                               fmt::format("({},) or (N, {})", n, n),
                               {}});
    if (batch && inputs.count >= 0 && array.shape(0) != inputs.count)
      refuse_count(wanted[k].name.c_str(), array.shape(0), wanted[0].name.c_str(), inputs.count);
    if (batch) inputs.count = array.shape(0);
    inputs.x.push_back({array.data(), batch ? n : 0, batch ? array.shape(0) : -1, array});
  }
  return inputs;
}

py::object call(const Compiled& compiled, const py::args& args) {
  const CompiledFunction& f = compiled.function;
  const Inputs inputs = inputs_of(f, args);
  std::vector<py::object> results;
  std::vector<double*> data;
  std::vector<py::ssize_t> steps;
  for (const Argument& output : f.outputs()) {
    std::vector<py::ssize_t> shape;
    if (inputs.count >= 0) shape.push_back(inputs.count);
    shape.push_back(output.rows);
    if (output.cols > 1) shape.push_back(output.cols);
    results.push_back(new_array(shape));
    data.push_back(data_of(results.back()));
    steps.push_back(output.size());
  }
  const auto run = [&](py::ssize_t i) {
    const double* in[8];
    double* out[8];
    for (std::size_t k = 0; k < inputs.x.size(); ++k) in[k] = inputs.x[k].row(i);
    for (std::size_t k = 0; k < data.size(); ++k) out[k] = data[k] + i * steps[k];
    f(in, out);
  };
  if (inputs.count < 0) {
    run(0);
  } else if (f.compiled()) {  // the general algorithm is not made for several threads
    const py::gil_scoped_release unlocked;
    const py::ssize_t used = std::clamp<py::ssize_t>(inputs.count / cheap_share, 1, threads());
    std::vector<std::jthread> crew;
    const auto share = [&](py::ssize_t k) {
      for (py::ssize_t i = inputs.count * k / used; i < inputs.count * (k + 1) / used; ++i) run(i);
    };
    for (py::ssize_t k = 1; k < used; ++k) crew.emplace_back(share, k);
    share(0);
  } else {
    for (py::ssize_t i = 0; i < inputs.count; ++i) run(i);
  }
  if (results.size() == 1) return results[0];
  return py::tuple(py::cast(results));
}

std::vector<std::string> names_of(const std::vector<Argument>& arguments) {
  std::vector<std::string> names;
  for (const Argument& argument : arguments) names.push_back(argument.name);
  return names;
}

}  // namespace

void add_generate(py::module_& m, RobotClass& robot) {
  py::class_<Compiled, std::shared_ptr<Compiled>>(
      m, "CompiledFunction",
      "A function of one robot, generated, compiled and loaded. Call it with the arrays named in\n"
      "`inputs`, of shape (n,) or (N, n).")
      .def("__call__", &call)
      .def_property_readonly("name", [](const Compiled& c) { return c.name; })
      .def_property_readonly("inputs",
                             [](const Compiled& c) { return names_of(c.function.inputs()); })
      .def_property_readonly("outputs",
                             [](const Compiled& c) { return names_of(c.function.outputs()); })
      .def_property_readonly("operations",
                             [](const Compiled& c) { return counts(c.function.operations()); })
      .def_property_readonly(
          "compiled", [](const Compiled& c) { return c.function.compiled(); },
          "False where there is no compiler: the general algorithm stands in.")
      .def_property_readonly("from_cache",
                             [](const Compiled& c) { return c.function.from_cache(); })
      .def_property_readonly("warning", [](const Compiled& c) { return c.function.warning(); });
  robot
      .def("generate", &generate, py::arg("function") = "inverse", py::arg("language") = "c",
           py::kw_only(), py::arg("frame") = py::none(),
           py::arg("symbolic") = std::vector<std::string>{},
           "Straight-line source code of a function of this robot, with a test beside it.\n\n"
           "function: see ulna.function_names; language: see ulna.language_names. symbolic: "
           "'inertias',\n'lengths' as arguments instead of numbers.")
      .def("compile", &compiled, py::arg("function") = "inverse", py::kw_only(),
           py::arg("frame") = py::none(), py::arg("compiler") = "", py::arg("cache") = true,
           "The same, compiled by the system's C compiler and loaded: a function of arrays and\n"
           "batches, faster than the general one. Kept in the user's cache folder.");
  m.def("function_names", &function_names, "Functions that can be generated.");
  m.def("language_names", &language_names, "Languages that can be generated.");
}

}  // namespace ulna::python
