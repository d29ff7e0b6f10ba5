// Robot: energy and momentum.

#include "bindings.hpp"
#include "dynamics_questions.hpp"
#include "fast_method.hpp"
#include "states.hpp"
#include "ulna/dynamics/centroidal.hpp"
#include "ulna/dynamics/internal/energy_rate.hpp"

namespace ulna::python {
namespace {

/// Kinetic and potential: the columns of one array.
py::object energy_result(const py::object& both, py::ssize_t count) {
  const py::object result = result_class("Energy");
  if (count < 0) return result(py::float_(data_of(both)[0]), py::float_(data_of(both)[1]));
  const auto column = [&](int k) { return both[py::make_tuple(py::slice(0, count, 1), k)]; };
  return result(column(0), column(1));
}

Signature energy_signature{"energy", {"q", "v"}, 2, 1};

Signature momentum_signature{"momentum", {"q", "v"}, 2, 2};
py::object robot_momentum(RobotHandle& robot, PyObject** slots) {
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<2>(robot, states_of<2>(robot, slots, {"q", "v"}), {6}, nullptr, cheap_share,
                        [=](Context& c, const auto& x, double* out) {
                          Eigen::Map<Vector6<double>>{out} = momentum(
                              c.model, c.work, ConstVector(x[0], nq), ConstVector(x[1], nv));
                        });
}

Signature centroidal_signature{"centroidal_momentum_matrix", {"q"}, 1, 1};
py::object centroidal(RobotHandle& robot, PyObject** slots) {
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<1>(robot, states_of<1>(robot, slots, {"q"}), {6, nv}, nullptr, cheap_share,
                        [=](Context& c, const auto& x, double* out) {
                          MutableRows(out, 6, nv) =
                              centroidal_momentum_matrix(c.model, c.work, ConstVector(x[0], nq));
                        });
}

Signature about_centre_signature{"centroidal_momentum", {"q", "v"}, 2, 2};
py::object about_centre(RobotHandle& robot, PyObject** slots) {
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<2>(robot, states_of<2>(robot, slots, {"q", "v"}), {6}, nullptr, cheap_share,
                        [=](Context& c, const auto& x, double* out) {
                          Eigen::Map<Vector6<double>>{out} = centroidal_momentum(
                              c.model, c.work, ConstVector(x[0], nq), ConstVector(x[1], nv));
                        });
}

Signature centroidal_rate_signature{"centroidal_momentum_matrix_rate", {"q", "v"}, 2, 2};
py::object centroidal_rate(RobotHandle& robot, PyObject** slots) {
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<2>(robot, states_of<2>(robot, slots, {"q", "v"}), {6, nv}, nullptr, dear_share,
                        [=](Context& c, const auto& x, double* out) {
                          MutableRows(out, 6, nv) = centroidal_momentum_matrix_derivative(
                              c.model, ConstVector(x[0], nq), ConstVector(x[1], nv));
                        });
}

Signature energy_rate_signature{"energy_rate", {"q", "v", "a"}, 3, 2};
py::object robot_energy_rate(RobotHandle& robot, PyObject** slots) {
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  const States<3> states = states_of<3>(robot, slots, {"q", "v", "a"});
  return energy_result(over_states<3>(robot, states, {2}, nullptr, cheap_share,
                                      [=](Context& c, const auto& x, double* out) {
                                        const EnergyRate rate = energy_rate(
                                            c.model, c.work, ConstVector(x[0], nq),
                                            ConstVector(x[1], nv), ConstVector(x[2], nv));
                                        out[0] = rate.kinetic;
                                        out[1] = rate.potential;
                                      }),
                       states.count);
}

}  // namespace

py::object energy_of(RobotHandle& robot, PyObject** slots) {
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  const States<2> states = states_of<2>(robot, slots, {"q", "v"});
  return energy_result(over_states<2>(robot, states, {2}, nullptr, cheap_share,
                                      [=](Context& c, const auto& x, double* out) {
                                        const Energy e = c.plain().energy(ConstVector(x[0], nq),
                                                                          ConstVector(x[1], nv));
                                        out[0] = e.kinetic;
                                        out[1] = e.potential;
                                      }),
                       states.count);
}

void add_energy(RobotClass& robot) {
  add_fast_method<energy_signature, energy_of>(
      robot, "(self, q, v=None)",
      "Kinetic and potential energy, J: a named tuple (kinetic, potential). Springs are included.");
  add_fast_method<momentum_signature, robot_momentum>(
      robot, "(self, q, v)",
      "Momentum about the world's origin, world axes: angular first, then linear, shape (6,).");
  add_fast_method<centroidal_signature, centroidal>(
      robot, "(self, q)",
      "A_G(q), shape (6, nv): A_G v is the momentum about the centre of mass, world axes.");
  add_fast_method<about_centre_signature, about_centre>(
      robot, "(self, q, v)",
      "Momentum of all that moves about its centre of mass, world axes: angular, linear.");
  add_fast_method<centroidal_rate_signature, centroidal_rate>(
      robot, "(self, q, v)",
      "Time derivative of centroidal_momentum_matrix(q) when q moves with v, shape (6, nv).");
  add_fast_method<energy_rate_signature, robot_energy_rate>(
      robot, "(self, q, v, a=None)",
      "How fast kinetic and potential energy change, W: a named tuple (kinetic, potential).");
}

}  // namespace ulna::python
