// ulna.synthesize; ulna.decoupling, ulna.fidelity, ulna.tip_study and Robot.stability_surface:
// studies of a robot.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "experiment_handle.hpp"
#include "interrupt.hpp"
#include "names.hpp"
#include "ulna/formats/internal/experiment_draft.hpp"
#include "ulna/formats/internal/read_synthesis.hpp"
#include "ulna/study/fidelity.hpp"
#include "ulna/study/internal/decoupling.hpp"
#include "ulna/study/internal/stability_surface.hpp"
#include "ulna/study/internal/tip_study.hpp"
#include "ulna/study/synthesis.hpp"

namespace ulna::python {
namespace studies {
namespace {

/// A file, the text of one, or what it would hold as a dict.
SynthesisTask task_argument(const RobotHandle& robot, const py::object& task) {
  const Robot& data = robot.model->robot();
  if (py::isinstance<py::dict>(task)) {
    const py::object plain =
        py::cpp_function([](const py::object& x) { return x.attr("tolist")(); });
    const std::string text =
        py::str(py::module_::import("json").attr("dumps")(task, py::arg("default") = plain));
    return read_synthesis_task_text(text, "task", data);
  }
  const std::string name = path_argument(task, "task");
  if (name.find('\n') != std::string::npos) return read_synthesis_task_text(name, "task", data);
  return read_synthesis_task(name, data);
}

SynthesisMethod method_argument(const std::string& name) {
  std::vector<const char*> names;
  const std::vector<SynthesisMethod> methods = synthesis_methods();
  for (const SynthesisMethod method : methods) names.push_back(name_of(method));
  return methods[static_cast<std::size_t>(choice(name, names, "method"))];
}

py::object design_result(const SynthesisTask& task, const Design& design) {
  py::dict values;
  for (std::size_t k = 0; k < task.variables.size(); ++k)
    values[py::str(task.variables[k].name)] = design.values(static_cast<Eigen::Index>(k));
  py::list postures;
  for (const Eigen::VectorXd& q : design.postures) postures.append(to_array(q));
  const py::object robot =
      py::cast(std::make_shared<RobotHandle>(std::make_shared<const Model>(design.robot)));
  const auto asked = [](bool wanted, double value) -> py::object {
    return wanted ? py::object(py::float_(value)) : py::object(py::none());
  };
  return result_class("Design")(robot, values, design.error, design.followed, postures, design.note,
                                asked(task.free_phase, design.phase),
                                asked(task.transmission.has_value(), design.transmission),
                                asked(task.speed_limit.has_value(), design.largest_speed));
}

py::object robot_synthesize(const std::shared_ptr<RobotHandle>& robot, const py::object& task,
                            const std::string& method, int restarts, int wanted, unsigned seed,
                            double tolerance) {
  if (!robot) throw py::type_error("robot must be an ulna.Robot, not None");
  for (const auto& [value, name] : {std::pair{restarts, "restarts"}, {wanted, "wanted"}})
    if (value < 1)
      throw InputError(Problem{{}, name, fmt::format("{} found", value), "1 or more", {}});
  if (!(tolerance > 0))
    throw InputError(Problem{{}, "tolerance", "is not positive", "a number above 0", {}});
  const SynthesisTask what = task_argument(*robot, task);
  SynthesisOptions options;
  options.method = method_argument(method);
  options.restarts = restarts;
  options.wanted = wanted;
  options.seed = seed;
  options.tolerance = tolerance;
  const SynthesisResult found =
      interruptible([&] { return synthesize(robot->model->robot(), what, options); });
  py::list designs;
  for (const Design& design : found.designs) designs.append(design_result(what, design));
  return result_class("Synthesis")(designs, found.starts, found.evaluations, found.seconds);
}

py::object decoupling_of(const ExperimentHandle& given, const py::object& inputs, int samples) {
  if (samples < 1)
    throw InputError(Problem{{}, "samples", fmt::format("{} found", samples), "1 or more", {}});
  const ExperimentHandle e = given;
  std::vector<int> chosen;
  if (!inputs.is_none()) chosen = degrees_argument(*e.robot, inputs, "inputs");
  const Decoupling d = interruptible([&] {
    const std::vector<MotionState> states = motion_states(e.data, samples);
    if (inputs.is_none()) chosen = decoupling_inputs(e.data, states.front().q);
    return decoupling(*e.data.model, chosen, states);
  });
  py::dict without;
  without["power"] = d.without_power;
  without["off_diagonal"] = d.without_off_diagonal;
  without["both"] = d.without_both;
  return result_class("Decoupling")(d.inputs, to_array(d.t), to_matrix(d.acceleration),
                                    to_matrix(d.velocity), to_matrix(d.gravity), to_matrix(d.total),
                                    to_array(d.inertia_coupling), to_array(d.power_coupling),
                                    d.rms_ratio, to_array(d.peak_ratio), to_array(d.correlation),
                                    d.peak, without);
}

py::object fidelity_of(const ExperimentHandle& given, const py::object& levels) {
  std::vector<ElasticLevel> chosen;
  if (!levels.is_none())
    for (const std::string& name : texts_argument(levels, "levels"))
      chosen.push_back(elastic_level_named(name));
  const ExperimentHandle e = given;
  const FidelityStudy study =
      interruptible([&] { return fidelity_study(e.data, std::move(chosen)); });
  py::list rows;
  for (const FidelityRow& row : study.rows)
    rows.append(result_class("FidelityRow")(
        name_of(row.level), row.complete, row.reason, row.t, to_array(row.peak), to_array(row.end),
        row.end_error.size() > 0 ? to_array(row.end_error) : py::object(py::none()),
        row.deflection_error, row.energy_balance, row.wall_seconds, row.evaluations, row.notes,
        to_array(row.times), to_matrix(row.deflection)));
  return result_class("Fidelity")(study.bodies, rows);
}

py::object tip_study_of(const py::object& experiment) {
  const ReadDraft read = read_experiment_draft(path_argument(experiment, "experiment"), {});
  const std::vector<TipRun> runs = interruptible([&] { return tip_study(read.draft); });
  py::list rows;
  for (const TipRun& run : runs)
    rows.append(result_class("TipRow")(run.method, run.complete, run.reason, run.peak, run.rms,
                                       run.residual, run.peak_effort, run.preview, run.end,
                                       to_array(run.t), to_array(run.error)));
  return result_class("TipStudy")(rows);
}

int flexible_link(const Model& model, const py::object& body) {
  std::vector<const char*> names;
  for (const FlexibleLink& link : model.flexible_links())
    names.push_back(model.bodies()[link.body].name.c_str());
  if (names.empty())
    throw InputError("robot '" + model.name() + "' has no flexible link",
                     "a robot with flexible links");
  if (body.is_none()) return static_cast<int>(names.size()) - 1;
  return choice(text_argument(body, "body"), names, "body");
}

py::object stability(const RobotHandle& robot, const py::object& body, const py::object& spin,
                     const py::object& axial) {
  const Model& model = *robot.model;
  const int link = flexible_link(model, body);
  const auto list = [](const py::object& given, const char* name, double from, double to) {
    std::vector<double> values;
    if (given.is_none()) {
      for (double x = from; x < to + 0.125; x += 0.25) values.push_back(x);
      return values;
    }
    const Eigen::VectorXd x = vector_of(given, name);
    if (!x.allFinite())
      throw InputError(Problem{{}, name, "holds a number that is not finite", "numbers", {}});
    values.assign(x.begin(), x.end());
    return values;
  };
  const std::vector<double> x = list(spin, "spin", 0.25, 3), z = list(axial, "axial", -0.5, 0.5);
  const StabilitySurface s = interruptible([&] { return stability_surface(model, link, x, z); });
  const auto array = [](const std::vector<double>& values) {
    return to_array(Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values)));
  };
  return result_class("StabilitySurface")(model.bodies()[model.flexible_links()[link].body].name,
                                          s.first_frequency, s.length, array(s.x), array(s.z),
                                          to_array(s.critical), to_matrix(s.y), s.spin, s.axial);
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const SynthesisMethod method : synthesis_methods()) names.emplace_back(name_of(method));
  return names;
}

}  // namespace
}  // namespace studies

