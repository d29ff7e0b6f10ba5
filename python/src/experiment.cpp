// ulna.Experiment: a robot, how long, with which integrator, what to record (drives.cpp: what
// drives it).

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "experiment_handle.hpp"
#include "names.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna::python {
namespace {

using Handle = ExperimentHandle;

Handle& stop_when(Handle& e, const std::string& channel, std::optional<double> above,
                  std::optional<double> below, std::optional<double> passes,
                  const std::string& name, bool go_on) {
  if (above.has_value() + below.has_value() + passes.has_value() != 1)
    throw InputError("an event needs a value", "one of above, below and passes");
  Event event;
  event.name = name.empty() ? channel : name;
  event.channel = channel;
  event.value = above ? *above : below ? *below : *passes;
  event.direction = above   ? Event::Direction::rising
                    : below ? Event::Direction::falling
                            : Event::Direction::either;
  event.stops = !go_on;
  e.data.events.push_back(std::move(event));
  return e;
}

Handle& integrator(Handle& e, const std::optional<std::string>& method, std::optional<double> rtol,
                   std::optional<double> atol, std::optional<double> step,
                   std::optional<double> largest_step, std::optional<long> most_steps) {
  IntegratorOptions& options = e.data.integrator;
  if (method) {
    const auto found = integrator_from_name(*method);
    if (!found)
      throw InputError(Problem{{},
                               "method",
                               fmt::format("'{}' is no integrator", *method),
                               fmt::format("one of {}", fmt::join(integrator_names(), ", ")),
                               nearest_name_hint(*method, integrator_names())});
    options.method = *found;
  }
  if (rtol) {
    options.tolerances.relative = *rtol;
    options.tolerances.absolute = 1e-2 * *rtol;
  }
  if (atol) options.tolerances.absolute = *atol;
  if (step) options.step = *step;
  if (largest_step) options.largest_step = *largest_step;
  if (most_steps) options.most_steps = *most_steps;
  return e;
}

Handle& set_method(Handle& e, const std::optional<std::string>& method,
                   const std::optional<std::string>& closing) {
  constexpr const char* closings[] = {"multipliers", "embedding"};
  e.data.method = method && *method != "automatic" ? *method : "";
  if (closing) e.data.closing = static_cast<LoopMethod>(choice(*closing, closings, "closing"));
  return e;
}

/// Names in a list, or in one text with commas between them.
std::vector<std::string> channels_argument(const py::object& channels) {
  if (!py::isinstance<py::str>(channels)) return channels.cast<std::vector<std::string>>();
  std::vector<std::string> names;
  for (const py::handle part : channels.attr("split")(","))
    names.push_back(py::str(part.attr("strip")()));
  return names;
}

Handle& record(Handle& e, const py::object& channels, std::optional<double> interval,
               bool interpolate) {
  if (!channels.is_none()) e.data.record.channels = channels_argument(channels);
  if (interval) e.data.record.interval = *interval;
  e.data.record.interpolate = interpolate;
  return e;
}

Handle from(ReadExperiment read) {
  auto robot = std::make_shared<RobotHandle>(read.experiment.model, std::move(read.report));
  return {std::move(robot), std::move(read.experiment), std::move(read.text), {}};
}

Callbacks* callbacks_of_experiment(void* handle) {
  return &static_cast<Handle*>(handle)->callbacks;
}

py::object state_or_none(const Eigen::VectorXd& x) {
  return x.size() == 0 ? py::object(py::none()) : to_array(x);
}
void add_settings(ExperimentClass& c) {
  constexpr auto same = py::return_value_policy::reference_internal;
  const py::none none;
  c.def("stop_when", &stop_when, same, py::arg("channel"), py::kw_only(), py::arg("above") = none,
        py::arg("below") = none, py::arg("passes") = none, py::arg("name") = "",
        py::arg("go_on") = false,
        "Ends the run where a channel passes a value; with go_on=True it is only noted.")
      .def(
          "feel_limits",
          [](Handle& e, double restitution, double rest_speed) -> Handle& {
            e.data.stops = {true, restitution, rest_speed};
            return e;
          },
          same, py::arg("restitution") = 0.0, py::arg("rest_speed") = 1e-4,
          "Joints feel the limits of the robot.")
      .def("integrator", &integrator, same, py::arg("method") = none, py::kw_only(),
           py::arg("rtol") = none, py::arg("atol") = none, py::arg("step") = none,
           py::arg("largest_step") = none, py::arg("most_steps") = none,
           "The method (one of ulna.integrator_names()) and its tolerances or step.")
      .def("record", &record, same, py::arg("channels") = none, py::kw_only(),
           py::arg("interval") = none, py::arg("interpolate") = false,
           "Channels, groups ('q', 'v', 'a', 'tau', 'reference', 'energy', 'momentum', 'power',\n"
           "'frame.NAME', 'constraint', 'contact', 'nonholonomic', ...; docs/experiment-file.md) "
           "or\n"
           "single ones ('q.joint1'), in a list or in one text ('q,tau'), and the time between\n"
           "records.")
      .def(
          "elastic",
          [](Handle& e, const std::string& level) -> Handle& {
            e.data.elastic = level_argument(level);
            return e;
          },
          same, py::arg("level"),
          "Level of fidelity of flexible links, as in ulna.elastic_levels(); 'exact' at first.")
      .def("method", &set_method, same, py::arg("method") = none, py::kw_only(),
           py::arg("closing") = none,
           "The formulation of the equations of motion, such as 'kane', the fastest when None, and "
           "with\nloops how they are closed: 'multipliers' or 'embedding'.")
      .def(
          "inverse",
          [](const Handle& e) {
            return Handle{e.robot, inverse_of(e.data), e.text, e.callbacks};
          },
          "The same experiment with every joint that has a motion driven by it: gives the efforts.")
      .def(
          "check", [](const Handle& e) { check(e.data); }, "InputError with every problem found.");
}

void add_reading(ExperimentClass& c) {
  c.def_static(
      "read",
      [](const py::object& path) {
        return from(read_experiment(py::str(py::module_::import("os").attr("fsdecode")(path))));
      },
      py::arg("path"), "From an experiment file.");
  c.def_static(
      "loads",
      [](const std::string& text, const std::string& name) {
        return from(read_experiment_text(text, name));
      },
      py::arg("text"), py::kw_only(), py::arg("name") = "text",
      "From the text of an experiment file.");
}

}  // namespace

