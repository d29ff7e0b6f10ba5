// Robot: another robot with other parameters; robots with the same content are equal.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "names.hpp"
#include "ulna/formats/parameters.hpp"
#include "ulna/formats/run_directory.hpp"
#include "ulna/model/internal/actuator_inputs.hpp"
#include "ulna/model/repair.hpp"
#include "ulna/study/identified_robot.hpp"

namespace ulna::python {
namespace editing {
namespace {

/// As a robot file would hold it: numbers, texts, lists of numbers.
std::string file_value(py::handle value, const char* name) {
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  const Array given = numbers(value, name);
  if (given.ndim() == 0) return parameter(name, *given.data()).value;
  if (given.ndim() > 1)
    throw InputError(Problem{{}, name, "has shape " + shape_text(given), "a number or (n,)", {}});
  std::vector<std::string> parts;
  for (py::ssize_t k = 0; k < given.size(); ++k)
    parts.push_back(parameter(name, given.data()[k]).value);
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

/// "m(link1)" is a column of the regressor; "bodies.link1.mass" a place in the robot file.
bool is_column(const std::string& name) { return name.ends_with(')'); }

Robot with_columns(const Robot& robot, const std::vector<std::pair<std::string, double>>& values) {
  const Model model(robot);
  const TorqueRegressor regressor(model, RegressorTerms::all());
  const std::vector<std::string>& names = regressor.names();
  Eigen::VectorXd all = regressor.parameters();
  for (const auto& [name, value] : values) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw InputError(
          Problem{{},
                  "values",
                  fmt::format("'{}' is not a parameter of robot '{}'", name, model.name()),
                  "names as in robot.parameters(terms='all')",
                  nearest_name_hint(name, names)});
    all(found - names.begin()) = value;
  }
  return robot_with_parameters(regressor, all);
}

std::shared_ptr<RobotHandle> with_parameters(const RobotHandle& robot, const py::object& given,
                                             bool consistent) {
  py::object values = given;
  for (const char* part : {"nearest", "possible"})  // of identify, of identify_logs
    if (py::hasattr(given, part)) values = given.attr(part);
  if (!py::isinstance<py::dict>(values))
    throw py::type_error("values must be a dict {parameter: value} or an Identification, not " +
                         std::string(py::str(py::type::of(given).attr("__name__"))));
  std::vector<ParameterValue> places;
  std::vector<std::pair<std::string, double>> columns;
  for (const auto& [key, value] : entries_of(values)) {
    const std::string name = text_argument(key, "values");
    if (is_column(name))
      columns.emplace_back(name, number_argument(value, name.c_str()));
    else
      places.push_back({name, file_value(value, name.c_str())});
  }
  Robot changed = robot.model->robot();
  if (!places.empty()) changed = RobotParameters(changed).with(places);
  if (!columns.empty()) changed = with_columns(changed, columns);
  ImportReport report = robot.report;
  if (consistent)
    for (const InertiaRepair& one : repair_inertias(changed))
      report.changed.push_back({one.where, one.element, one.text()});
  return std::make_shared<RobotHandle>(
      std::make_shared<const Model>(made_from(*robot.model, std::move(changed))),
      std::move(report));
}

/// With the forces of actuators among its elements, and the time of their formulas.
std::shared_ptr<RobotHandle> with_actuator_forces(const RobotHandle& robot, const py::dict& forces,
                                                  double time) {
  auto model = std::make_shared<Model>(*robot.model);
  for (const auto& [key, value] : entries_of(forces)) {
    const std::string name = text_argument(key, "forces");
    model->set_actuator_force(model->actuator(name), number_argument(value, name.c_str()));
  }
  if (!std::isfinite(time))
    throw InputError(Problem{{}, "time", fmt::format("is {}", time), "a finite number", {}});
  model->set_time(time);
  return std::make_shared<RobotHandle>(std::move(model), robot.report);
}

/// With the inputs of another robot, from whose data it was made.
std::shared_ptr<RobotHandle> with_inputs_of(const std::shared_ptr<RobotHandle>& robot,
                                            const RobotHandle& from) {
  const ActuatorInputs inputs = inputs_of(*from.model);
  if (inputs.forces.empty() && inputs.time == 0) return robot;
  return std::make_shared<RobotHandle>(
      std::make_shared<const Model>(made_from(*from.model, robot->model->robot())), robot->report);
}

/// A number, or null where the text is none.
py::object number_in(const std::string& text) {
  PyObject* const number = PyFloat_FromString(py::str(text).ptr());
  if (!number) PyErr_Clear();
  return py::reinterpret_steal<py::object>(number);
}

/// What stands at a place of the robot file: a number in SI units where the robot, written anew,
/// has one there; else the text of the file it was read from.
py::object value_at(const RobotHandle& robot, const std::string& path) {
  Robot plain = robot.model->robot();
  plain.source.clear();
  try {
    const std::string text = RobotParameters(plain).value(path);
    if (py::object number = number_in(text)) return number;
  } catch (const InputError&) {  // the file may have other keys: dh in the place of poses
  }
  const std::string text = RobotParameters(robot.model->robot()).value(path);
  if (text.empty()) return py::none();
  if (py::object number = number_in(text)) return number;
  return py::str(text);
}

bool same(const RobotHandle& a, const RobotHandle& b) {
  return a.model == b.model || a.content() == b.content();
}

}  // namespace
}  // namespace editing

void add_editing(RobotClass& robot) {
  using namespace editing;
  robot
      .def("with_parameters", &with_parameters, py::arg("values"), py::kw_only(),
           py::arg("consistent") = false,
           "The robot with changed values: {'m(link1)': 3.2, 'damping(joint2)': 0.1} as "
           "in\nparameters(terms='all'), or paths of the robot file, {'bodies.link1.mass': "
           "3.2,\n'joints.joint2.damping': 0.1, 'beams.arm.section.outer': '50 mm'}; or the result "
           "of identify.\n\nconsistent: replace physically impossible inertias by the nearest "
           "possible ones\n(`import_report` lists them).")
      .def("with_actuator_forces", &with_actuator_forces, py::arg("forces") = py::dict(),
           py::kw_only(), py::arg("time") = 0.0,
           "The robot with these forces of actuators among its elements, {'jack': 500}, in place "
           "of\ntheir own; time: t in formulas of forces.")
      .def("_with_inputs_of", &with_inputs_of, py::arg("other"))
      .def("parameter", &value_at, py::arg("path"),
           "The value at a path of the robot file ('bodies.link1.mass'): a number, a text, or "
           "None\nif the file does not set it.")
      .def(
          "__eq__",
          [](const RobotHandle& a, const py::object& b) -> py::object {
            if (!py::isinstance<RobotHandle>(b))
              return py::reinterpret_borrow<py::object>(Py_NotImplemented);
            return py::bool_(same(a, b.cast<const RobotHandle&>()));
          },
          py::arg("other"), "Equal in every value.")
      .def("__hash__", [](const RobotHandle& r) { return std::hash<std::string>()(r.content()); });
}

}  // namespace ulna::python
