// Robot: the equations of one robot as source code (compiled_function.cpp: as a function).

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "generate_options.hpp"
#include "interrupt.hpp"
#include "kane.hpp"
#include "names.hpp"
#include "states.hpp"
#include "ulna/generate/internal/snap.hpp"
#include "ulna/generate/source.hpp"
#include "ulna/model/internal/actuator_inputs.hpp"
#include "ulna/model/internal/requirements.hpp"

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

/// The search for fewer operations: seconds, and the counts (multiplications, additions) it ends
/// at.
void set_search(TraceOptions& options, const std::string& function, double thorough,
                const std::optional<std::pair<int, int>>& at_most) {
  if (at_most && thorough == 0)
    throw InputError(Problem{{}, "at_most", "needs a search", "thorough=SECONDS with it", {}});
  if (thorough == 0) return;
  if (!(thorough > 0) || thorough > 1e6)
    throw InputError(
        Problem{{}, "thorough", fmt::format("{} s found", thorough), "seconds, more than 0", {}});
  if (!options.method.empty() || (function != "inverse" && function != "bias"))
    throw InputError(Problem{{},
                             "thorough",
                             fmt::format("there is no search for {}", function),
                             "function 'inverse' or 'bias' without method",
                             {}});
  options.thorough_seconds = thorough;
  options.at_most = at_most;
}

/// Of robots with loops: the motors, and where the rows of the closure are chosen.
void set_loops(TraceOptions& options, RobotHandle& robot, const py::object& actuated,
               const py::object& posture) {
  if (actuated.is_none() && posture.is_none()) return;
  require_loops(*robot.model, {}, ": actuated and posture are of robots with loops");
  options.actuated = motors_argument(robot, actuated).actuated;
  if (!posture.is_none())
    options.posture =
        robot.model->normalized(vector_of(posture, "posture", robot.model->coordinates()));
}

/// The robot with its right angles exact, if that is wanted.
std::shared_ptr<const Model> snapped(const RobotHandle& robot, double tolerance,
                                     std::vector<std::string>& changes) {
  if (tolerance == 0) return robot.model;
  Robot exact = robot.model->robot();
  changes = snap_right_angles(exact, tolerance);
  if (changes.empty()) return robot.model;
  return std::make_shared<const Model>(made_from(*robot.model, std::move(exact)));
}

py::object generate(RobotHandle& robot, const std::string& function, const std::string& language,
                    const py::object& frame, const std::vector<std::string>& symbolic,
                    const std::string& method, const py::object& speeds,
                    const std::string& precision, bool fixed_names, double snap, double thorough,
                    const std::optional<std::pair<int, int>>& at_most, const py::object& actuated,
                    const py::object& posture) {
  if (precision != "double" && precision != "float")
    throw InputError(Problem{{}, "precision", "found '" + precision + "'", "double or float", {}});
  TraceOptions options = trace_options(robot, frame, symbolic);
  options.method = method;
  if (!speeds.is_none()) options.speeds = speeds_choice(speeds);
  set_search(options, function, thorough, at_most);
  set_loops(options, robot, actuated, posture);
  std::vector<std::string> changes;
  const std::shared_ptr<const Model> model = snapped(robot, snap, changes);
  TracedFunction traced;
  const std::vector<SourceFile> files = interruptible([&] {
    const PrintOptions print{precision == "float", fixed_names};
    traced = renamed(trace(*model, function, options), print);
    return generate_source(*model, traced, language, options, print);
  });
  py::dict texts;
  for (const SourceFile& file : files) texts[py::str(file.name)] = file.content;
  return result_class("Generated")(traced.identifier(), traced.method, texts,
                                   operation_dict(traced.operations()), traced.parameters, changes);
}

}  // namespace

void add_generate(py::module_& m, RobotClass& robot) {
  robot.def("generate", &generate, py::arg("function") = "inverse", py::arg("language") = "c",
            py::kw_only(), py::arg("frame") = py::none(),
            py::arg("symbolic") = std::vector<std::string>{}, py::arg("method") = "",
            py::arg("speeds") = py::none(), py::arg("precision") = "double",
            py::arg("fixed_names") = false, py::arg("snap") = 0.0, py::arg("thorough") = 0.0,
            py::arg("at_most") = py::none(), py::arg("actuated") = py::none(),
            py::arg("posture") = py::none(),
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
