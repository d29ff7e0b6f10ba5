// Experiment: sensors, actuators, controllers and events as an experiment file writes them, given
// as dictionaries, with functions of Python among what events do.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "experiment_handle.hpp"
#include "names.hpp"
#include "ulna/formats/read_experiment.hpp"

namespace ulna::python {
namespace {

using Handle = ExperimentHandle;

/// As JSON, which the reader of experiment files takes; arrays and numbers of NumPy as lists and
/// numbers.
std::string json_of(const py::object& value, const char* what) {
  const py::object plain = py::cpp_function([](const py::object& x) -> py::object {
    if (py::hasattr(x, "tolist")) return x.attr("tolist")();
    throw py::type_error("cannot be written as in an experiment file: " +
                         std::string(py::str(py::type::of(x))));
  });
  try {
    return py::str(py::module_::import("json").attr("dumps")(value, py::arg("default") = plain,
                                                             py::arg("allow_nan") = false));
  } catch (py::error_already_set& error) {
    if (std::string(error.what()).find("Out of range float") == std::string::npos) throw;
    throw InputError(Problem{{}, what, "holds a number that is not finite", "finite numbers", {}});
  }
}

/// What a function answers: nothing, one action, or a list of them.
std::vector<EventAction> actions_from(const Experiment& experiment, const py::object& answer) {
  if (answer.is_none()) return {};
  py::dict event;
  event["at"] = 0.0;
  event["do"] = answer;
  py::list events;
  events.append(event);
  py::dict parts;
  parts["events"] = events;
  Experiment scratch = experiment;
  scratch.events.clear();
  constexpr const char* what = "the answer of an event's function";
  add_to_experiment(scratch, json_of(parts, what), what);
  return std::move(scratch.events.front().actions);
}

EventAction call_of(Handle& e, const py::object& function) {
  EventAction action;
  action.kind = EventAction::Kind::call;
  const CallbackPtr callback = e.callbacks.add(function);
  const auto experiment = std::make_shared<Experiment>(e.data);
  action.call = [callback, experiment](double t, const Eigen::VectorXd& q,
                                       const Eigen::VectorXd& v) {
    const Locked locked;
    return actions_from(*experiment, (*callback)(t, to_array(q), to_array(v)));
  };
  return action;
}

/// The functions in `do`, taken out of it.
std::vector<py::object> functions_in(py::dict& event) {
  std::vector<py::object> functions;
  if (!event.contains("do")) return functions;
  const py::object given = event["do"];
  py::list kept;
  const bool list = py::isinstance<py::list>(given) || py::isinstance<py::tuple>(given);
  const py::list items = list ? py::list(given) : py::list(py::make_tuple(given));
  for (const py::handle item : items)
    if (PyCallable_Check(item.ptr()))
      functions.push_back(py::reinterpret_borrow<py::object>(item));
    else
      kept.append(item);
  event["do"] = kept;
  return functions;
}

/// The items of a list; TypeError where it is none, or one of them is no dict.
py::list dicts_in(const py::object& given, const char* name) {
  const bool listed = py::isinstance<py::list>(given) || py::isinstance<py::tuple>(given);
  py::list out;
  for (const py::handle item : listed ? py::tuple(given) : py::tuple()) {
    if (!py::isinstance<py::dict>(item))
      throw py::type_error(fmt::format("{} must be a list of dicts, not of {}", name,
                                       std::string(py::str(py::type::of(item).attr("__name__")))));
    out.append(item);
  }
  if (!listed)
    throw py::type_error(fmt::format("{} must be a list of dicts, not {}", name,
                                     std::string(py::str(py::type::of(given).attr("__name__")))));
  return out;
}

/// The joints that a controller lists; empty where it takes all that are left for it. One name is a
/// list of one.
std::optional<std::vector<std::string>> joints_of(const py::dict& controller) {
  if (!controller.contains("joints")) return {};
  const py::object given = controller["joints"];
  if (py::isinstance<py::str>(given) && given.cast<std::string>() == "all") return {};
  return texts_argument(given, "joints");
}

/// A joint that a controller lists is driven by it; without a list all that are free or have a
/// motion.
void drive_by_controller(Experiment& e, const std::optional<std::vector<std::string>>& joints) {
  e.drives.resize(e.model->joints().size());
  if (joints) {
    for (const std::string& joint : *joints)
      e.drives[static_cast<std::size_t>(e.model->joint(joint))].kind = DriveKind::controller;
    return;
  }
  for (std::size_t j = 0; j < e.drives.size(); ++j) {
    DriveKind& kind = e.drives[j].kind;
    if (e.model->joints()[j].speeds > 0 && (kind == DriveKind::free || kind == DriveKind::motion))
      kind = DriveKind::controller;
  }
}

/// The controllers with their joints in lists; the experiment has these joints driven by them.
py::list driving(Experiment& e, const py::list& controllers) {
  py::list out;
  for (const py::handle item : controllers) {
    const py::dict controller = py::reinterpret_borrow<py::object>(item).attr("copy")();
    const auto joints = joints_of(controller);
    drive_by_controller(e, joints);
    if (joints) controller["joints"] = *joints;
    out.append(controller);
  }
  return out;
}

Handle& add(Handle& e, const py::kwargs& parts) {
  constexpr const char* known[] = {"sensors", "actuators", "controllers", "events"};
  for (const auto& [key, value] : parts) {
    const auto name = key.cast<std::string>();
    if (std::find(std::begin(known), std::end(known), name) == std::end(known))
      throw InputError(Problem{{},
                               name,
                               "no part of an experiment that is added",
                               "sensors, actuators, controllers or events",
                               nearest_name_hint(name, {std::begin(known), std::end(known)})});
  }
  py::dict plain;
  for (const auto& [key, value] : parts) plain[key] = value;
  for (const char* key : {"sensors", "controllers", "events"})
    if (plain.contains(key)) plain[key] = dicts_in(plain[key], key);
  std::vector<std::vector<py::object>> functions;
  if (plain.contains("events")) {
    py::list events;
    for (const py::handle item : plain["events"]) {
      py::dict event = py::reinterpret_borrow<py::object>(item).attr("copy")();
      functions.push_back(functions_in(event));
      events.append(event);
    }
    plain["events"] = events;
  }
  Experiment changed = e.data;
  const std::size_t first = changed.events.size();
  if (plain.contains("controllers")) plain["controllers"] = driving(changed, plain["controllers"]);
  add_to_experiment(changed, json_of(plain, "add"), "add");
  e.data = std::move(changed);
  for (std::size_t k = 0; k < functions.size(); ++k)
    for (const py::object& function : functions[k])
      e.data.events[first + k].actions.push_back(call_of(e, function));
  return e;
}

}  // namespace

void add_control(ExperimentClass& c) {
  c.def("add", all_or_nothing(&add), py::return_value_policy::reference_internal,
        "Adds sensors=[...], actuators={joint: ...}, controllers=[...] and events=[...], written "
        "as in\nan experiment file (docs/experiment-file.md), as dictionaries and lists.\n\nThe "
        "actions of an event may include functions f(t, q, v), which return None or further "
        "actions\nsuch as 'stop' or {'release': 'part'}. Joints of controllers are driven by them; "
        "without\n`joints` all that were free or had a motion, which becomes their reference.");
}

}  // namespace ulna::python
