// Robot: inverse and forward dynamics by every method, and the terms of the equations of motion.

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "fast_method.hpp"
#include "loop_state.hpp"
#include "names.hpp"
#include "states.hpp"
#include "ulna/dynamics/batch.hpp"
#include "ulna/dynamics/centroidal.hpp"
#include "ulna/dynamics/compact_tree.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/lagrange_4x4.hpp"
#include "ulna/dynamics/newton_euler_4x4.hpp"

namespace ulna::python {
namespace {

/// What does not change from state to state.
struct Choices {
  int method = 0;
  std::string speeds;  ///< of Kane's method; empty: joint rates
  std::vector<ExternalWrench> wrenches;
  std::vector<int> actuated;  ///< with loops
};

constexpr const char* inverse_methods[] = {"newton-euler", "newton-euler-compact",
                                           "newton-euler-4x4", "lagrange-4x4", "kane"};
constexpr const char* forward_methods[] = {"automatic", "articulated-body", "composite-body",
                                           "kane", "lagrange-4x4"};
constexpr const char* loop_inverse_methods[] = {"loops"};
constexpr const char* loop_forward_methods[] = {"multipliers", "embedding"};

Eigen::VectorXd inverse_by(Context& c, const Choices& choices, const ConstVector& q,
                           const ConstVector& v, const ConstVector& a) {
  if (!c.model.loops().empty()) {
    require_closed(c, q, &v, &a);
    LoopInverseOptions options;
    options.actuated = choices.actuated;
    return c.loops().inverse(c.work, q, v, a, options, choices.wrenches).tau;
  }
  switch (choices.method) {
    case 1:
      if (!choices.wrenches.empty())
        throw InputError("wrenches do not go with method 'newton-euler-compact'",
                         "a method that takes external wrenches", "method='newton-euler'");
      return inverse_dynamics_compact(c.model, q, v, a);
    case 2:
      return inverse_dynamics_newton_euler_4x4(c.model, q, v, a, choices.wrenches);
    case 3:
      return inverse_dynamics_lagrange_4x4(c.model, q, v, a, choices.wrenches);
    case 4:
      if (choices.speeds.empty()) return c.kane().inverse(c.work, q, v, a, choices.wrenches);
      return c.kane().inverse(c.work, q, v, a, speeds_named(c.model, q, v, choices.speeds),
                              choices.wrenches);
    default:
      return inverse_dynamics(c.model, c.work, q, v, a, choices.wrenches);
  }
}

Eigen::VectorXd forward_by(Context& c, const Choices& choices, const ConstVector& q,
                           const ConstVector& v, const ConstVector& tau) {
  if (!c.model.loops().empty()) {
    require_closed(c, q, &v);
    return c.loops().forward(c.work, q, v, tau, choices.wrenches,
                             choices.method == 1 ? LoopMethod::embedding : LoopMethod::multipliers);
  }
  if (choices.method == 3)
    return c.kane().forward(c.work, q, v, tau,
                            choices.speeds.empty() ? joint_rate_speeds(c.model)
                                                   : speeds_named(c.model, q, v, choices.speeds),
                            choices.wrenches);
  if (choices.method == 4)
    return forward_dynamics_lagrange_4x4(c.model, q, v, tau, choices.wrenches);
  return forward_dynamics(c.model, c.work, q, v, tau, choices.wrenches,
                          static_cast<ForwardMethod>(choices.method));
}

Choices choices_from(RobotHandle& robot, PyObject** slots, std::span<const char* const> methods) {
  Choices choices;
  if (slots[0]) choices.method = choice(text_argument(slots[0], "method"), methods, "method");
  choices.wrenches = wrenches_argument(robot, slots[1]);
  if (!slots[2]) return choices;
  choices.speeds = text_argument(slots[2], "speeds");
  if (std::string(methods[static_cast<std::size_t>(choices.method)]) != "kane")
    throw InputError("speeds go with method 'kane'", "method='kane'");
  return choices;
}

/// The vectorised batch reads rows in place; what serves all states is laid out for it.
py::object expanded(StateArgument& argument, py::ssize_t count, py::ssize_t n) {
  if (argument.count >= 0) return {};
  py::object rows = new_array({count, n});
  MutableRows(data_of(rows), count, n).rowwise() = ConstVector(argument.data, n).transpose();
  argument.data = data_of(rows);
  argument.stride = n;
  return rows;
}

py::object inverse_batch(RobotHandle& robot, States<3>& states, PyObject* out) {
  const Model& model = *robot.model;
  const py::ssize_t N = states.count, nq = model.coordinates(), nv = model.speeds();
  py::object kept[3];
  for (int k = 0; k < 3; ++k) kept[k] = expanded(states.x[k], N, k == 0 ? nq : nv);
  py::object result = result_array(out, ResultShape(N, {nv}));
  const Eigen::Map<const StateRows> q(states.x[0].data, N, nq), v(states.x[1].data, N, nv),
      a(states.x[2].data, N, nv);
  Eigen::Map<StateRows> tau(data_of(result), N, nv);
  const py::gil_scoped_release unlocked;
  inverse_dynamics_batch(model, q, v, a, tau, threads());
  return result;
}

Signature inverse_signature{
    "inverse_dynamics", {"q", "v", "a", "method", "wrenches", "speeds", "actuated", "out"}, 3, 1};
py::object robot_inverse(RobotHandle& robot, PyObject** slots) {
  States<3> states = states_of<3>(robot, slots, {"q", "v", "a"});
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  const bool plain = !slots[3] && !slots[4] && !slots[5] && !slots[6] && !robot.has_loops();
  if (plain && states.count >= 0) return inverse_batch(robot, states, slots[7]);
  if (plain)
    return over_states<3>(
        robot, states, {nv}, slots[7], cheap_share, [=](Context& c, const auto& x, double* out) {
          MutableVector(out, nv) = inverse_dynamics(c.model, c.work, ConstVector(x[0], nq),
                                                    ConstVector(x[1], nv), ConstVector(x[2], nv));
        });
  Choices choices = robot.has_loops() ? choices_from(robot, slots + 3, loop_inverse_methods)
                                      : choices_from(robot, slots + 3, inverse_methods);
  if (slots[6]) {
    if (!robot.has_loops())
      throw InputError(
          Problem{{},
                  "actuated",
                  "robot '" + robot.model->name() + "' has no loops: every joint has its effort",
                  "a robot with loops",
                  {}});
    choices.actuated = speeds_argument(robot, slots[6], "actuated");
  }
  return over_states<3>(
      robot, states, {nv}, slots[7], dear_share, [&](Context& c, const auto& x, double* out) {
        MutableVector(out, nv) = inverse_by(c, choices, ConstVector(x[0], nq),
                                            ConstVector(x[1], nv), ConstVector(x[2], nv));
      });
}

Signature forward_signature{
    "forward_dynamics", {"q", "v", "tau", "method", "wrenches", "speeds", "out"}, 3, 1};
py::object robot_forward(RobotHandle& robot, PyObject** slots) {
  const States<3> states = states_of<3>(robot, slots, {"q", "v", "tau"});
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  if (!slots[3] && !slots[4] && !slots[5] && !robot.has_loops())
    return over_states<3>(
        robot, states, {nv}, slots[6], cheap_share, [=](Context& c, const auto& x, double* out) {
          MutableVector(out, nv) = forward_dynamics(c.model, c.work, ConstVector(x[0], nq),
                                                    ConstVector(x[1], nv), ConstVector(x[2], nv));
        });
  const Choices choices = robot.has_loops() ? choices_from(robot, slots + 3, loop_forward_methods)
                                            : choices_from(robot, slots + 3, forward_methods);
  return over_states<3>(
      robot, states, {nv}, slots[6], dear_share, [&](Context& c, const auto& x, double* out) {
        MutableVector(out, nv) = forward_by(c, choices, ConstVector(x[0], nq),
                                            ConstVector(x[1], nv), ConstVector(x[2], nv));
      });
}

constexpr const char* mass_methods[] = {"composite-body", "kane", "lagrange-4x4"};

Signature mass_signature{"mass_matrix", {"q", "method", "out"}, 1, 1};
py::object robot_mass(RobotHandle& robot, PyObject** slots) {
  const int method =
      slots[1] ? choice(text_argument(slots[1], "method"), mass_methods, "method") : 0;
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<1>(robot, states_of<1>(robot, slots, {"q"}), {nv, nv}, slots[2], cheap_share,
                        [=](Context& c, const auto& x, double* out) {
                          const ConstVector q(x[0], nq);
                          MutableRows M(out, nv, nv);
                          if (method == 1)
                            M = c.kane().matrix(c.work, q);
                          else if (method == 2)
                            M = mass_matrix_lagrange_4x4(c.model, q);
                          else
                            M = mass_matrix(c.model, c.work, q);
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

/// Kinetic and potential: the columns of one array.
Signature energy_signature{"energy", {"q", "v"}, 2, 1};
py::object robot_energy(RobotHandle& robot, PyObject** slots) {
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  const States<2> states = states_of<2>(robot, slots, {"q", "v"});
  const py::object both = over_states<2>(
      robot, states, {2}, nullptr, cheap_share, [=](Context& c, const auto& x, double* out) {
        const Energy e = energy(c.model, c.work, ConstVector(x[0], nq), ConstVector(x[1], nv));
        out[0] = e.kinetic;
        out[1] = e.potential;
      });
  const py::object result = result_class("Energy");
  if (states.count < 0) return result(py::float_(data_of(both)[0]), py::float_(data_of(both)[1]));
  const auto column = [&](int k) { return both[py::make_tuple(py::slice(0, states.count, 1), k)]; };
  return result(column(0), column(1));
}

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

/// name -> (6,) or (N, 6): moment, force.
Signature reactions_signature{"reactions", {"q", "v", "a", "wrenches", "at", "expressed_in"}, 3, 1};
py::object reactions(RobotHandle& robot, PyObject** slots) {
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  const auto joints = static_cast<py::ssize_t>(robot.model->joints().size());
  const std::vector<ExternalWrench> wrenches = wrenches_argument(robot, slots[3]);
  ReactionQuery query;
  if (slots[4]) query.at = frame_argument(robot, slots[4], "at");
  if (slots[5]) query.expressed_in = frame_argument(robot, slots[5], "expressed_in");
  robot.model->require_tree("joint reactions");
  const py::object all =
      over_states<3>(robot, states_of<3>(robot, slots, {"q", "v", "a"}), {joints, 6}, nullptr,
                     dear_share, [&](Context& c, const auto& x, double* out) {
                       const auto& found = c.reactions().compute(
                           c.work, ConstVector(x[0], nq), ConstVector(x[1], nv),
                           ConstVector(x[2], nv), wrenches, query);
                       for (const Wrench<double>& wrench : found) {
                         Eigen::Map<Eigen::Vector3d>{out} = wrench.moment;
                         Eigen::Map<Eigen::Vector3d>{out + 3} = wrench.force;
                         out += 6;
                       }
                     });
  py::dict out;
  for (py::ssize_t j = 0; j < joints; ++j)
    out[py::str(robot.model->joints()[j].name)] =
        all[py::make_tuple(py::ellipsis(), j, py::slice(0, 6, 1))];
  return out;
}

void add_terms(RobotClass& robot) {
  add_fast_method<mass_signature, robot_mass>(
      robot, "(self, q, *, method=None, out=None)",
      "M(q), shape (nv, nv), rotors included. method: 'composite-body' (default), 'kane',\n"
      "'lagrange-4x4'. Of robots with loops: of the open tree; see reduced_mass_matrix.");
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
  add_fast_method<energy_signature, robot_energy>(
      robot, "(self, q, v=None)",
      "Kinetic and potential energy, J: a named tuple (kinetic, potential).");
  add_fast_method<momentum_signature, robot_momentum>(
      robot, "(self, q, v)",
      "Momentum about the world's origin, world axes: angular first, then linear, shape (6,).");
  add_fast_method<centroidal_signature, centroidal>(
      robot, "(self, q)",
      "A_G(q), shape (6, nv): A_G v is the momentum about the centre of mass, world axes.");
  add_fast_method<reactions_signature, reactions>(
      robot, "(self, q, v=None, a=None, *, wrenches=None, at=None, expressed_in=None)",
      "The wrench (moment, force) that each joint's parent exerts on its child: a dict by "
      "joint.\n\n"
      "At the joint's frame in the axes of its child, unless a frame is named in `at` and\n"
      "`expressed_in`.");
}

}  // namespace

void add_dynamics(RobotClass& robot) {
  add_fast_method<inverse_signature, robot_inverse>(
      robot,
      "(self, q, v=None, a=None, *, method=None, wrenches=None, speeds=None, actuated=None, "
      "out=None)",
      "Efforts that give accelerations a: gravity, rotors, damping, friction and springs "
      "included.\n\n"
      "v and a are zero when absent. method: 'newton-euler' (default), 'newton-euler-compact',\n"
      "'newton-euler-4x4', 'lagrange-4x4', 'kane' (with speeds='body:NAME' in those generalized\n"
      "speeds). wrenches: external ones, {body: force} or a list of ulna.Wrench. Robots with "
      "loops:\n"
      "actuated names the speeds that have a motor; the state must fit the loops.\n\n"
      "Shape (nv,), or (N, nv) for a batch, which runs on all cores.");
  add_fast_method<forward_signature, robot_forward>(
      robot, "(self, q, v=None, tau=None, *, method=None, wrenches=None, speeds=None, out=None)",
      "Accelerations under efforts tau.\n\n"
      "method: 'automatic' (default), 'articulated-body', 'composite-body', 'kane', "
      "'lagrange-4x4';\n"
      "of robots with loops 'multipliers' (default) or 'embedding'. ComputationError when the "
      "mass\n"
      "matrix is singular.");
  add_terms(robot);
}

}  // namespace ulna::python
