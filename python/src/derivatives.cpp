// Robot: first derivatives of inverse and forward dynamics.

#include "ulna/dynamics/derivatives.hpp"
#include "bindings.hpp"
#include "fast_method.hpp"
#include "states.hpp"

namespace ulna::python {
namespace {

/// Results of each state stand one after the other; here they are taken apart into views.
py::object part(const py::object& all, int first, int rows, int columns) {
  const py::object flat =
      all[py::make_tuple(py::ellipsis(), py::slice(first, first + rows * columns, 1))];
  const py::tuple shape = flat.attr("shape");
  const py::tuple batch = shape[py::slice(0, static_cast<py::ssize_t>(shape.size()) - 1, 1)];
  return flat.attr("reshape")(batch + py::make_tuple(rows, columns));
}

Signature inverse_derivatives_signature{"inverse_dynamics_derivatives", {"q", "v", "a"}, 3, 1};
py::object inverse_derivatives(RobotHandle& robot, PyObject** slots) {
  const int nq = robot.model->coordinates(), nv = robot.model->speeds(), square = nv * nv;
  const py::object all =
      over_states<3>(robot, states_of<3>(robot, slots, {"q", "v", "a"}), {3 * square}, nullptr,
                     dear_share, [=](Context& c, const auto& x, double* out) {
                       const InverseDerivatives& d = c.plain().inverse_derivatives(
                           ConstVector(x[0], nq), ConstVector(x[1], nv), ConstVector(x[2], nv));
                       MutableRows(out, nv, nv) = d.dtau_dq;
                       MutableRows(out + square, nv, nv) = d.dtau_dv;
                       MutableRows(out + 2 * square, nv, nv) = d.mass_matrix;
                     });
  return result_class("InverseDerivatives")(part(all, 0, nv, nv), part(all, square, nv, nv),
                                            part(all, 2 * square, nv, nv));
}

Signature forward_derivatives_signature{"forward_dynamics_derivatives", {"q", "v", "tau"}, 3, 1};
py::object forward_derivatives(RobotHandle& robot, PyObject** slots) {
  const int nq = robot.model->coordinates(), nv = robot.model->speeds(), square = nv * nv;
  const py::object all =
      over_states<3>(robot, states_of<3>(robot, slots, {"q", "v", "tau"}), {3 * square + nv},
                     nullptr, dear_share, [=](Context& c, const auto& x, double* out) {
                       const ForwardDerivatives& d = c.plain().forward_derivatives(
                           ConstVector(x[0], nq), ConstVector(x[1], nv), ConstVector(x[2], nv));
                       MutableRows(out, nv, nv) = d.da_dq;
                       MutableRows(out + square, nv, nv) = d.da_dv;
                       MutableRows(out + 2 * square, nv, nv) = d.da_dtau;
                       MutableVector(out + 3 * square, nv) = d.acceleration;
                     });
  const py::object a =
      all[py::make_tuple(py::ellipsis(), py::slice(3 * square, 3 * square + nv, 1))];
  return result_class("ForwardDerivatives")(part(all, 0, nv, nv), part(all, square, nv, nv),
                                            part(all, 2 * square, nv, nv), a);
}

}  // namespace

void add_derivatives(RobotClass& robot) {
  add_fast_method<inverse_derivatives_signature, inverse_derivatives>(
      robot, "(self, q, v=None, a=None)",
      "Derivatives of inverse_dynamics in closed form: a "
      "named tuple (dtau_dq, dtau_dv, dtau_da).\n\n"
      "Those with respect to q are in the tangent: q moves "
      "as integrate(q, dv). dtau_da is the mass\n"
      "matrix. Shapes (nv, nv), or (N, nv, nv).");
  add_fast_method<forward_derivatives_signature, forward_derivatives>(
      robot, "(self, q, v=None, tau=None)",
      "Derivatives of forward_dynamics in closed form: a named tuple (da_dq, da_dv, da_dtau, a).");
}

}  // namespace ulna::python
