// Robot: the terms of the equations of motion: mass matrix, Coriolis, gravity, passive efforts.

#include "bindings.hpp"
#include "fast_method.hpp"
#include "names.hpp"
#include "states.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"

namespace ulna::python {
namespace {

Signature mass_signature{"mass_matrix", {"q", "method", "out"}, 1, 1};
py::object robot_mass(RobotHandle& robot, PyObject** slots) {
  DynamicsOptions options;
  if (slots[1])
    choose_method(*robot.model, Question::mass, text_argument(slots[1], "method"), options);
  const bool plain = options.method.empty();
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<1>(robot, states_of<1>(robot, slots, {"q"}), {nv, nv}, slots[2], cheap_share,
                        [&](Context& c, const auto& x, double* out) {
                          Dynamics& by = plain ? c.plain() : c.dynamics(options);
                          MutableRows(out, nv, nv) = by.mass_matrix(ConstVector(x[0], nq));
                        });
}

Signature coriolis_signature{"coriolis", {"q", "v", "out"}, 2, 2};
py::object robot_coriolis(RobotHandle& robot, PyObject** slots) {
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<2>(robot, states_of<2>(robot, slots, {"q", "v"}), {nv, nv}, slots[2],
                        cheap_share, [=](Context& c, const auto& x, double* out) {
                          MutableRows(out, nv, nv) = coriolis_matrix(c.model, ConstVector(x[0], nq),
                                                                     ConstVector(x[1], nv));
                        });
}

Signature gravity_signature{"gravity", {"q", "out"}, 1, 1};
py::object robot_gravity(RobotHandle& robot, PyObject** slots) {
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<1>(robot, states_of<1>(robot, slots, {"q"}), {nv}, slots[1], cheap_share,
                        [=](Context& c, const auto& x, double* out) {
                          MutableVector(out, nv) =
                              gravity_efforts(c.model, c.work, ConstVector(x[0], nq));
                        });
}

template <const Eigen::VectorXd& (*compute)(const Model&, Workspace&, const VectorRef&,
                                            const VectorRef&)>
py::object effort_part(RobotHandle& robot, PyObject** slots) {
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<2>(robot, states_of<2>(robot, slots, {"q", "v"}), {nv}, slots[2], cheap_share,
                        [=](Context& c, const auto& x, double* out) {
                          MutableVector(out, nv) = compute(c.model, c.work, ConstVector(x[0], nq),
                                                           ConstVector(x[1], nv));
                        });
}
Signature bias_signature{"bias", {"q", "v", "out"}, 2, 2};
Signature passive_signature{"passive", {"q", "v", "out"}, 2, 2};

}  // namespace

void add_terms(RobotClass& robot) {
  add_fast_method<mass_signature, robot_mass>(
      robot, "(self, q, *, method=None, out=None)",
      "M(q), shape (nv, nv), rotors included. method: a formulation, as in ulna.formulations().\n"
      "With loops that of the open tree; in independent speeds it is "
      "ulna.Dynamics(robot).equations(q).M.");
  add_fast_method<coriolis_signature, robot_coriolis>(
      robot, "(self, q, v, *, out=None)",
      "C(q, v), shape (nv, nv): C v are the Coriolis and centrifugal efforts, dM/dt - 2 C is "
      "skew.");
  add_fast_method<gravity_signature, robot_gravity>(
      robot, "(self, q, *, out=None)", "Efforts that hold the robot still against gravity alone.");
  add_fast_method<bias_signature, effort_part<bias_efforts>>(
      robot, "(self, q, v, *, out=None)",
      "Efforts at zero acceleration: Coriolis, centrifugal, gravity, friction and springs.");
  add_fast_method<passive_signature, effort_part<passive_efforts>>(
      robot, "(self, q, v, *, out=None)",
      "Efforts that overcome damping, friction and springs alone.");
}

}  // namespace ulna::python
