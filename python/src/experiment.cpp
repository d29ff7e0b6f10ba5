// ulna.Experiment: a robot, how long, with which integrator, what to record (drives.cpp: what
// drives it).

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cmath>

#include "abandonable.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "experiment_handle.hpp"
#include "interrupt.hpp"
#include "names.hpp"
#include "states.hpp"
#include "timing.hpp"
#include "ulna/dynamics/internal/exact_level.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/simulation/internal/exact_links.hpp"
#include "ulna/simulation/simulate.hpp"
#include "ulna/study/internal/decoupling.hpp"

namespace ulna::python {

void ExperimentHandle::take(ExperimentHandle changed) {
  if (changes != changed.changes)
    throw InputError(Problem{{},
                             "the experiment",
                             "was changed by other code while this call read its arguments",
                             "one change at a time",
                             {}});
  ++changed.changes;
  std::swap(robot, changed.robot);
  std::swap(data, changed.data);
  std::swap(text, changed.text);
  std::swap(callbacks, changed.callbacks);
  changes = changed.changes;
}  // what it was goes last: the end of a function of Python may run anything

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
  ++e.changes;
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
                               fmt::format("'{}' is not an integrator", *method),
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
  ++e.changes;
  return e;
}

Handle& set_method(Handle& e, const std::optional<std::string>& method,
                   const std::optional<std::string>& closing) {
  constexpr const char* closings[] = {"multipliers", "embedding"};
  e.data.method = method && *method != "automatic" ? *method : "";
  if (closing) e.data.closing = static_cast<LoopMethod>(choice(*closing, closings, "closing"));
  ++e.changes;
  return e;
}

