// ulna.homogeneous: mechanics of rigid bodies in 4x4 matrices, screws, and the geometry of points,
// lines and planes.

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "names.hpp"
#include "ulna/spatial/homogeneous_angles.hpp"
#include "ulna/spatial/homogeneous_geometry.hpp"
#include "ulna/spatial/homogeneous_screw.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna::python {
namespace {

using py::arg;
using Object = const py::object&;

template <class Kind>
Kind kind_of(py::handle object, const char* name) {
  return Kind(Matrix4<double>(matrix_of(object, name, 4, 4)));
}
const auto position = kind_of<PositionMatrix<double>>;
const auto velocity_of = kind_of<VelocityMatrix<double>>;
const auto acceleration_of = kind_of<AccelerationMatrix<double>>;
const auto screw_matrix_of = kind_of<ScrewMatrix<double>>;
const auto action_of = kind_of<ActionMatrix<double>>;
const auto inertia_of = kind_of<InertiaMatrix<double>>;

template <class Kind>
py::object array_of(const Kind& X) {
  return to_matrix(X.matrix);
}
py::object array_of(const Vector3<double>& x) { return to_array(x); }

Vector6<double> six_of(py::handle object, const char* name) {
  return vector_of(object, name, 6, ": rotation first");
}
Twist<double> twist_of(py::handle object, const char* name) {
  const Vector6<double> x = six_of(object, name);
  return {x.head<3>(), x.tail<3>()};
}
Wrench<double> wrench_of(py::handle object, const char* name) {
  const Vector6<double> x = six_of(object, name);
  return {x.head<3>(), x.tail<3>()};
}
py::object pair_of(const Vector3<double>& angular, const Vector3<double>& linear) {
  Vector6<double> x;
  x << angular, linear;
  return to_array(x);
}

void add_matrices_of_bodies(py::module_& m) {
  m.def(
      "extended_dh",
      [](double theta, double d, double b, double a, double alpha) {
        return array_of(PositionMatrix<double>::extended_dh(theta, d, b, a, alpha));
      },
      arg("theta"), arg("d"), arg("b"), arg("a"), arg("alpha"),
      "M = Rz(theta) T(a, b, d) Rx(alpha), extended Denavit-Hartenberg.");
  m.def(
      "velocity", [](Object V) { return array_of(VelocityMatrix<double>(twist_of(V, "twist"))); },
      arg("twist"), "W of a twist (angular velocity, velocity of the point at the origin).");
  m.def(
      "acceleration",
      [](Object V, Object rate) {
        return array_of(AccelerationMatrix<double>(twist_of(V, "twist"), twist_of(rate, "rate")));
      },
      arg("twist"), arg("rate"), "H = dW/dt + W^2 from a twist and its rate.");
  m.def(
      "gravity",
      [](Object g) { return array_of(AccelerationMatrix<double>::gravity(vector3(g, "g"))); },
      arg("g"), "Hg: every point falls with the acceleration g.");
  m.def(
      "action", [](Object F) { return array_of(ActionMatrix<double>(wrench_of(F, "wrench"))); },
      arg("wrench"), "Phi of a wrench (moment about the origin, force).");
  m.def(
      "inertia",
      [](double mass, Object centre, Object about_centre) {
        return array_of(InertiaMatrix<double>::from_centre(
            mass, vector3(centre, "centre"),
            Matrix3<double>(matrix_of(about_centre, "inertia", 3, 3))));
      },
      arg("mass"), arg("centre"), arg("inertia"),
      "J of a body: its mass, mass centre and 3x3 inertia about the centre.");
  m.def(
      "twist",
      [](Object W) {
        const Twist<double> V = velocity_of(W, "W").twist();
        return pair_of(V.angular, V.linear);
      },
      arg("W"), "The twist of W or of a screw matrix L: angular first.");
  m.def(
      "wrench",
      [](Object Phi) {
        const Wrench<double> F = action_of(Phi, "Phi").wrench();
        return pair_of(F.moment, F.force);
      },
      arg("Phi"), "The wrench of an action or momentum matrix: moment first.");
}

void add_rules(py::module_& m) {
  m.def(
      "transform_motion",
      [](Object M, Object X) { return array_of(transform(position(M, "M"), velocity_of(X, "X"))); },
      arg("M"), arg("X"), "W, H or L of frame s seen from frame r: M X M^-1 with M = M_rs.");
  m.def(
      "transform_action",
      [](Object M, Object X) { return array_of(transform(position(M, "M"), action_of(X, "X"))); },
      arg("M"), arg("X"), "Phi, momentum or J of frame s seen from frame r: M X M' with M = M_rs.");
  m.def(
      "inverse", [](Object M) { return array_of(position(M, "M").inverse()); }, arg("M"),
      "M^-1 of a position matrix, by transposition.");
  m.def(
      "compose_acceleration",
      [](Object H1, Object W1, Object H2, Object W2) {
        return array_of(compose(acceleration_of(H1, "H_ij"), velocity_of(W1, "W_ij"),
                                acceleration_of(H2, "H_jk"), velocity_of(W2, "W_jk")));
      },
      arg("H_ij"), arg("W_ij"), arg("H_jk"), arg("W_jk"),
      "H_ik = H_ij + H_jk + 2 W_ij W_jk, all in one frame.");
  m.def(
      "joint_acceleration",
      [](Object L, double qd, double qdd) {
        return array_of(acceleration(screw_matrix_of(L, "L"), qd, qdd));
      },
      arg("L"), arg("qd"), arg("qdd"), "H = L qdd + L^2 qd^2 of a joint.");
  m.def(
      "pseudo_product",
      [](Object Phi, Object W) {
        return pseudo_product(action_of(Phi, "Phi"), velocity_of(W, "W"));
      },
      arg("Phi"), arg("W"), "c.w + f.v: the power of an action along W, the effort along L.");
  m.def(
      "momentum",
      [](Object W, Object J) {
        return array_of(momentum(velocity_of(W, "W"), inertia_of(J, "J")));
      },
      arg("W"), arg("J"), "Gamma = W J - (W J)'.");
  m.def(
      "needed_action",
      [](Object H, Object J) {
        return array_of(action(acceleration_of(H, "H"), inertia_of(J, "J")));
      },
      arg("H"), arg("J"),
      "Phi = H J - (H J)': the action for the acceleration H; with Hg the weight.");
  m.def(
      "kinetic_energy",
      [](Object W, Object J) { return kinetic_energy(velocity_of(W, "W"), inertia_of(J, "J")); },
      arg("W"), arg("J"), "tr(W J W')/2.");
  m.def(
      "potential_energy",
      [](Object Hg, Object J) {
        return potential_energy(acceleration_of(Hg, "Hg"), inertia_of(J, "J"));
      },
      arg("Hg"), arg("J"), "-tr(Hg J); zero when the mass centre is at the origin.");
}

void add_screws(py::module_& m) {
  m.def(
      "screw",
      [](Object axis, Object point, double pitch) {
        return array_of(ScrewMatrix<double>::screw(vector3(axis, "axis").normalized(),
                                                   vector3(point, "point"), pitch));
      },
      arg("axis"), arg("point") = py::make_tuple(0, 0, 0), arg("pitch") = 0.0,
      "L of a joint that turns about an axis through a point, advancing by pitch (m/rad).");
  m.def(
      "slide",
      [](Object axis) {
        return array_of(ScrewMatrix<double>::prismatic(vector3(axis, "axis").normalized()));
      },
      arg("axis"), "L of a prismatic joint.");
  m.def(
      "displacement",
      [](Object L, double q) { return array_of(displacement(screw_matrix_of(L, "L"), q)); },
      arg("L"), arg("q"), "exp(L q): the displacement of a joint.");
  m.def(
      "screw_of_displacement",
      [](Object Q) {
        const FiniteScrew s = screw_of(position(Q, "Q"));
        return py::make_tuple(to_array(s.axis), s.angle, s.slide, to_array(s.point));
      },
      arg("Q"),
      "(axis, angle, slide, point nearest the origin) of a finite displacement. A translation has\n"
      "angle 0 and its direction as the axis.");
  m.def(
      "screw_of_velocity",
      [](Object W) {
        const InstantScrew s = screw_of(velocity_of(W, "W"));
        return py::make_tuple(to_array(s.axis), s.angular_speed, s.slide_speed, to_array(s.point));
      },
      arg("W"), "(axis, angular speed, speed along it, point nearest the origin) of W.");
  m.def(
      "unit_screw", [](Object W) { return array_of(unit_screw(velocity_of(W, "W"))); }, arg("W"),
      "L = W over its angular speed, or over its speed for a translation.");
  m.def(
      "orthonormalised",
      [](Object M) { return array_of(orthonormalised(Matrix4<double>(matrix_of(M, "M", 4, 4)))); },
      arg("M"), "The nearest matrix with an orthonormal rotation and the last row 0 0 0 1.");
  m.def(
      "free_body",
      [](Object J, Object rate, Object wrench, const std::array<int, 6>& unknown, Object W) {
        const FreeBody given{twist_of(rate, "rate"), wrench_of(wrench, "wrench")};
        const VelocityMatrix<double> moving =
            W.is_none() ? VelocityMatrix<double>() : velocity_of(W, "W");
        const FreeBody found = solve_free_body(inertia_of(J, "J"), given, unknown, moving);
        return py::make_tuple(pair_of(found.rate.angular, found.rate.linear),
                              pair_of(found.action.moment, found.action.force));
      },
      arg("J"), arg("rate"), arg("wrench"), arg("unknown") = std::array<int, 6>{0, 1, 2, 3, 4, 5},
      arg("W") = py::none(),
      "Newton's and Euler's equations of one body with any six of twelve quantities unknown: rate\n"
      "of the twist (0..5) and wrench on the body (6..11). Returns (rate, wrench).");
}

Line line_of(py::handle object, const char* name) {
  const py::sequence parts = py::reinterpret_borrow<py::sequence>(object);
  if (!py::isinstance<py::sequence>(object) || py::len(parts) != 2)
    throw InputError(Problem{{}, name, "not a line", "(point, direction)", {}});
  return line_along(vector3(parts[0], name), vector3(parts[1], name));
}
Plane plane_of(py::handle object, const char* name) {
  const py::sequence parts = py::reinterpret_borrow<py::sequence>(object);
  if (!py::isinstance<py::sequence>(object) || py::len(parts) != 2)
    throw InputError(Problem{{}, name, "not a plane", "(normal, offset)", {}});
  Plane plane{vector3(parts[0], name), number_argument(py::object(parts[1]), name)};
  const double size = plane.normal.norm();
  if (!(size > 0)) throw InputError(Problem{{}, name, "a normal of length 0", "another", {}});
  return {plane.normal / size, plane.offset / size};
}
py::tuple tuple_of(const Line& line) {
  return py::make_tuple(to_array(line.point), to_array(line.direction));
}
py::tuple tuple_of(const Plane& plane) {
  return py::make_tuple(to_array(plane.normal), plane.offset);
}

void add_geometry(py::module_& m) {
  m.def(
      "line_through",
      [](Object a, Object b) { return tuple_of(line_through(vector3(a, "a"), vector3(b, "b"))); },
      arg("a"), arg("b"), "(point, direction) of the line through two points.");
  m.def(
      "plane_through",
      [](Object a, Object b, Object c) {
        return tuple_of(plane_through(vector3(a, "a"), vector3(b, "b"), vector3(c, "c")));
      },
      arg("a"), arg("b"), arg("c"), "(normal, offset): all x with normal.x = offset.");
  m.def(
      "plane_across",
      [](Object point, Object normal) {
        return tuple_of(plane_across(vector3(point, "point"), vector3(normal, "normal")));
      },
      arg("point"), arg("normal"), "The plane through a point, across a direction.");
  m.def(
      "angle_between",
      [](Object a, Object b) { return angle_between(vector3(a, "a"), vector3(b, "b")); }, arg("a"),
      arg("b"), "The angle of two vectors, 0 to pi.");
  m.def(
      "project_on_line",
      [](Object point, Object line) {
        return array_of(project(vector3(point, "point"), line_of(line, "line")));
      },
      arg("point"), arg("line"), "The point of the line nearest to a point.");
  m.def(
      "project_on_plane",
      [](Object point, Object plane) {
        return array_of(project(vector3(point, "point"), plane_of(plane, "plane")));
      },
      arg("point"), arg("plane"), "The point of the plane nearest to a point.");
  m.def(
      "distance_to_line",
      [](Object point, Object line) {
        return distance(vector3(point, "point"), line_of(line, "line"));
      },
      arg("point"), arg("line"), "Never negative.");
  m.def(
      "distance_to_plane",
      [](Object point, Object plane) {
        return distance(vector3(point, "point"), plane_of(plane, "plane"));
      },
      arg("point"), arg("plane"), "Positive on the side of the normal.");
  m.def(
      "line_cuts_plane",
      [](Object line, Object plane) {
        return array_of(intersection(line_of(line, "line"), plane_of(plane, "plane")));
      },
      arg("line"), arg("plane"), "Their common point. ComputationError where they are parallel.");
  m.def(
      "plane_cuts_plane",
      [](Object a, Object b) { return tuple_of(intersection(plane_of(a, "a"), plane_of(b, "b"))); },
      arg("a"), arg("b"), "Their common line. ComputationError where they are parallel.");
  m.def(
      "common_normal",
      [](Object a, Object b) {
        const CommonNormal n = common_normal(line_of(a, "a"), line_of(b, "b"));
        constexpr const char* kinds[] = {"skew", "crossing", "parallel", "same"};
        return py::make_tuple(kinds[static_cast<int>(n.kind)], to_array(n.foot_a),
                              to_array(n.foot_b), to_array(n.direction), n.distance);
      },
      arg("a"), arg("b"),
      "(kind, foot on a, foot on b, direction from a to b, distance) of two lines; kind is "
      "'skew',\n"
      "'crossing', 'parallel' or 'same'.");
  m.def(
      "frame_from_points",
      [](Object origin, Object a, Object b) {
        return array_of(
            frame_from_points(vector3(origin, "origin"), vector3(a, "a"), vector3(b, "b")));
      },
      arg("origin"), arg("a"), arg("b"),
      "M of the frame with its x axis towards a and its y axis towards b.");
  m.def(
      "frame_from_vectors",
      [](Object origin, Object first, Object second) {
        return array_of(frame_from_vectors(vector3(origin, "origin"), vector3(first, "first"),
                                           vector3(second, "second")));
      },
      arg("origin"), arg("first"), arg("second"),
      "M of the frame with its x axis along the first vector and its y axis on the side of the\n"
      "second.");
}

void add_angles(py::module_& m) {
  m.def(
      "angular_velocity",
      [](const std::string& sequence, Object angles, Object rates) {
        return array_of(
            angular_velocity(sequence, vector3(angles, "angles"), vector3(rates, "rates")));
      },
      arg("sequence"), arg("angles"), arg("rates"),
      "For three successive rotations, such as 'zyx', in the fixed frame.");
  m.def(
      "angle_rates",
      [](const std::string& sequence, Object angles, Object w) {
        return array_of(angle_rates(sequence, vector3(angles, "angles"), vector3(w, "w")));
      },
      arg("sequence"), arg("angles"), arg("w"),
      "Rates of the three angles. ComputationError where the outer axes coincide.");
  m.def(
      "angular_acceleration",
      [](const std::string& sequence, Object angles, Object rates, Object accelerations) {
        return array_of(angular_acceleration(sequence, vector3(angles, "angles"),
                                             vector3(rates, "rates"),
                                             vector3(accelerations, "accelerations")));
      },
      arg("sequence"), arg("angles"), arg("rates"), arg("accelerations"),
      "For three successive rotations, in the fixed frame.");
  m.def(
      "position_from_angles",
      [](const std::string& sequence, Object angles, Object origin) {
        return array_of(
            position_from_angles(sequence, vector3(angles, "angles"), vector3(origin, "origin")));
      },
      arg("sequence"), arg("angles"), arg("origin") = py::make_tuple(0, 0, 0),
      "M of three turns and an origin.");
}

/// Rotations (N, 9) as their quaternions and their roll, pitch and yaw, side by side: (N, 7); nan
/// of those that are nan.
py::object orientations(Object rotations) {
  const Array rows = numbers(rotations, "rotations");
  const Eigen::MatrixXd R =
      matrix_of(rotations, "rotations", rows.ndim() > 0 ? rows.shape(0) : 0, 9, Holds::anything);
  Eigen::MatrixXd out(R.rows(), 7);
  for (Eigen::Index k = 0; k < R.rows(); ++k) {
    Matrix3<double> one;
    one << R.row(k).head<3>(), R.row(k).segment<3>(3), R.row(k).tail<3>();
    out.row(k) << quaternion_from_rotation(one).transpose(),
        euler_angles("XYZ", one).first.transpose();
  }
  return to_matrix(out);
}

}  // namespace

void add_homogeneous(py::module_& m) {
  m.def("_orientations", &orientations, arg("rotations"));
  py::module_ sub = m.def_submodule(
      "homogeneous",
      "Mechanics of rigid bodies in 4x4 matrices, screws, points, lines and planes.");
  add_matrices_of_bodies(sub);
  add_rules(sub);
  add_screws(sub);
  add_geometry(sub);
  add_angles(sub);
}

}  // namespace ulna::python
