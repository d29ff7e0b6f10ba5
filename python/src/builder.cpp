// ulna.RobotBuilder: a robot made in code, piece by piece in any order, then checked and frozen.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "builder_arguments.hpp"
#include "names.hpp"
#include "ulna/elastic/modal_body.hpp"

namespace ulna::python {
namespace {

using Builder = Robot;

Builder& body(Builder& robot, const std::string& name, double mass, const py::object& centre,
              const py::object& inertia) {
  BodyData data;
  data.name = name;
  data.inertial = inertial(mass, centre, inertia);
  robot.bodies.push_back(std::move(data));
  return robot;
}

Builder& joint(Builder& robot, const std::string& name, const std::string& type,
               const std::string& parent, const std::string& child, const py::object& axis,
               const py::object& at, const py::object& child_at, const py::object& dh,
               const py::object& axis2, double pitch, const py::object& lower,
               const py::object& upper, const py::object& velocity, const py::object& effort,
               const py::object& damping, const py::object& friction, const py::object& stiffness,
               const py::object& rest, const py::object& rotor_inertia,
               const py::object& gear_ratio, const py::object& hardening,
               const py::object& backlash, const py::object& mimic, bool cut) {
  JointData data;
  data.name = name;
  data.type = joint_type_argument(type);
  data.parent = parent;
  data.child = child;
  apply({axis, at, child_at, dh, axis2, lower, upper, velocity, effort, damping, friction,
         stiffness, rest, rotor_inertia, gear_ratio, hardening, backlash, mimic},
        data);
  data.pitch = pitch;
  data.cut = cut;
  robot.joints.push_back(std::move(data));
  return robot;
}

Builder& distance(Builder& robot, const std::string& name, const std::string& parent,
                  const std::string& child, double length, const py::object& parent_point,
                  const py::object& child_point) {
  ConstraintData data;
  data.name = name;
  data.type = ConstraintData::Type::distance;
  data.parent = parent;
  data.child = child;
  data.length = length;
  if (!parent_point.is_none()) data.parent_point = vector3(parent_point, "parent_point");
  if (!child_point.is_none()) data.child_point = vector3(child_point, "child_point");
  robot.constraints.push_back(std::move(data));
  return robot;
}

/// {joint: factor}, or {(joint, degree): factor}; a list is a polynomial.
Builder& coupling(Builder& robot, const std::string& name, const py::dict& terms, double offset) {
  ConstraintData data;
  data.name = name;
  data.type = ConstraintData::Type::coupling;
  data.offset = offset;
  for (const auto& [key, factor] : entries_of(terms)) {
    ConstraintData::Term term;
    if (PySequence_Check(factor.ptr())) {
      for (const py::handle item : items_argument(factor, "terms"))
        term.higher.push_back(number_argument(item, "terms"));
      if (term.higher.empty()) throw py::value_error("terms: a polynomial has no coefficient");
      term.factor = term.higher.front();
      term.higher.erase(term.higher.begin());
    } else {
      term.factor = number_argument(factor, "terms");
    }
    if (py::isinstance<py::tuple>(key)) {
      const auto parts = py::reinterpret_borrow<py::tuple>(key);
      if (parts.size() != 2 || !py::isinstance<py::int_>(parts[1]))
        throw py::type_error("terms must have joints or (joint, degree) as keys");
      term.joint = text_argument(py::object(parts[0]), "terms");
      term.degree = parts[1].cast<int>();
    } else {
      term.joint = text_argument(key, "terms");
    }
    data.terms.push_back(std::move(term));
  }
  robot.constraints.push_back(std::move(data));
  return robot;
}

Builder& frame(Builder& robot, const std::string& name, const std::string& on,
               const py::object& at) {
  FrameData data;
  data.name = name;
  data.body = on;
  data.X_BF = pose_or_identity(at, "at");
  robot.frames.push_back(std::move(data));
  return robot;
}

Builder& payload(Builder& robot, const std::string& name, const std::string& on, double mass,
                 const py::object& centre, const py::object& inertia, const py::object& at) {
  PayloadData data;
  data.name = name;
  data.body = on;
  data.X_BL = pose_or_identity(at, "at");
  data.inertial = inertial(mass, centre, inertia);
  robot.payloads.push_back(std::move(data));
  return robot;
}

Builder& geometry(Builder& robot, const std::string& on, const std::string& shape,
                  const py::object& size, const py::object& at, const py::object& colour) {
  constexpr const char* shapes[] = {"box", "cylinder", "sphere", "capsule"};
  constexpr int sizes[] = {3, 2, 1, 2};
  const int kind = choice(shape, shapes, "shape");
  Geometry data;
  data.shape = static_cast<Geometry::Shape>(kind);
  const Eigen::VectorXd numbers = vector_of(size, "size", sizes[kind]);
  data.size.head(numbers.size()) = numbers;
  data.X_BG = pose_or_identity(at, "at");
  if (!colour.is_none()) {
    const Eigen::VectorXd c = vector_of(colour, "colour");
    if (c.size() != 3 && c.size() != 4)
      throw InputError(
          Problem{{}, "colour", "has another size", "red, green, blue and opacity", {}});
    data.colour = {c(0), c(1), c(2), c.size() == 4 ? c(3) : 1.0};
  }
  for (BodyData& each : robot.bodies)
    if (each.name == on) {
      each.geometry.push_back(data);
      return robot;
    }
  throw InputError(Problem{{}, "body", fmt::format("there is no body '{}' yet", on), "a body", {}});
}

std::shared_ptr<RobotHandle> build(Builder robot) {
  make_flexible(robot);
  return std::make_shared<RobotHandle>(std::make_shared<const Model>(std::move(robot)));
}

void add_pieces(BuilderClass& builder) {
  constexpr auto same = py::return_value_policy::reference_internal;
  const py::none none;
  builder
      .def("body", &body, same, py::arg("name"), py::arg("mass") = 0.0, py::kw_only(),
           py::arg("centre") = none, py::arg("inertia") = none,
           "A body: mass, centre of mass in its frame, inertia about that centre in its axes as\n"
           "(ixx, iyy, izz), with (ixy, ixz, iyz) besides, or a 3x3 matrix.")
      .def(
          "joint", &joint, same, py::arg("name"), py::arg("type"), py::arg("parent"),
          py::arg("child"), py::kw_only(), py::arg("axis") = none, py::arg("at") = none,
          py::arg("child_at") = none, py::arg("dh") = none, py::arg("axis2") = none,
          py::arg("pitch") = 0.0, py::arg("lower") = none, py::arg("upper") = none,
          py::arg("velocity") = none, py::arg("effort") = none, py::arg("damping") = none,
          py::arg("friction") = none, py::arg("stiffness") = none, py::arg("rest") = none,
          py::arg("rotor_inertia") = none, py::arg("gear_ratio") = none,
          py::arg("hardening") = none, py::arg("backlash") = none, py::arg("mimic") = none,
          py::arg("cut") = false,
          "A joint of any type between two bodies; one that closes a cycle becomes a loop.\n\n"
          "at: pose of the joint on the parent, child_at: pose of the child's frame in the moving\n"
          "joint frame (4x4 or a position); or dh={'convention': 'standard' or 'modified', "
          "'theta',\n"
          "'d', 'a', 'alpha'}. Limits, damping and so on take one number for all degrees of "
          "freedom\n"
          "or one for each. mimic: (joint, multiplier, offset). cut: this one closes its loop.")
      .def("distance", &distance, same, py::arg("name"), py::arg("parent"), py::arg("child"),
           py::arg("length"), py::kw_only(), py::arg("parent_point") = none,
           py::arg("child_point") = none, "A rod of constant length between two points.")
      .def("coupling", &coupling, same, py::arg("name"), py::arg("terms"), py::arg("offset") = 0.0,
           "A coupling such as a gear: sum of factor times coordinate = offset, terms = "
           "{joint: factor}; the\nkey may be (joint, degree) for joints with several degrees of "
           "freedom. A list in place of\na factor is a polynomial: the coefficients of the "
           "coordinate, its square, its cube and so on.")
      .def("frame", &frame, same, py::arg("name"), py::arg("body"), py::arg("at") = none,
           "A named pose on a body.")
      .def("payload", &payload, same, py::arg("name"), py::arg("body"), py::arg("mass"),
           py::kw_only(), py::arg("centre") = none, py::arg("inertia") = none, py::arg("at") = none,
           "An extra mass carried by a body.")
      .def(
          "geometry", &geometry, same, py::arg("body"), py::arg("shape"), py::arg("size"),
          py::kw_only(), py::arg("at") = none, py::arg("colour") = none,
          "A shape for drawing: 'box' (edges), 'cylinder' or 'capsule' (radius, length), 'sphere'\n"
          "(radius,).");
}

}  // namespace

void add_builder(py::module_& m, RobotClass& robot) {
  BuilderClass builder(m, "RobotBuilder", py::dynamic_attr(),
                       "A robot made in code: add pieces in any order, then build().\n\n"
                       "Every method but build returns the builder, so that calls can be chained.");
  builder
      .def(py::init([](const std::string& name, const py::object& gravity,
                       const std::string& description) {
             Builder data;
             data.name = name;
             data.description = description;
             if (!gravity.is_none()) data.gravity = vector3(gravity, "gravity");
             return data;
           }),
           py::arg("name"), py::kw_only(), py::arg("gravity") = py::none(),
           py::arg("description") = "", "An empty robot, to which pieces are added.")
      .def_readwrite("name", &Builder::name, "The name of the robot.")
      .def_readwrite("description", &Builder::description, "What it is, in a sentence.")
      .def_property(
          "gravity", [](const Builder& b) { return to_array(b.gravity); },
          [](Builder& b, const py::object& g) { b.gravity = vector3(g, "gravity"); },
          "Acceleration of free fall in the world, m/s^2.")
      .def_readwrite("loop_tolerance", &Builder::loop_tolerance,
                     "Largest gap (m, rad) of closed loops, in addition to rounding.")
      .def("build", &build,
           "Checks everything and freezes it; InputError with every problem found.");
  add_pieces(builder);
  add_builder_edits(builder);
  add_beams(m, builder);
  add_elements(robot, builder);
  robot.def(
      "builder", [](const RobotHandle& r) { return Builder(r.model->robot()); },
      "A builder that holds this robot, to change it (edit_body, edit_joint, remove, ...) or to "
      "add "
      "to it.");
}

}  // namespace ulna::python