/// Names in a list, or in one text with commas between them.
std::vector<std::string> channels_argument(const py::object& channels) {
  if (!py::isinstance<py::str>(channels)) return texts_argument(channels, "channels");
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

/// Arrays, or {name: value} of some, completed (complete_state).
void set_start(Handle& e, const py::object& q, const py::object& v) {
  const Model& model = *e.data.model;
  if (py::isinstance<py::dict>(q) || py::isinstance<py::dict>(v)) {
    const py::object from = q.is_none() && e.data.q.size() > 0 ? to_array(e.data.q) : q;
    PyObject* const slots[] = {from.is_none() ? nullptr : from.ptr(),
                               v.is_none() ? nullptr : v.ptr()};
    constexpr const char* names[] = {"q", "v"};
    const std::vector<py::object> made = named_state(*e.robot, slots, names);
    e.data.q = vector_of(made[0], "q");
    if (!v.is_none()) e.data.v = vector_of(made[1], "v");
    return;
  }
  if (!q.is_none())
    e.data.q = model.normalized(vector_of(q, "q", model.coordinates(), ", the coordinates"));
  if (!v.is_none()) e.data.v = vector_of(v, "v", model.speeds(), ", one per speed");
}

/// The motions of the experiment in time: samples (t, q, v, a) of all joints.
py::object sampled_motion(const Handle& given, const py::object& times) {
  std::vector<double> at;
  if (times.is_none()) {
    for (int k = 0; k <= 100; ++k) at.push_back(given.data.end * k / 100);
  } else {
    const Eigen::VectorXd t = vector_of(times, "times");
    if (!t.allFinite() || (t.array() < 0).any() || (t.array() > given.data.end).any())
      throw InputError(Problem{{},
                               "times",
                               "holds a time outside of the experiment",
                               fmt::format("times from 0 to {} s", given.data.end),
                               {}});
    at.assign(t.begin(), t.end());
  }
  const Handle e = given;
  const std::vector<MotionState> states = interruptible([&] { return motion_states(e.data, at); });
  const auto rows = [&](Eigen::VectorXd MotionState::*part, int n) {
    py::object out = new_array({static_cast<py::ssize_t>(states.size()), n});
    for (std::size_t k = 0; k < states.size(); ++k)
      MutableVector(data_of(out) + static_cast<py::ssize_t>(k) * n, n) = states[k].*part;
    return out;
  };
  const int nq = e.data.model->coordinates(), nv = e.data.model->speeds();
  return result_class("Motion")(
      to_array(Eigen::Map<const Eigen::VectorXd>(at.data(), std::ssize(at))),
      rows(&MotionState::q, nq), rows(&MotionState::v, nv), rows(&MotionState::a, nv));
}

/// Changes when things happen, not where things go.
py::object timing(Handle& e, const std::string& kind, double scale, const py::object& rates,
                  const py::object& efforts, int intervals) {
  constexpr const char* kinds[] = {"scale", "limits", "minimum-time"};
  Timing how;
  how.kind = static_cast<TimingKind>(choice(kind, kinds, "kind"));
  how.scale = scale;
  Handle planned = e;
  how.limits = limits_argument(*planned.data.model, rates, efforts);
  if (intervals < 2 || intervals > 1'000'000)
    throw InputError(
        Problem{{}, "intervals", fmt::format("{} found", intervals), "2 to 1000000", {}});
  how.intervals = intervals;
  const TimingResult found = interruptible([&] { return plan_timing(planned.data, how); });
  planned.data.end = found.duration;
  planned.data.timing = found;
  e.take(std::move(planned));
  return timing_result(found);
}

std::string experiment_text(const Handle& e) {
  int kinds[5] = {};
  for (const Drive& drive : e.data.drives) ++kinds[static_cast<int>(drive.kind)];
  const auto of = [&](DriveKind kind) { return kinds[static_cast<int>(kind)]; };
  std::string drives;
  for (const auto& [kind, word] : {std::pair{DriveKind::motion, "by motion"},
                                   {DriveKind::effort, "by effort"},
                                   {DriveKind::controller, "by controller"},
                                   {DriveKind::locked, "locked"}})
    if (of(kind) > 0) drives += fmt::format(", {} {}", of(kind), word);
  return fmt::format("<ulna.Experiment {}of '{}', {:g} s{}>",
                     e.data.name.empty() ? "" : fmt::format("'{}' ", e.data.name),
                     e.data.model->name(), e.data.end,
                     drives.empty() ? ", all joints free" : drives);
}

void add_planning(ExperimentClass& c) {
  c.def("motion", &sampled_motion, py::arg("times") = py::none(),
        "Samples (t, q, v, a) of the motions of all joints, including those that follow from "
        "loops\n(default: 101 evenly spaced times). Joints without a motion stay at their start.")
      .def("timing", &timing, py::arg("kind") = "minimum-time", py::kw_only(),
           py::arg("scale") = 1.0, py::arg("rates") = py::none(), py::arg("efforts") = py::none(),
           py::arg("intervals") = 1000,
           "Changes the timing of the motions along the same path and ends the experiment with "
           "them.\n\nkind: 'minimum-time', the least time within the limits of rates and efforts "
           "(default: the\nrobot's own) by the phase plane; 'limits', as fast as the limits permit "
           "with the law unchanged;\n'scale', faster by a factor. Returns duration, scale, "
           "switching times and the active limit.")
      .def("__repr__", &experiment_text)
      .def("__copy__", [](const Handle& e) { return Handle(e); });
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
            ++e.changes;
            return e;
          },
          same, py::arg("restitution") = 0.0, py::arg("rest_speed") = 1e-4,
          "Joints stop at the limits of the robot.")
      .def("integrator", &integrator, same, py::arg("method") = none, py::kw_only(),
           py::arg("rtol") = none, py::arg("atol") = none, py::arg("step") = none,
           py::arg("largest_step") = none, py::arg("most_steps") = none,
           "The method (one of ulna.integrator_names()) and its tolerances or step.")
      .def("record", all_or_nothing(&record), same, py::arg("channels") = none, py::kw_only(),
           py::arg("interval") = none, py::arg("interpolate") = false,
           "Channels, groups ('q', 'v', 'a', 'tau', 'reference', 'energy', 'momentum', 'power',\n"
           "'frame.NAME', 'constraint', 'contact', 'nonholonomic', ...; docs/experiment-file.md) "
           "or\n"
           "single ones ('q.joint1'), in a list or in one text ('q,tau'), and the time between\n"
           "records.")
      .def("elastic",
           all_or_nothing(
               +[](Handle& e, const std::string& level, int elements, bool shear) -> Handle& {
                 const ElasticLevel chosen = elastic_level_named(level);
                 if (chosen == ElasticLevel::geometrically_exact) {
                   e.data = with_exact_links(std::move(e.data), {elements, shear});
                   e.robot = std::make_shared<RobotHandle>(e.data.model);
                 } else
                   e.data.elastic = chosen;
                 return e;
               }),
           same, py::arg("level"), py::kw_only(), py::arg("elements") = 8, py::arg("shear") = false,
           "Level of fidelity of flexible links, as in ulna.elastic_levels(); 'exact' at first. "
           "At\n'geometrically-exact' links are divided into elements, which stretch and shear if "
           "requested.")
      .def("method", &set_method, same, py::arg("method") = none, py::kw_only(),
           py::arg("closing") = none,
           "The formulation of the equations of motion, such as 'kane', the fastest when None, and "
           "with\nloops how they are closed: 'multipliers' or 'embedding'.")
      .def(
          "inverse",
          [](const Handle& given) {
            const Handle e = given;  // a motion may be a function that changes the experiment
            return Handle{e.robot, inverse_of(e.data), e.text, e.callbacks};
          },
          "The same experiment with every joint that has a motion driven by it: gives the efforts.")
      .def(
          "check",
          [](const Handle& given) {
            const Handle e = given;
            check(e.data);
          },
          "InputError with every problem found.");
}

