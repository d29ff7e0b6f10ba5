// ulna.RobotBuilder: beams, and drives that give.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/model/internal/elastic_drive.hpp"

namespace ulna::python {
namespace {

BodyData& body_named(Robot& robot, const std::string& name) {
  std::vector<std::string> known;
  for (BodyData& body : robot.bodies) {
    if (body.name == name) return body;
    known.push_back(body.name);
  }
  throw InputError(Problem{{},
                           "body",
                           fmt::format("there is no body '{}' yet", name),
                           "a body",
                           nearest_name_hint(name, known)});
}

/// JSON text of what a robot file would hold; arrays become lists.
std::string file_text(const py::object& value) {
  const py::object plain = py::cpp_function([](const py::object& x) { return x.attr("tolist")(); });
  try {
    return py::str(py::module_::import("json").attr("dumps")(value, py::arg("default") = plain));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_AttributeError) && !error.matches(PyExc_TypeError)) throw;
    throw InputError(Problem{{},
                             "beam",
                             "contains something other than numbers, texts, lists and dicts",
                             "values as in a robot file",
                             {}});
  }
}

/// The keys are those of a robot file, and the file's reader reads them: it knows what sections,
/// materials and modes may be, and what to say when they are not.
BeamData beam_from(const std::string& body, const py::dict& keys) {
  py::dict piece, joint, robot;
  piece["name"] = body;
  piece["beam"] = keys;
  joint["name"] = "clamp";
  joint["type"] = "fixed";
  joint["parent"] = "world";
  joint["child"] = body;
  robot["ulna"] = 1;
  robot["name"] = "beam";
  robot["bodies"] = py::make_tuple(piece);
  robot["joints"] = py::make_tuple(joint);
  return read_robot_yaml_text(file_text(robot), "beam").robot.bodies.front().beams.front();
}

Robot& beam(Robot& robot, const std::string& body, const py::object& length, const py::object& from,
            const py::object& to, const py::object& reference, const py::object& material,
            const py::object& section, const py::object& sections, const py::object& elements,
            const py::object& attached, const py::object& flexible, const std::string& name,
            const py::kwargs& products) {
  body_named(robot, body);  // which throws where there is none
  py::dict keys;
  const auto add = [&](const char* key, const py::object& value) {
    if (!value.is_none()) keys[key] = value;
  };
  add("length", length);
  add("from", from);
  add("to", to);
  add("reference", reference);
  add("material", material);
  add("section", section);
  add("sections", sections);
  add("elements", elements);
  add("attached", attached);
  add("flexible", flexible);
  for (const auto& [key, value] : products) keys[key] = value;
  BeamData data = beam_from(body, keys);
  data.name = name;
  data.mark = {};
  // Found again: to read an argument may run Python code that changes the builder.
  body_named(robot, body).beams.push_back(std::move(data));
  return robot;
}

/// The reader of robot files reads them, as those of a joint of its own.
std::vector<BushingData> bushings_from(const py::object& bushings) {
  py::dict piece, joint, robot;
  piece["name"] = "beam";
  joint["name"] = "joint";
  joint["type"] = "prismatic";
  joint["parent"] = "world";
  joint["child"] = "beam";
  joint["bushings"] = bushings;
  robot["ulna"] = 1;
  robot["name"] = "bushings";
  robot["bodies"] = py::make_tuple(piece);
  robot["joints"] = py::make_tuple(joint);
  return read_robot_yaml_text(file_text(robot), "bushings").robot.joints.front().bushings;
}

JointData& joint_named(Robot& robot, const std::string& joint) {
  std::vector<std::string> known;
  for (JointData& data : robot.joints) {
    if (data.name == joint) return data;
    known.push_back(data.name);
  }
  throw InputError(Problem{{},
                           "joint",
                           fmt::format("there is no joint '{}' yet", joint),
                           "a joint",
                           nearest_name_hint(joint, known)});
}

Robot& bushings(Robot& robot, const std::string& joint, const py::object& given) {
  joint_named(robot, joint);
  std::vector<BushingData> made = bushings_from(given);
  for (BushingData& bushing : made) bushing.mark = {};
  joint_named(robot, joint).bushings = std::move(made);
  return robot;
}

Robot& transmission(Robot& robot, const std::string& joint, double stiffness, double hardening,
                    double backlash, double damping, double friction) {
  add_elastic_drive(robot, joint,
                    {.stiffness = stiffness,
                     .hardening = hardening,
                     .backlash = backlash,
                     .damping = damping,
                     .friction = friction});
  return robot;
}

}  // namespace

void add_beams(py::module_& m, BuilderClass& builder) {
  constexpr auto same = py::return_value_policy::reference_internal;
  const py::none none;
  builder
      .def("beam", &beam, same, py::arg("body"), py::kw_only(), py::arg("length") = none,
           py::arg("from_") = none, py::arg("to") = none, py::arg("reference") = none,
           py::arg("material") = none, py::arg("section") = none, py::arg("sections") = none,
           py::arg("elements") = none, py::arg("attached") = none, py::arg("flexible") = none,
           py::arg("name") = "",
           "What is elastic of a body, which then takes its mass from it: a straight beam.\n\n"
           "Arguments are as in a robot file: material='steel' or {'E': .., 'nu': .., 'density': "
           "..},\n"
           "section={'tube': {'outer': 0.1, 'inner': 0.08}}, attached=[{'at': 'end', 'mass': 2}],\n"
           "flexible={'modes': {'bending_y': 2}} for a link that bends while it moves; or the "
           "products\n"
           "EA, EI, EIy, EIz, GJ, kGA, mass_per_length, polar_inertia as keywords.")
      .def("bushings", &bushings, same, py::arg("joint"), py::arg("bushings"),
           "Where a sliding joint holds the beam that passes through it, in structures: a list of\n"
           "dicts with at, on ('parent' or 'child'), stiffness, tilting, torsion as in a robot "
           "file,\n"
           "[{'at': 0, 'stiffness': 2e7}, {'on': 'child', 'at': -0.9, 'stiffness': 'rigid'}].")
      .def("elastic_transmission", &transmission, same, py::arg("joint"), py::arg("stiffness"),
           py::kw_only(), py::arg("hardening") = 0.0, py::arg("backlash") = 0.0,
           py::arg("damping") = 0.0, py::arg("friction") = 0.0,
           "An elastic transmission: the motor keeps the joint's name and needs a rotor, and a "
           "joint\nNAME.twist behind it has the spring.")
      .def("elastic_drive", &transmission, same, py::arg("joint"), py::arg("stiffness"),
           py::kw_only(), py::arg("hardening") = 0.0, py::arg("backlash") = 0.0,
           py::arg("damping") = 0.0, py::arg("friction") = 0.0,
           "The earlier name of elastic_transmission.");
  m.def("materials", &material_names, "Materials of beams that have a name.");
}

}  // namespace ulna::python
