// Force elements: RobotBuilder.element and Robot.elements.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "ulna/dynamics/elements.hpp"
#include "ulna/formats/read_robot.hpp"

namespace ulna::python {
namespace {

/// JSON text of what a robot file would hold; arrays become lists, tuples lists.
std::string element_text(const py::object& value) {
  const py::object plain = py::cpp_function([](const py::object& x) { return x.attr("tolist")(); });
  try {
    return py::str(py::module_::import("json").attr("dumps")(value, py::arg("default") = plain));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_AttributeError) && !error.matches(PyExc_TypeError)) throw;
    throw InputError(Problem{{},
                             "element",
                             "contains something other than numbers, texts, lists and dicts",
                             "values as in a robot file",
                             {}});
  }
}

/// The keys are those of a robot file, and the file's reader reads them.
Robot& element(Robot& robot, const std::string& name, const std::string& type,
               const py::object& from, const py::object& to, const py::kwargs& more) {
  py::dict keys, whole;
  keys["name"] = name;
  keys["type"] = type;
  if (!from.is_none()) keys["from"] = from;
  if (!to.is_none()) keys["to"] = to;
  for (const auto& [key, value] : more) keys[key] = value;
  whole["ulna"] = 1;
  whole["name"] = "element";
  whole["bodies"] = py::list();
  whole["joints"] = py::list();
  whole["elements"] = py::make_tuple(keys);
  ElementData data = read_robot_yaml_text(element_text(whole), "element").robot.elements.front();
  data.mark = {};
  robot.elements.push_back(std::move(data));
  return robot;
}

py::dict readings(const RobotHandle& robot, const py::object& q, const py::object& v) {
  const Model& model = *robot.model;
  const Eigen::VectorXd at = vector_of(q, "q", model.coordinates());
  const Eigen::VectorXd rate = v.is_none() ? Eigen::VectorXd::Zero(model.speeds()).eval()
                                           : vector_of(v, "v", model.speeds());
  py::dict out;
  for (int k = 0; k < static_cast<int>(model.elements().size()); ++k) {
    const ElementReading r = element_reading(model, k, at, rate);
    py::dict one;
    one["length"] = r.length;
    one["rate"] = r.rate;
    one["force"] = r.force;
    one["energy"] = r.energy;
    one["dissipated"] = r.dissipated;
    out[py::str(model.elements()[k].name)] = one;
  }
  return out;
}

}  // namespace

void add_elements(RobotClass& robot, BuilderClass& builder) {
  builder.def(
      "element", &element, py::return_value_policy::reference_internal, py::arg("name"),
      py::arg("type"), py::arg("from_") = py::none(), py::arg("to") = py::none(),
      "A force element without mass: 'spring-damper', 'actuator', 'bushing' or 'torsion'.\n\n"
      "An end is the name of a frame or {'body': .., 'point': ..}; the other arguments are "
      "as in\na robot file: free_length, stiffness, damping, through, force, axis, joint and "
      "so on.");
  robot.def("elements", &readings, py::arg("q"), py::arg("v") = py::none(),
            "Length, rate, force, stored energy and dissipated power of each force element, by "
            "name;\nof a torsion angle, rate and torque.");
}

}  // namespace ulna::python
