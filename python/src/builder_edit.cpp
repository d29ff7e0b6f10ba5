// ulna.RobotBuilder: changing and removing what is there.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "bindings.hpp"
#include "builder_arguments.hpp"
#include "names.hpp"

namespace ulna::python {
namespace builder_edit {
namespace {

template <class Items>
std::vector<std::string> names_in(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

/// The piece of this name; InputError with the nearest.
template <class Items>
auto& piece(Items& items, const std::string& name, const char* kind) {
  for (auto& item : items)
    if (item.name == name) return item;
  const std::vector<std::string> known = names_in(items);
  throw InputError(Problem{{},
                           "name",
                           fmt::format("there is no {} '{}'", kind, name),
                           known.empty() ? fmt::format("a {} that was added before", kind)
                                         : fmt::format("one of {}", fmt::join(known, ", ")),
                           nearest_name_hint(name, known)});
}

// An edit works on a copy and finds the piece again at its end: all or nothing, also where to read
// an argument runs Python code that changes the builder.

void change(Inertial& inertial, const std::optional<double>& mass, const py::object& centre,
            const py::object& inertia) {
  if (mass) inertial.mass = *mass;
  if (!centre.is_none()) inertial.centre = vector3(centre, "centre");
  if (!inertia.is_none()) inertial.inertia = inertia_of(inertia);
}

Robot& edit_body(Robot& robot, const std::string& name, const std::optional<double>& mass,
                 const py::object& centre, const py::object& inertia) {
  Inertial inertial = piece(robot.bodies, name, "body").inertial;
  change(inertial, mass, centre, inertia);
  piece(robot.bodies, name, "body").inertial = inertial;
  return robot;
}

Robot& edit_joint(Robot& robot, const std::string& name, const std::optional<std::string>& type,
                  const std::optional<std::string>& parent, const std::optional<std::string>& child,
                  const py::object& axis, const py::object& at, const py::object& child_at,
                  const py::object& dh, const py::object& axis2, const std::optional<double>& pitch,
                  const py::object& lower, const py::object& upper, const py::object& velocity,
                  const py::object& effort, const py::object& damping, const py::object& friction,
                  const py::object& stiffness, const py::object& rest,
                  const py::object& rotor_inertia, const py::object& gear_ratio,
                  const py::object& hardening, const py::object& backlash, const py::object& mimic,
                  const std::optional<bool>& cut) {
  JointData joint = piece(robot.joints, name, "joint");
  if (type) joint.type = joint_type_argument(*type);
  if (parent) joint.parent = *parent;
  if (child) joint.child = *child;
  apply({axis, at, child_at, dh, axis2, lower, upper, velocity, effort, damping, friction,
         stiffness, rest, rotor_inertia, gear_ratio, hardening, backlash, mimic},
        joint);
  if (pitch) joint.pitch = *pitch;
  if (cut) joint.cut = *cut;
  piece(robot.joints, name, "joint") = std::move(joint);
  return robot;
}

Robot& edit_frame(Robot& robot, const std::string& name, const std::optional<std::string>& body,
                  const py::object& at) {
  FrameData frame = piece(robot.frames, name, "frame");
  if (!at.is_none()) frame.X_BF = pose_of(at, "at");
  if (body) frame.body = *body;
  piece(robot.frames, name, "frame") = std::move(frame);
  return robot;
}

Robot& edit_payload(Robot& robot, const std::string& name, const std::optional<std::string>& body,
                    const std::optional<double>& mass, const py::object& centre,
                    const py::object& inertia, const py::object& at) {
  PayloadData load = piece(robot.payloads, name, "payload");
  change(load.inertial, mass, centre, inertia);
  if (!at.is_none()) load.X_BL = pose_of(at, "at");
  if (body) load.body = *body;
  piece(robot.payloads, name, "payload") = std::move(load);
  return robot;
}

template <class Items>
bool erase_named(Items& items, const std::string& name) {
  return std::erase_if(items, [&](const auto& item) { return item.name == name; }) > 0;
}

Robot& remove(Robot& robot, const std::string& kind, const std::string& name) {
  constexpr const char* kinds[] = {"body", "joint", "constraint", "frame", "payload", "element"};
  const int which = choice(kind, kinds, "kind");
  const bool gone = which == 0   ? erase_named(robot.bodies, name)
                    : which == 1 ? erase_named(robot.joints, name)
                    : which == 2 ? erase_named(robot.constraints, name)
                    : which == 3 ? erase_named(robot.frames, name)
                    : which == 4 ? erase_named(robot.payloads, name)
                                 : erase_named(robot.elements, name);
  if (!gone)
    throw InputError(Problem{{},
                             "name",
                             fmt::format("there is no {} '{}'", kind, name),
                             fmt::format("a {} of the builder", kind),
                             {}});
  return robot;
}

std::string text_of(const Robot& robot) {
  const auto counted = [](std::size_t n, const char* one, const char* several) {
    return fmt::format("{} {}", n, n == 1 ? one : several);
  };
  return fmt::format("<ulna.RobotBuilder '{}': {}, {}>", robot.name,
                     counted(robot.bodies.size(), "body", "bodies"),
                     counted(robot.joints.size(), "joint", "joints"));
}

void add_lists(BuilderClass& builder) {
  builder
      .def_property_readonly(
          "bodies", [](const Robot& r) { return names_in(r.bodies); },
          "Names of the bodies, without the world.")
      .def_property_readonly(
          "joints", [](const Robot& r) { return names_in(r.joints); }, "Names of the joints.")
      .def_property_readonly(
          "constraints", [](const Robot& r) { return names_in(r.constraints); },
          "Names of the rods and couplings.")
      .def_property_readonly(
          "frames", [](const Robot& r) { return names_in(r.frames); },
          "Names of the frames, without those of the bodies.")
      .def_property_readonly(
          "payloads", [](const Robot& r) { return names_in(r.payloads); }, "Names of the payloads.")
      .def_property_readonly(
          "elements", [](const Robot& r) { return names_in(r.elements); },
          "Names of the force elements.")
      .def("__repr__", &text_of)
      .def("__copy__", [](const Robot& r) { return Robot(r); })
      .def(
          "__deepcopy__", [](const Robot& r, const py::dict&) { return Robot(r); },
          py::arg("memo"));
}

}  // namespace
}  // namespace builder_edit

void add_builder_edits(BuilderClass& builder) {
  using namespace builder_edit;
  constexpr auto same = py::return_value_policy::reference_internal;
  const py::none none;
  builder
      .def("edit_body", &edit_body, same, py::arg("name"), py::kw_only(), py::arg("mass") = none,
           py::arg("centre") = none, py::arg("inertia") = none,
           "Changes an existing body; omitted arguments keep their values.")
      .def("edit_joint", &edit_joint, same, py::arg("name"), py::kw_only(), py::arg("type") = none,
           py::arg("parent") = none, py::arg("child") = none, py::arg("axis") = none,
           py::arg("at") = none, py::arg("child_at") = none, py::arg("dh") = none,
           py::arg("axis2") = none, py::arg("pitch") = none, py::arg("lower") = none,
           py::arg("upper") = none, py::arg("velocity") = none, py::arg("effort") = none,
           py::arg("damping") = none, py::arg("friction") = none, py::arg("stiffness") = none,
           py::arg("rest") = none, py::arg("rotor_inertia") = none, py::arg("gear_ratio") = none,
           py::arg("hardening") = none, py::arg("backlash") = none, py::arg("mimic") = none,
           py::arg("cut") = none,
           "Changes an existing joint; omitted arguments keep their values. The arguments are "
           "those of joint.")
      .def("edit_frame", &edit_frame, same, py::arg("name"), py::kw_only(), py::arg("body") = none,
           py::arg("at") = none, "Moves an existing frame on its body or to another body.")
      .def("edit_payload", &edit_payload, same, py::arg("name"), py::kw_only(),
           py::arg("body") = none, py::arg("mass") = none, py::arg("centre") = none,
           py::arg("inertia") = none, py::arg("at") = none,
           "Changes an existing payload; omitted arguments keep their values.")
      .def("remove", &remove, same, py::arg("kind"), py::arg("name"),
           "Takes a piece away; kind: 'body', 'joint', 'constraint', 'frame', 'payload' or "
           "'element'.");
  add_lists(builder);
}

}  // namespace ulna::python
