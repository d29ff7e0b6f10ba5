// ulna.Robot: what it is made of, where it comes from, its coordinates.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <optional>
#include <random>

#include "abandonable.hpp"
#include "bindings.hpp"
#include "fast_method.hpp"
#include "names.hpp"
#include "states.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/formats/run_directory.hpp"
#include "ulna/formats/write_robot.hpp"
#include "ulna/model/repair.hpp"

namespace ulna::python {
namespace {

using HandlePtr = std::shared_ptr<RobotHandle>;

HandlePtr freeze(ReadResult read, const std::optional<std::string>& repair = {},
                 const py::object& gravity = py::none()) {
  if (!gravity.is_none()) read.robot.gravity = vector3(gravity, "gravity");
  if (repair && *repair != "nearest")
    throw InputError(Problem{{}, "repair", "'" + *repair + "' found", "None or 'nearest'", {}});
  if (repair)
    for (const InertiaRepair& one : repair_inertias(read.robot))
      read.report.changed.push_back({one.where, one.element, one.text()});
  auto model = std::make_shared<const Model>(std::move(read.robot));
  return std::make_shared<RobotHandle>(std::move(model), std::move(read.report));
}

ReadOptions read_options(bool strict, std::map<std::string, std::string> packages) {
  ReadOptions options;
  options.strict = strict;
  options.packages = std::move(packages);
  return options;
}

HandlePtr load(const py::object& path, bool strict,
               const std::map<std::string, std::string>& packages,
               const std::optional<std::string>& repair, const py::object& gravity,
               const std::optional<std::map<std::string, std::string>>& xacro) {
  const std::string name = path_argument(path, "robot");
  ReadOptions options = read_options(strict, packages);
  if (xacro) {
    options.xacro.emplace();
    for (const auto& [key, value] : *xacro) options.xacro->push_back(key + ":=" + value);
  }
  return freeze(abandonable(
                    size_of_file(name), [=] { return read_robot(name, options); }, quickly_read),
                repair, gravity);
}

HandlePtr loads(const std::string& text, const std::string& name, bool strict,
                const std::map<std::string, std::string>& packages,
                const std::optional<std::string>& repair, const py::object& gravity) {
  return freeze(abandonable(
                    std::ssize(text),
                    [=, options = read_options(strict, packages)] {
                      return read_robot_text(text, name, options);
                    },
                    quickly_read),
                repair, gravity);
}

py::dict shipped() {
  py::dict out;
  for (const ShippedRobot& robot : shipped_robots()) out[py::str(robot.name)] = robot.description;
  return out;
}

py::list joints_of(const Model& model) {
  const py::object info = result_class("Joint");
  py::list out;
  for (const Joint& joint : model.joints()) {
    const auto named = [&](int body) { return model.bodies()[body].name; };
    out.append(info(joint.name, name_of(joint.type), named(joint.parent), named(joint.child),
                    py::slice(joint.q, joint.q + joint.coordinates, 1),
                    py::slice(joint.v, joint.v + joint.speeds, 1),
                    joint.mimicked < 0 ? py::object(py::none())
                                       : py::object(py::str(model.joints()[joint.mimicked].name))));
  }
  return out;
}

template <class Items>
std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

py::dict report_of(const ImportReport& report) {
  const auto texts = [](const std::vector<ImportNote>& notes) {
    py::list out;
    for (const ImportNote& note : notes) out.append(note.text());
    return out;
  };
  py::dict out;
  out["used"] = texts(report.used);
  out["changed"] = texts(report.changed);
  out["ignored"] = texts(report.ignored);
  return out;
}

py::object random(RobotHandle& robot, std::optional<py::ssize_t> size,
                  std::optional<std::uint64_t> seed) {
  std::mt19937_64 generator(seed ? *seed : std::random_device{}());
  if (!size) return to_array(robot.model->random(generator));
  if (*size < 0) throw InputError(Problem{{}, "size", "is negative", "0 or more", {}});
  const py::ssize_t n = robot.model->coordinates();
  py::object out = new_array({*size, n});
  for (py::ssize_t i = 0; i < *size; ++i) {
    if (i % 1024 == 0) interruption_point();
    MutableVector(data_of(out) + i * n, n) = robot.model->random(generator);
  }
  return out;
}

Signature integrate_signature{"integrate", {"q", "dv"}, 2, 2};
py::object integrate(RobotHandle& robot, PyObject** slots) {
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<2>(robot, states_of<2>(robot, slots, {"q", "dv"}), {nq}, nullptr, cheap_share,
                        [=](Context& c, const auto& x, double* out) {
                          MutableVector(out, nq) =
                              c.model.integrate(ConstVector(x[0], nq), ConstVector(x[1], nv));
                        });
}

Signature difference_signature{"difference", {"q0", "q1"}, 2, 2};
py::object difference(RobotHandle& robot, PyObject** slots) {
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  States<2> states;
  states.x = {state_argument(robot, slots[0], "q0", StateKind::coordinates),
              state_argument(robot, slots[1], "q1", StateKind::coordinates)};
  fit_together<2>(states, {"q0", "q1"});
  return over_states<2>(
      robot, states, {nv}, nullptr, cheap_share, [=](Context& c, const auto& x, double* out) {
        MutableVector(out, nv) = c.model.difference(ConstVector(x[0], nq), ConstVector(x[1], nq));
      });
}

using NoteState = std::tuple<std::string, int, int, std::string, std::string>;

std::vector<NoteState> notes_state(const std::vector<ImportNote>& notes) {
  std::vector<NoteState> out;
  for (const ImportNote& n : notes)
    out.emplace_back(n.where.file, n.where.line, n.where.column, n.element, n.what);
  return out;
}

std::vector<ImportNote> notes_from(const py::object& state) {
  std::vector<ImportNote> out;
  for (const auto& [file, line, column, element, what] : state.cast<std::vector<NoteState>>())
    out.push_back({{file, line, column}, element, what});
  return out;
}

/// Everything of a robot is in its file but the inputs that were set; `source` tells where meshes
/// are looked for, the report what was read.
py::tuple state_of(const RobotHandle& robot) {
  const ImportReport& report = robot.report;
  const ActuatorInputs inputs = inputs_of(*robot.model);
  return py::make_tuple(write_robot_yaml(robot.model->robot()), robot.model->robot().source,
                        py::make_tuple(notes_state(report.used), notes_state(report.changed),
                                       notes_state(report.ignored)),
                        py::make_tuple(inputs.time, inputs.forces));
}

HandlePtr from_state(const py::tuple& state) {
  // Without a name: lines of that text mean nothing to anybody.
  ReadResult read = read_robot_yaml_text(state[0].cast<std::string>(), "");
  read.robot.source = state[1].cast<std::string>();
  const auto report = state[2].cast<py::tuple>();
  read.report = {notes_from(report[0]), notes_from(report[1]), notes_from(report[2])};
  auto model = std::make_shared<Model>(std::move(read.robot));
  if (state.size() > 3) {  // earlier pickles have none
    const auto inputs = state[3].cast<py::tuple>();
    set_inputs(*model, {inputs[0].cast<double>(), inputs[1].cast<std::map<std::string, double>>()});
  }
  return std::make_shared<RobotHandle>(std::move(model), std::move(read.report));
}

void add_parts(RobotClass& robot) {
  const auto model = [](const RobotHandle& r) -> const Model& { return *r.model; };
  robot
      .def_property_readonly(
          "name", [=](const RobotHandle& r) { return model(r).name(); }, "Its name.")
      .def_property_readonly(
          "description", [=](const RobotHandle& r) { return model(r).robot().description; },
          "What it is, in a sentence.")
      .def_property_readonly(
          "source", [=](const RobotHandle& r) { return model(r).robot().source; },
          "The file it was read from; empty when it was built in code.")
      .def_property_readonly(
          "nq", [=](const RobotHandle& r) { return model(r).coordinates(); },
          "How many coordinates: the length of q.")
      .def_property_readonly(
          "nv", [=](const RobotHandle& r) { return model(r).speeds(); },
          "How many speeds: the length of v, a and tau.")
      .def_property_readonly(
          "mass", [=](const RobotHandle& r) { return model(r).mass(); }, "Total mass, kg.")
      .def_property_readonly(
          "gravity_vector",
          [=](const RobotHandle& r) { return to_array(model(r).robot().gravity); },
          "Acceleration of free fall in the world, m/s^2.")
      .def_property_readonly(
          "joints", [=](const RobotHandle& r) { return joints_of(model(r)); },
          "The joints of the tree, with their places in q and v.")
      .def_property_readonly(
          "bodies", [=](const RobotHandle& r) { return names_of(model(r).bodies()); },
          "Names of the bodies; the first is the world.")
      .def_property_readonly(
          "frames", [=](const RobotHandle& r) { return names_of(model(r).frames()); },
          "Names of all frames: one per body, then the others.")
      .def_property_readonly(
          "tip", [=](const RobotHandle& r) { return model(r).frames()[model(r).tip_frame()].name; },
          "The default frame: the end of the longest branch.")
      .def_property_readonly(
          "loops",
          [=](const RobotHandle& r) {
            std::vector<std::string> out;
            for (const Loop& loop : model(r).loops()) out.push_back(loop.joint);
            return out;
          },
          "Names of the joints and constraints that close loops.")
      .def_property_readonly(
          "coordinates", [=](const RobotHandle& r) { return model(r).coordinate_names(); },
          "Names of the entries of q.")
      .def_property_readonly(
          "speeds", [=](const RobotHandle& r) { return model(r).speed_names(); },
          "Names of the entries of v, a and tau.")
      .def_property_readonly(
          "lower", [=](const RobotHandle& r) { return to_array(model(r).lower()); },
          "Lower limits of q, -inf where there is none.")
      .def_property_readonly(
          "upper", [=](const RobotHandle& r) { return to_array(model(r).upper()); },
          "Upper limits of q, inf where there is none.")
      .def_property_readonly(
          "velocity_limit",
          [=](const RobotHandle& r) { return to_array(model(r).velocity_limit()); },
          "Limits of v, inf where there is none.")
      .def_property_readonly(
          "effort_limit", [=](const RobotHandle& r) { return to_array(model(r).effort_limit()); },
          "Limits of tau, inf where there is none.")
      .def_property_readonly(
          "coordinate_units", [=](const RobotHandle& r) { return coordinate_units(model(r)); },
          "Units of the entries of q: rad, m, or nothing for quaternions.")
      .def_property_readonly(
          "speed_units",
          [=](const RobotHandle& r) {
            std::vector<std::string> units = speed_units(model(r));
            for (std::string& unit : units) unit += "/s";
            return units;
          },
          "Units of the entries of v.")
      .def_property_readonly(
          "loop_tolerance", [=](const RobotHandle& r) { return model(r).robot().loop_tolerance; },
          "Largest gap (m, rad) of closed loops, in addition to rounding.")
      .def_property_readonly(
          "warnings",
          [=](const RobotHandle& r) {
            std::vector<std::string> out;
            for (const Problem& p : model(r).warnings()) out.push_back(p.text());
            return out;
          },
          "What was accepted although it is doubtful.")
      .def_property_readonly(
          "import_report", [](const RobotHandle& r) { return report_of(r.report); },
          "What the reader used, changed and ignored of the file.");
}

}  // namespace

RobotClass add_robot(py::module_& m) {
  RobotClass robot(
      m, "Robot",
      "A robot: immutable, and may be used from several threads at once.\n\n"
      "Made by ulna.load, ulna.loads or RobotBuilder.build. Functions of a state take "
      "q of shape\n(nq,) and v, a, tau of shape (nv,), or batches (N, nq), (N, nv), and "
      "give one result or N.");
  add_parts(robot);
  add_fast_method<integrate_signature, integrate>(
      robot, "(self, q, dv)", "q after moving along dv (in the tangent) for unit time.");
  add_fast_method<difference_signature, difference>(
      robot, "(self, q0, q1)", "dv, in the tangent, such that integrate(q0, dv) = q1.");
  robot
      .def(
          "neutral", [](const RobotHandle& r) { return to_array(r.model->neutral()); },
          "All coordinates zero, quaternions the identity.")
      .def("random", &random, py::arg("size") = py::none(), py::kw_only(),
           py::arg("seed") = py::none(),
           "Random coordinates within the limits; `size` of them as rows.")
      .def(
          "to_yaml", [](const RobotHandle& r) { return write_robot_yaml(r.model->robot()); },
          "The robot as a robot file, without loss.")
      .def(
          "hash", [](const RobotHandle& r) { return r.content(); },
          "Equal for robots that are the same in every value.")
      .def(py::pickle(&state_of, &from_state));
  m.def("load", &load, py::arg("robot"), py::kw_only(), py::arg("strict") = false,
        py::arg("packages") = std::map<std::string, std::string>{}, py::arg("repair") = py::none(),
        py::arg("gravity") = py::none(), py::arg("xacro") = py::none(),
        "A robot from a file (.yaml, .urdf, MuJoCo .xml, .sdf) or a shipped name.\n\nstrict: "
        "refuse a file if anything in it is changed or ignored. packages: the folder of "
        "each\npackage:// name of a URDF. repair='nearest': inertias that no body can have are "
        "replaced\nby the nearest possible ones (`import_report` tells). gravity: (x, y, z) "
        "instead of the robot's, m/s^2.\nxacro: arguments {name: value} for the program xacro, "
        "which expands a .xacro file.");
  m.def("loads", &loads, py::arg("text"), py::kw_only(), py::arg("name") = "text",
        py::arg("strict") = false, py::arg("packages") = std::map<std::string, std::string>{},
        py::arg("repair") = py::none(), py::arg("gravity") = py::none(),
        "A robot from the text of a robot file or URDF.");
  m.def("robots", &shipped, "The shipped robots: name and description.");
  return robot;
}

}  // namespace ulna::python
