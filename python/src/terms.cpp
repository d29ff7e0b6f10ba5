// Robot: the terms of the equations of motion: mass matrix, Coriolis, gravity, passive efforts.

#include "bindings.hpp"
#include "fast_method.hpp"
#include "loop_state.hpp"
#include "names.hpp"
#include "stacked.hpp"
#include "ulna/dynamics/centroidal.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"

namespace ulna::python {
namespace {

/// Independent speeds to write the equations in: True for those that pivoting finds, or names.
/// None where the equations are those of the open tree.
std::optional<std::vector<int>> independent_argument(const RobotHandle& robot, PyObject* object) {
  if (!object || object == Py_False) return std::nullopt;
  if (object == Py_True) return std::vector<int>{};
  return speeds_argument(robot, object, "independent");
}

/// One part of the equations in independent speeds, as many for every state.
template <int K, class Part>
py::object independent_part(RobotHandle& robot, PyObject** slots,
                            const std::array<const char*, K>& names,
                            const std::vector<int>& independent, const Part& part) {
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  std::array<py::object, K> given;
  std::array<const py::object*, K> pointers;
  for (int k = 0; k < K; ++k) {
    given[k] = py::reinterpret_borrow<py::object>(slots[k]);
    pointers[k] = &given[k];
  }
  return part(stacked(
      robot, states_from<K>(robot, pointers, names), dear_share, [&](Context& c, const auto& x) {
        const ConstVector q(x[0], nq), v(K > 1 ? x[K - 1] : c.work.zero().data(), nv);
        require_closed(c, q, &v);
        return c.plain().equations(q, v, independent);
      }));
}

void refuse_beside_independent(PyObject* given, const char* name) {
  if (given)
    throw InputError(Problem{{}, name, "is given together with independent", "one of them", {}});
}

Signature mass_signature{"mass_matrix", {"q", "method", "out", "independent"}, 1, 1};
py::object robot_mass(RobotHandle& robot, PyObject** slots) {
  if (const auto independent = independent_argument(robot, slots[3])) {
    refuse_beside_independent(slots[1], "method");
    refuse_beside_independent(slots[2], "out");
    return independent_part<1>(robot, slots, {"q"}, *independent, [](const auto& found) {
      return found.matrices(&EquationsOfMotion::M);
    });
  }
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

/// Of the open tree, too: m g is the rate of momentum, whose matrix is m dc/dq.
void tree_gravity(Context& c, const ConstVector& q, MutableVector tau) {
  if (c.plain().loops())
    tau = -centroidal_momentum_matrix(c.model, c.work, q).bottomRows<3>().transpose() *
          c.model.robot().gravity;
  else
    tau = gravity_efforts(c.model, c.work, q);
}

Signature gravity_signature{"gravity", {"q", "out", "independent"}, 1, 1};
py::object robot_gravity(RobotHandle& robot, PyObject** slots) {
  if (const auto independent = independent_argument(robot, slots[2])) {
    refuse_beside_independent(slots[1], "out");
    return independent_part<1>(robot, slots, {"q"}, *independent, [](const auto& found) {
      return found.vectors(&EquationsOfMotion::gravity);
    });
  }
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<1>(robot, states_of<1>(robot, slots, {"q"}), {nv}, slots[1], cheap_share,
                        [=](Context& c, const auto& x, double* out) {
                          tree_gravity(c, ConstVector(x[0], nq), MutableVector(out, nv));
                        });
}

Signature bias_signature{"bias", {"q", "v", "out", "independent"}, 2, 2};
py::object robot_bias(RobotHandle& robot, PyObject** slots) {
  if (const auto independent = independent_argument(robot, slots[3])) {
    refuse_beside_independent(slots[2], "out");
    return independent_part<2>(robot, slots, {"q", "v"}, *independent, [](const auto& found) {
      return found.vectors([](const EquationsOfMotion& e) {
        return Eigen::VectorXd(e.coriolis + e.gravity + e.passive);
      });
    });
  }
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<2>(robot, states_of<2>(robot, slots, {"q", "v"}), {nv}, slots[2], cheap_share,
                        [=](Context& c, const auto& x, double* out) {
                          const ConstVector q(x[0], nq), v(x[1], nv);
                          LoopDynamics* const loops = c.plain().loops();
                          MutableVector(out, nv) =
                              loops ? loops->required_efforts(c.work, q, v, c.work.zero())
                                    : bias_efforts(c.model, c.work, q, v);
                        });
}

Signature passive_signature{"passive", {"q", "v", "out"}, 2, 2};
py::object robot_passive(RobotHandle& robot, PyObject** slots) {
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<2>(robot, states_of<2>(robot, slots, {"q", "v"}), {nv}, slots[2], cheap_share,
                        [=](Context& c, const auto& x, double* out) {
                          MutableVector(out, nv) = passive_efforts(
                              c.model, c.work, ConstVector(x[0], nq), ConstVector(x[1], nv));
                        });
}

}  // namespace

void add_terms(RobotClass& robot) {
  add_fast_method<mass_signature, robot_mass>(
      robot, "(self, q, *, method=None, out=None, independent=None)",
      "M(q), shape (nv, nv), rotors included. method: a formulation, as in "
      "ulna.formulations().\nWith loops it is that of the open tree or, with independent=True or "
      "the names of one speed\nper degree of freedom, that of these speeds.");
  add_fast_method<coriolis_signature, robot_coriolis>(
      robot, "(self, q, v, *, out=None)",
      "C(q, v), shape (nv, nv): C v are the Coriolis and centrifugal efforts, dM/dt - 2 C is "
      "skew.");
  add_fast_method<gravity_signature, robot_gravity>(
      robot, "(self, q, *, out=None, independent=None)",
      "Efforts that hold the robot at rest against gravity. With loops those of the open tree, "
      "or\nin independent speeds, as for mass_matrix.");
  add_fast_method<bias_signature, robot_bias>(
      robot, "(self, q, v, *, out=None, independent=None)",
      "Efforts at zero acceleration: Coriolis, centrifugal, gravity, friction and springs. With "
      "loops\n"
      "those of the open tree, or in independent speeds, as mass_matrix.");
  add_fast_method<passive_signature, robot_passive>(
      robot, "(self, q, v, *, out=None)", "Efforts that overcome damping, friction and springs.");
}

}  // namespace ulna::python