void add_experiment(py::module_& m) {
  ExperimentClass c(
      m, "Experiment", collect_garbage<callbacks_of_experiment>(),
      "A robot, what drives each joint, how long, with which integrator, what to record.\n\n"
      "Every method but read, loads, inverse and check returns the experiment, so that "
      "calls can be\nchained; ulna.simulate runs it.");
  c.def(py::init([](const std::shared_ptr<RobotHandle>& robot, double duration, const py::object& q,
                    const py::object& v, const std::string& name) {
          if (!robot) throw py::type_error("robot must be an ulna.Robot, not None");
          Handle e{robot, Experiment(robot->model), {}, {}};
          e.data.end = duration;
          e.data.name = name;
          if (!q.is_none())
            e.data.q = robot->model->normalized(
                vector_of(q, "q", robot->model->coordinates(), ", the coordinates"));
          if (!v.is_none()) e.data.v = vector_of(v, "v", robot->model->speeds(), ", one per speed");
          return e;
        }),
        py::arg("robot"), py::arg("duration"), py::kw_only(), py::arg("q") = py::none(),
        py::arg("v") = py::none(), py::arg("name") = "")
      .def_property_readonly("robot", [](const Handle& e) { return e.robot; })
      .def_property_readonly("name", [](const Handle& e) { return e.data.name; })
      .def_property(
          "duration", [](const Handle& e) { return e.data.end; },
          [](Handle& e, double end) { e.data.end = end; })
      .def_property_readonly(
          "q", [](const Handle& e) { return state_or_none(e.data.q); },
          "Coordinates at the start; None: what the motions say, or neutral.")
      .def_property_readonly("v", [](const Handle& e) { return state_or_none(e.data.v); })
      .def(
          "start",
          [](Handle& e, const py::object& q, const py::object& v) -> Handle& {
            const Model& model = *e.data.model;
            if (!q.is_none())
              e.data.q =
                  model.normalized(vector_of(q, "q", model.coordinates(), ", the coordinates"));
            if (!v.is_none()) e.data.v = vector_of(v, "v", model.speeds(), ", one per speed");
            return e;
          },
          py::return_value_policy::reference_internal, py::arg("q") = py::none(),
          py::arg("v") = py::none(), "Where it begins.");
  add_drives(c);
  add_contacts(c);
  add_settings(c);
  add_reading(c);
  m.def("integrator_names", &integrator_names, "The integrators by name.");
}

}  // namespace ulna::python
