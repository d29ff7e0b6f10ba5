// ulna.RobotBuilder: a robot made in code, piece by piece in any order, then checked and frozen.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "builder_arguments.hpp"
#include "names.hpp"
#include "ulna/elastic/modal_body.hpp"
#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/model/placement.hpp"

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

/// One value for all degrees of freedom, or one for each.
void set_degrees(JointData& joint, const py::object& value, const char* name,
                 double DegreeData::*entry) {
  if (value.is_none()) return;
  const auto speeds = static_cast<std::size_t>(size_of(joint.type).speeds);
  const Array array = numbers(value, name);
  if (array.ndim() > 1 || (array.ndim() == 1 && static_cast<std::size_t>(array.shape(0)) != speeds))
    throw InputError(
        Problem{{},
                name,
                "has shape " + shape_text(array),
                fmt::format("one number, or ({},) for a {} joint", speeds, name_of(joint.type)),
                {}});
  joint.degrees.resize(speeds);
  for (std::size_t k = 0; k < speeds; ++k)
    joint.degrees[k].*entry = array.ndim() == 0 ? array.data()[0] : array.data()[k];
}

void place_by_dh(JointData& joint, const py::object& dh) {
  const py::dict given = dh.cast<py::dict>();
  const auto number = [&](const char* key) {
    return given.contains(key) ? given[key].cast<double>() : 0.0;
  };
  constexpr const char* conventions[] = {"standard", "modified"};
  if (!given.contains("convention"))
    throw InputError(Problem{{}, "dh", "names no convention", "standard or modified", {}});
  const bool modified =
      choice(given["convention"].cast<std::string>(), conventions, "dh convention") == 1;
  const Placement placed =
      modified ? modified_dh(number("theta"), number("d"), number("a"), number("alpha"))
               : standard_dh(number("theta"), number("d"), number("a"), number("alpha"));
  joint.X_PF = placed.X_PF;
  joint.X_MC = placed.X_MC;
  joint.axis = Vector3<double>::UnitZ();
}

JointType type_of(const std::string& name) {
  if (const auto type = joint_type_from_name(name)) return *type;
  const std::vector<std::string>& known = joint_type_names();
  throw InputError(Problem{{},
                           "type",
                           fmt::format("'{}' is no joint type", name),
                           fmt::format("one of {}", fmt::join(known, ", ")),
                           nearest_name_hint(name, known)});
}

std::optional<Mimic> mimic_of(const py::object& object) {
  if (object.is_none()) return std::nullopt;
  if (py::isinstance<py::str>(object)) return Mimic{object.cast<std::string>(), 1, 0};
  const auto parts = object.cast<py::sequence>();
  Mimic mimic{parts[0].cast<std::string>(), 1, 0};
  if (parts.size() > 1) mimic.multiplier = parts[1].cast<double>();
  if (parts.size() > 2) mimic.offset = parts[2].cast<double>();
  return mimic;
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
  data.type = type_of(type);
  data.parent = parent;
  data.child = child;
  data.X_PF = pose_or_identity(at, "at");
  data.X_MC = pose_or_identity(child_at, "child_at");
  if (!axis.is_none()) data.axis = vector3(axis, "axis");
  if (!axis2.is_none()) data.axis2 = vector3(axis2, "axis2");
  if (!dh.is_none()) {
    if (!at.is_none() || !child_at.is_none() || !axis.is_none())
      throw InputError(Problem{{}, "dh", "is given beside at, child_at or axis", "dh alone", {}});
    place_by_dh(data, dh);
  }
  data.pitch = pitch;
  set_degrees(data, lower, "lower", &DegreeData::lower);
  set_degrees(data, upper, "upper", &DegreeData::upper);
  set_degrees(data, velocity, "velocity", &DegreeData::velocity_limit);
  set_degrees(data, effort, "effort", &DegreeData::effort_limit);
  set_degrees(data, damping, "damping", &DegreeData::damping);
  set_degrees(data, friction, "friction", &DegreeData::friction);
  set_degrees(data, stiffness, "stiffness", &DegreeData::stiffness);
  set_degrees(data, rest, "rest", &DegreeData::rest);
  set_degrees(data, rotor_inertia, "rotor_inertia", &DegreeData::rotor_inertia);
  set_degrees(data, gear_ratio, "gear_ratio", &DegreeData::gear_ratio);
  set_degrees(data, hardening, "hardening", &DegreeData::hardening);
  set_degrees(data, backlash, "backlash", &DegreeData::backlash);
  data.mimic = mimic_of(mimic);
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

/// {joint: factor}, or {(joint, degree): factor}.
Builder& coupling(Builder& robot, const std::string& name, const py::dict& terms, double offset) {
  ConstraintData data;
  data.name = name;
  data.type = ConstraintData::Type::coupling;
  data.offset = offset;
  for (const auto& [key, factor] : terms) {
    ConstraintData::Term term;
    term.factor = factor.cast<double>();
    if (py::isinstance<py::tuple>(key)) {
      std::tie(term.joint, term.degree) = key.cast<std::pair<std::string, int>>();
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
           "Gears and the like: sum of factor times coordinate = offset, terms = {joint: factor}; "
           "the\n"
           "key may be (joint, degree) for joints with several degrees of freedom.")
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
  BuilderClass builder(m, "RobotBuilder",
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
           py::arg("description") = "")
      .def_readwrite("name", &Builder::name)
      .def_readwrite("description", &Builder::description)
      .def_property(
          "gravity", [](const Builder& b) { return to_array(b.gravity); },
          [](Builder& b, const py::object& g) { b.gravity = vector3(g, "gravity"); })
      .def("build", &build,
           "Checks everything and freezes it; InputError with every problem found.");
  add_pieces(builder);
  add_beams(m, builder);
  add_elements(robot, builder);
  robot.def(
      "builder", [](const RobotHandle& r) { return Builder(r.model->robot()); },
      "A builder that holds this robot, to add to it: payloads, frames, bodies.");
}

}  // namespace ulna::python
