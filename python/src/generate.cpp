// Robot: the equations of one robot as source code (compiled_function.cpp: as a function).

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "generate_options.hpp"
#include "interrupt.hpp"
#include "kane.hpp"
#include "names.hpp"
#include "ulna/generate/source.hpp"

namespace ulna::python {

TraceOptions trace_options(const RobotHandle& robot, const py::object& frame,
                           const std::vector<std::string>& symbolic) {
  TraceOptions options;
  options.frame = frame_argument(robot, frame.is_none() ? nullptr : frame.ptr(), "frame");
  constexpr const char* known[] = {"inertias", "lengths", "payloads"};
  bool* const flags[] = {&options.symbolic_inertias, &options.symbolic_lengths,
                         &options.symbolic_payloads};
  for (const std::string& word : symbolic) *flags[choice(word, known, "symbolic")] = true;
  return options;
}

py::dict operation_dict(const OperationCount& n) {
  py::dict out;
  out["mul"] = n.multiplications;
  out["add"] = n.additions;
  out["div"] = n.divisions;
  out["sqrt"] = n.square_roots;
  out["trig"] = n.sincos_pairs;
  return out;
}

namespace {

py::object generate(const RobotHandle& robot, const std::string& function,
                    const std::string& language, const py::object& frame,
                    const std::vector<std::string>& symbolic, const std::string& method,
                    const py::object& speeds, const std::string& precision, bool fixed_names) {
  if (precision != "double" && precision != "float")
    throw InputError(Problem{{}, "precision", "found '" + precision + "'", "double or float", {}});
  TraceOptions options = trace_options(robot, frame, symbolic);
  options.method = method;
  if (!speeds.is_none()) options.speeds = speeds_choice(speeds);
  TracedFunction traced;
  const std::vector<SourceFile> files = interruptible([&] {
    const PrintOptions print{precision == "float", fixed_names};
    traced = renamed(trace(*robot.model, function, options), print);
    return generate_source(*robot.model, traced, language, options, print);
  });
  py::dict texts;
  for (const SourceFile& file : files) texts[py::str(file.name)] = file.content;
  return result_class("Generated")(traced.identifier(), traced.method, texts,
                                   operation_dict(traced.operations()), traced.parameters);
}

}  // namespace

void add_generate(py::module_& m, RobotClass& robot) {
  robot.def("generate", &generate, py::arg("function") = "inverse", py::arg("language") = "c",
            py::kw_only(), py::arg("frame") = py::none(),
            py::arg("symbolic") = std::vector<std::string>{}, py::arg("method") = "",
            py::arg("speeds") = py::none(), py::arg("precision") = "double",
            py::arg("fixed_names") = false,
            "Straight-line source code of a function of this robot, together with a "
            "test.\n\nfunction: see ulna.function_names; language: see ulna.language_names. "
            "symbolic: 'inertias',\n'lengths' as arguments instead of numbers. method: a "
            "formulation, as in ulna.formulations(),\ninstead of the shortest form; 'kane' takes "
            "speeds, as Robot.kane does. precision: 'double', or 'float'\nfor c and c++. "
            "fixed_names: names without that of the robot.");
  m.def("function_names", &function_names, "Functions that can be generated.");
  m.def("language_names", &language_names, "Languages that can be generated.");
}

}  // namespace ulna::python
