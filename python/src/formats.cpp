// Robots in the formats of other programs, and their named postures.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "ulna/formats/write_robot.hpp"
#include "ulna/kinematics/posture.hpp"

namespace ulna::python {
namespace {

WriteOptions::UrdfLoops loops_argument(const std::string& name) {
  using Loops = WriteOptions::UrdfLoops;
  if (name == "constraint") return Loops::constraint;
  if (name == "loop_joint") return Loops::loop_joint;
  if (name == "none") return Loops::none;
  throw InputError(Problem{
      {}, "loops", fmt::format("'{}' found", name), "'constraint', 'loop_joint' or 'none'", {}});
}

std::vector<std::string> write(const RobotHandle& robot, const py::object& file, bool strict,
                               const std::string& loops) {
  const std::string name = py::str(py::module_::import("os").attr("fsdecode")(file));
  WriteOptions options;
  options.strict = strict;
  options.urdf_loops = loops_argument(loops);
  std::vector<std::string> lost;
  for (const ImportNote& note : write_robot(*robot.model, name, options))
    lost.push_back(note.text());
  return lost;
}

std::vector<std::string> posture_names(const RobotHandle& robot) {
  std::vector<std::string> names;
  for (const PostureData& posture : robot.model->robot().postures) names.push_back(posture.name);
  return names;
}

}  // namespace

void add_formats(RobotClass& robot) {
  robot
      .def("write", &write, py::arg("file"), py::kw_only(), py::arg("strict") = false,
           py::arg("loops") = "constraint",
           "Writes the robot; the file extension selects the format: .yaml, .urdf, .xml (MuJoCo) "
           "or .sdf.\n\nReturns the data that the format cannot represent, which strict=True "
           "refuses. loops selects the\nrepresentation of loops in URDF: 'constraint', "
           "'loop_joint' or 'none'.")
      .def_property_readonly("postures", &posture_names, "Names of the robot's postures.")
      .def(
          "posture",
          [](const RobotHandle& r, const std::string& name) {
            return to_array(posture(*r.model, name));
          },
          py::arg("name"), "Coordinates of a named posture, loops closed.");
}

}  // namespace ulna::python