/// An experiment is short, but its tables may be long.
template <class Read>
ReadExperiment reading_tables(Read read) {
  return abandonable(1, std::move(read), 0);
}

void add_reading(ExperimentClass& c) {
  c.def_static(
      "read",
      [](const py::object& path) {
        const std::string name = path_argument(path, "path");
        return from(reading_tables([name] { return read_experiment(name); }));
      },
      py::arg("path"), "From an experiment file.");
  c.def_static(
      "loads",
      [](const std::string& text, const std::string& name) {
        return from(reading_tables([text, name] { return read_experiment_text(text, name); }));
      },
      py::arg("text"), py::kw_only(), py::arg("name") = "text",
      "From the text of an experiment file.");
}

double checked_duration(double duration) {
  if (duration > 0 && std::isfinite(duration)) return duration;
  throw InputError(
      Problem{{}, "duration", fmt::format("{} s found", duration), "a time above 0", {}});
}

}  // namespace

void add_experiment(py::module_& m) {
  ExperimentClass c(
      m, "Experiment", collect_garbage<callbacks_of_experiment>(), py::dynamic_attr(),
      "A robot with the drive of each joint, the duration, the integrator and the channels to "
      "record.\n\nEvery method except read, loads, inverse and check returns the experiment, so "
      "that calls can be\nchained; ulna.simulate runs it.");
  c.def(py::init([](const std::shared_ptr<RobotHandle>& robot, double duration, const py::object& q,
                    const py::object& v, const std::string& name) {
          if (!robot) throw py::type_error("robot must be an ulna.Robot, not None");
          Handle e{robot, Experiment(robot->model), {}, {}};
          e.data.end = checked_duration(duration);
          e.data.name = name;
          set_start(e, q, v);
          return e;
        }),
        py::arg("robot"), py::arg("duration"), py::kw_only(), py::arg("q") = py::none(),
        py::arg("v") = py::none(), py::arg("name") = "",
        "An experiment of `duration` seconds; q, v: where it begins, as in start.")
      .def_property_readonly(
          "robot", [](const Handle& e) { return e.robot; }, "The robot of the experiment.")
      .def_property_readonly(
          "name", [](const Handle& e) { return e.data.name; }, "Its name; may be empty.")
      .def_property(
          "duration", [](const Handle& e) { return e.data.end; },
          [](Handle& e, double end) { e.data.end = checked_duration(end), ++e.changes; },
          "Duration of the run, s.")
      .def_property_readonly(
          "q", [](const Handle& e) { return state_or_none(e.data.q); },
          "Coordinates at the start; None: those of the motions, or neutral.")
      .def_property_readonly(
          "v", [](const Handle& e) { return state_or_none(e.data.v); },
          "Speeds at the start; None: those of the motions, or rest.")
      .def("start",
           all_or_nothing(+[](Handle& e, const py::object& q, const py::object& v) -> Handle& {
             set_start(e, q, v);
             return e;
           }),
           py::return_value_policy::reference_internal, py::arg("q") = py::none(),
           py::arg("v") = py::none(),
           "Where it begins: all coordinates and speeds, or {name: value} of some. With loops the "
           "others\nfollow from those named; of a tree they are neutral or zero.");
  add_drives(c);
  add_contacts(c);
  add_control(c);
  add_settings(c);
  add_planning(c);
  add_reading(c);
  m.def("integrator_names", &integrator_names, "The integrators by name.");
}

}  // namespace ulna::python