void add_studies(py::module_& m, RobotClass& robot) {
  using namespace studies;
  m.def("synthesize", &robot_synthesize, py::arg("robot"), py::arg("task"), py::kw_only(),
        py::arg("method") = "gauss-newton", py::arg("restarts") = 100, py::arg("wanted") = 5,
        py::arg("seed") = 1, py::arg("tolerance") = 1e-9,
        "Dimensions of a mechanism for which one of its frames meets given targets.\n\ntask: a "
        "file (docs/synthesis.md), its text, or a dict with the same keys. method: one "
        "of\nulna.synthesis_methods(). Returns the designs found, the best first, each with its "
        "robot.");
  m.def("synthesis_methods", &method_names, "Search methods of ulna.synthesize.");
  m.def("decoupling", &decoupling_of, py::arg("experiment"), py::kw_only(),
        py::arg("inputs") = py::none(), py::arg("samples") = 100,
        "Compares, along the motions of an experiment, efforts due to accelerations with those due "
        "to\nvelocities and the diagonals of I* and P* with their other entries, and gives the "
        "error of the\nefforts without these. inputs: names (default: the drives of a platform, "
        "joints with motions of\nother robots with loops, all speeds of a tree).");
  m.def("fidelity", &fidelity_of, py::arg("experiment"), py::arg("levels") = py::none(),
        "The experiment at each level of modelling flexible links (ulna.elastic_levels()): peak\n"
        "deflections, where joints end against 'exact', energy balance, time.");
  m.def("tip_study", &tip_study_of, py::arg("experiment"),
        "Runs an experiment file of a flexible robot with each method of tip tracking: joint "
        "control\nalone, input shaping, inversion, feedback (docs/theory/tip-tracking.md). Returns "
        "the distance of\nthe frame from its path over time and its largest value.");
  robot.def("stability_surface", &stability, py::kw_only(), py::arg("body") = py::none(),
            py::arg("spin") = py::none(), py::arg("axial") = py::none(),
            "Stability boundary of a flexible link (default: the last) on a moving base, in terms "
            "of the\nspin (relative to its first frequency w1), transverse velocity (to l w1) and "
            "axial acceleration\n(to l w1^2) of the base.");
}

}  // namespace ulna::python
