// ulna.Experiment: what touches what, what rolls, what goes only along itself.

#include <fmt/format.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "experiment_handle.hpp"
#include "names.hpp"

namespace ulna::python {
namespace {

using Handle = ExperimentHandle;

/// A frame as its body and the pose on it.
struct Seat {
  int body = 0;
  Pose<double> X_BS;
};

Seat seat_of(const Handle& e, const py::object& frame, const char* name) {
  const Frame& named = e.data.model->frames()[frame_argument(*e.robot, frame.ptr(), name)];
  return {named.body, named.X_BF};
}

Vector3<double> direction(const py::object& given, const char* name) {
  const Vector3<double> d = vector3(given, name);
  if (d.isZero(0)) throw InputError(Problem{{}, name, "is zero", "a direction, of any length", {}});
  return d;
}

Vector3<double> point_or_origin(const py::object& given, const char* name) {
  return given.is_none() ? Vector3<double>(Vector3<double>::Zero()) : vector3(given, name);
}

TouchingShape shape_of(const Handle& e, const py::object& frame, const py::object& point,
                       double radius, const py::object& axis) {
  const Seat seat = seat_of(e, frame, "frame");
  TouchingShape shape;
  shape.body = seat.body;
  shape.point = seat.X_BS * point_or_origin(point, "point");
  shape.radius = radius;
  if (!axis.is_none()) shape.axis = seat.X_BS.rotation * direction(axis, "axis");
  return shape;
}

ContactPlane plane_of(const Handle& e, const py::object& frame, const py::object& point,
                      const py::object& normal) {
  const Seat seat = seat_of(e, frame, "plane");
  ContactPlane plane;
  plane.body = seat.body;
  plane.point = seat.X_BS * point_or_origin(point, "plane_point");
  if (!normal.is_none()) plane.normal = direction(normal, "normal");
  plane.normal = seat.X_BS.rotation * plane.normal;
  return plane;
}

Handle& contact(Handle& e, const py::object& frame, double radius, const py::object& axis,
                const py::object& point, const py::object& plane, const py::object& plane_point,
                const py::object& normal, double restitution, double friction, double rest_speed,
                const std::optional<double>& static_friction, double stribeck_speed,
                double rolling_resistance, const std::string& name) {
  Contact c;
  c.name = name.empty() ? fmt::format("contact{}", e.data.contacts.size() + 1) : name;
  c.shape = shape_of(e, frame, point, radius, axis);
  c.plane = plane_of(e, plane, plane_point, normal);
  c.restitution = restitution;
  c.friction = friction;
  c.rest_speed = rest_speed;
  if (static_friction) c.static_friction = *static_friction;
  c.stribeck_speed = stribeck_speed;
  c.rolling_resistance = rolling_resistance;
  e.data.contacts.push_back(std::move(c));
  return e;
}

/// Takes the name too: rows of both kinds are numbered together.
Handle& add_row(Handle& e, NonholonomicConstraint row, const std::string& name) {
  row.name = name.empty() ? fmt::format("row{}", e.data.nonholonomic.size() + 1) : name;
  e.data.nonholonomic.push_back(std::move(row));
  return e;
}

Handle& rolling(Handle& e, const py::object& frame, double radius, const py::object& axis,
                const py::object& point, const py::object& plane, const py::object& plane_point,
                const py::object& normal, const std::string& name) {
  NonholonomicConstraint row;
  row.kind = NonholonomicConstraint::Kind::rolling;
  row.shape = shape_of(e, frame, point, radius, axis);
  row.plane = plane_of(e, plane, plane_point, normal);
  return add_row(e, std::move(row), name);
}

Handle& knife_edge(Handle& e, const py::object& frame, const py::object& directions,
                   const py::object& point, const py::object& on, const std::string& name) {
  NonholonomicConstraint row;
  row.kind = NonholonomicConstraint::Kind::knife_edge;
  row.shape = shape_of(e, frame, point, 0, py::none());
  row.plane.body = body_argument(*e.robot, on, "on");
  const Array given = numbers(directions, "directions");
  if (given.ndim() < 1 || given.ndim() > 2 || given.shape(given.ndim() - 1) != 3)
    throw InputError(Problem{
        {}, "directions", "has shape " + shape_text(given), "(3,) or (k, 3), k up to 3", {}});
  const Seat seat = seat_of(e, frame, "frame");
  for (py::ssize_t k = 0; k < given.size() / 3; ++k)
    row.directions.push_back(seat.X_BS.rotation *
                             Eigen::Map<const Vector3<double>>(given.data() + 3 * k));
  return add_row(e, std::move(row), name);
}

}  // namespace

void add_contacts(ExperimentClass& c) {
  constexpr auto same = py::return_value_policy::reference_internal;
  const py::none none;
  c.def(
       "contact", all_or_nothing(&contact), same, py::arg("frame"), py::kw_only(),
       py::arg("radius") = 0.0, py::arg("axis") = none, py::arg("point") = none,
       py::arg("plane") = "world", py::arg("plane_point") = none, py::arg("normal") = none,
       py::arg("restitution") = 0.0, py::arg("friction") = 0.0, py::arg("rest_speed") = 1e-4,
       py::arg("static_friction") = none, py::arg("stribeck_speed") = 0.0,
       py::arg("rolling_resistance") = 0.0, py::arg("name") = "",
       "A point of a frame or body (with radius a ball about it, with axis as well a thin disc)\n"
       "against a plane: it pushes, bounces with the restitution and rubs with Coulomb "
       "friction.\n\n"
       "point, axis: in the axes of `frame`. plane: the frame the plane is fixed to, with "
       "plane_point\n"
       "and normal in its axes: the ground z = 0 when nothing is said. Impacts that would leave "
       "less\n"
       "than rest_speed end at rest. static_friction: coefficient at rest, which falls to friction "
       "over\n"
       "the slip stribeck_speed (0: at once). rolling_resistance: lever arm of the normal force, "
       "m.")
      .def(
          "impacts",
          [](Handle& e, const std::string& law) -> Handle& {
            for (const ImpactLaw known :
                 {ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::sequential})
              if (law == name_of(known)) {
                e.data.impact_law = known;
                ++e.changes;
                return e;
              }
            throw InputError(Problem{{},
                                     "law",
                                     fmt::format("there is no impact law '{}'", law),
                                     "newton, poisson or sequential",
                                     {}});
          },
          same, py::arg("law"),
          "The law of impacts in which several contacts or stops meet: 'newton', 'poisson' or\n"
          "'sequential' (pair after pair: a cradle passes its impulse on).")
      .def(
          "friction_at_rest",
          [](Handle& e, const std::string& joint, double effort, double stribeck_speed) -> Handle& {
            const Joint& j = e.data.model->joints()[e.data.model->joint(joint)];
            for (int k = 0; k < j.speeds; ++k)
              e.data.joint_friction.push_back({j.v + k, effort, stribeck_speed, {}});
            ++e.changes;
            return e;
          },
          same, py::arg("joint"), py::arg("effort"), py::arg("stribeck_speed") = 0.0,
          "What friction holds of a joint at rest, at least the robot's friction in motion, to "
          "which it\n"
          "falls over stribeck_speed (0: at once).")
      .def("rolling", all_or_nothing(&rolling), same, py::arg("frame"), py::arg("radius"),
           py::kw_only(), py::arg("axis") = none, py::arg("point") = none,
           py::arg("plane") = "world", py::arg("plane_point") = none, py::arg("normal") = none,
           py::arg("name") = "",
           "A ball, or with axis a disc, that rolls on a plane: it neither slips nor leaves it.")
      .def("knife_edge", all_or_nothing(&knife_edge), same, py::arg("frame"), py::arg("directions"),
           py::kw_only(), py::arg("point") = none, py::arg("on") = "world", py::arg("name") = "",
           "A point that does not move along one or more directions (in the axes of `frame`)\n"
           "relative to the body `on`: a skate, a blade, a wheel without width.");
}

}  // namespace ulna::python
