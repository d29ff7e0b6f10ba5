// Robot: inverse and forward dynamics by every method (terms.cpp: the terms of the equations).

#include <pybind11/stl.h>

#include <algorithm>

#include "bindings.hpp"
#include "dynamics_questions.hpp"
#include "fast_method.hpp"
#include "kane.hpp"
#include "loop_state.hpp"
#include "names.hpp"
#include "states.hpp"
#include "ulna/dynamics/batch.hpp"
#include "ulna/dynamics/internal/motor_choice.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"
#include "wrenches.hpp"

namespace ulna::python {

py::ssize_t closing_efforts(const RobotHandle& robot, const std::vector<int>& actuated) {
  for (const int k : actuated)
    if (k >= robot.model->speeds())
      return static_cast<py::ssize_t>(closing_degrees(*robot.model).size());
  return 0;
}

namespace {

/// What does not change from state to state.
struct Choices {
  DynamicsOptions dynamics;
  std::optional<GeneralizedSpeeds> speeds;  ///< of Kane's method; none: joint rates
};

Eigen::VectorXd inverse_by(Context& c, const Choices& choices, const ConstVector& q,
                           const ConstVector& v, const ConstVector& a, ExternalWrenches wrenches) {
  require_closed(c, q, &v, &a);
  if (choices.speeds)
    return c.kane().inverse(c.work, q, v, a, speed_map(c.model, *choices.speeds, q, v), wrenches,
                            {c.dynamics(choices.dynamics).inverse(q, v, a, wrenches).actuated, {}});
  return c.dynamics(choices.dynamics).inverse(q, v, a, wrenches).tau;
}

Eigen::VectorXd forward_by(Context& c, const Choices& choices, const ConstVector& q,
                           const ConstVector& v, const ConstVector& tau,
                           ExternalWrenches wrenches) {
  require_closed(c, q, &v);
  if (choices.speeds)
    return c.kane().forward(c.work, q, v, tau, speed_map(c.model, *choices.speeds, q, v), wrenches);
  return c.dynamics(choices.dynamics).forward(q, v, tau, wrenches);
}

/// slots: method, speeds two places on
Choices choices_from(RobotHandle& robot, PyObject** slots, Question question) {
  Choices choices;
  if (slots[0])
    choose_method(*robot.model, question, text_argument(slots[0], "method"), choices.dynamics);
  if (!slots[2]) return choices;
  choices.speeds = speeds_choice(slots[2]);
  if (choices.dynamics.method != "kane")
    throw InputError("speeds go with method 'kane'", "method='kane'");
  return choices;
}

void refuse_both(PyObject* method, PyObject* level) {
  if (method && level)
    throw InputError(Problem{{}, "method", "is given together with a level", "one of them", {}});
}

py::object inverse_batch(RobotHandle& robot, States<3>& states, PyObject* out) {
  const Model& model = *robot.model;
  const py::ssize_t N = states.count, nq = model.coordinates(), nv = model.speeds();
  ResultArray result(out, ResultShape(N, {nv}), states.x);
  for (StateArgument& x : states.x) lay_out(x, N);
  const Eigen::Map<const StateRows> q(states.x[0].data, N, nq), v(states.x[1].data, N, nv),
      a(states.x[2].data, N, nv);
  Eigen::Map<StateRows> tau(result.data(), N, nv);
  // In pieces of some milliseconds, so that Ctrl-C is seen between them.
  constexpr py::ssize_t piece = 1 << 18;
  InterruptWatch watch;
  {
    const Unlocked unlocked;
    for (py::ssize_t i = 0; i < N && !watch.interrupted_now(); i += piece) {
      const py::ssize_t n = std::min(piece, N - i);
      inverse_dynamics_batch(model, q.middleRows(i, n), v.middleRows(i, n), a.middleRows(i, n),
                             tau.middleRows(i, n), threads());
    }
  }
  watch.rethrow();
  return result.take();
}

/// The degrees that the last dict among q, v and a names: those whose motion is given.
std::vector<int> moved_by_name(const RobotHandle& robot, PyObject** slots) {
  for (int k : {2, 1, 0}) {
    if (!slots[k]) continue;
    if (!PyDict_Check(slots[k])) return {};
    const std::vector<std::string> known = all_speed_names(*robot.model);
    std::vector<int> moved;
    for (const auto& [key, value] : entries_of(slots[k])) {
      if (!py::isinstance<py::str>(key)) continue;  // what it is, is asked where it is read
      const auto at = std::ranges::find(known, text_argument(key, "q"));
      if (at != known.end()) moved.push_back(static_cast<int>(at - known.begin()));
    }
    return moved;
  }
  return {};
}

/// With loops and a motion given by name the motors are at its joints, if they can drive the robot.
std::vector<int> motors_of_motion(RobotHandle& robot, const States<3>& states,
                                  const std::vector<int>& moved) {
  const Model& model = *robot.model;
  const ConstVector q(states.x[0].data, model.coordinates()), v(states.x[1].data, model.speeds()),
      a(states.x[2].data, model.speeds());
  Dynamics dynamics(model);
  return motors_for_motion(dynamics, q, v, a, moved).motors;
}

Signature inverse_signature{
    "inverse_dynamics",
    {"q", "v", "a", "method", "wrenches", "speeds", "actuated", "level", "out"},
    3,
    1};
py::object robot_inverse(RobotHandle& robot, PyObject** slots) {
  std::vector<int> motors;
  if (!slots[6] && !robot.model->loops().empty()) motors = moved_by_name(robot, slots);
  States<3> states = states_of<3>(robot, slots, {"q", "v", "a"});
  if (!motors.empty()) motors = motors_of_motion(robot, states, motors);
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  const bool plain =
      !slots[3] && !slots[4] && !slots[5] && !slots[6] && !slots[7] && motors.empty();
  if (plain && states.count >= 0 && robot.takes_packs())
    return inverse_batch(robot, states, slots[8]);
  if (plain)
    return over_states<3>(robot, states, {nv}, slots[8], cheap_share,
                          [=](Context& c, const auto& x, double* out) {
                            const ConstVector q(x[0], nq), v(x[1], nv), a(x[2], nv);
                            require_closed(c, q, &v, &a);
                            MutableVector(out, nv) = c.plain().inverse(q, v, a).tau;
                          });
  refuse_both(slots[3], slots[7]);
  Choices choices = choices_from(robot, slots + 3, Question::inverse);
  if (slots[7]) choose_level(*robot.model, text_argument(slots[7], "level"), choices.dynamics);
  if (slots[6])
    choices.dynamics.actuated = degrees_argument(robot, slots[6], "actuated");
  else
    choices.dynamics.actuated = motors;
  check_options(robot, choices.dynamics);
  const WrenchArgument wrenches(robot, slots[4]);
  const States<4> all = with_wrenches<3>(states, wrenches, {"q", "v", "a"});
  if (const py::ssize_t closing = closing_efforts(robot, choices.dynamics.actuated); closing > 0)
    return over_states<4>(
        robot, all, {nv + closing}, slots[8], dear_share,
        [&](Context& c, const auto& x, double* out) {
          const ConstVector q(x[0], nq), v(x[1], nv), a(x[2], nv);
          require_closed(c, q, &v, &a);
          std::vector<ExternalWrench> room;
          const LoopEfforts& efforts =
              c.dynamics(choices.dynamics).inverse(q, v, a, wrenches.at(x[3], room));
          MutableVector(out, nv) = efforts.tau;
          MutableVector(out + nv, closing) = efforts.closing;
        });
  return over_states<4>(robot, all, {nv}, slots[8], dear_share,
                        [&](Context& c, const auto& x, double* out) {
                          std::vector<ExternalWrench> room;
                          MutableVector(out, nv) =
                              inverse_by(c, choices, ConstVector(x[0], nq), ConstVector(x[1], nv),
                                         ConstVector(x[2], nv), wrenches.at(x[3], room));
                        });
}

Signature forward_signature{
    "forward_dynamics",
    {"q", "v", "tau", "method", "wrenches", "speeds", "level", "closing", "out"},
    3,
    1};
py::object robot_forward(RobotHandle& robot, PyObject** slots) {
  const States<3> states = states_of<3>(robot, slots, {"q", "v", "tau"});
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  if (!slots[3] && !slots[4] && !slots[5] && !slots[6] && !slots[7])
    return over_states<3>(robot, states, {nv}, slots[8], cheap_share,
                          [=](Context& c, const auto& x, double* out) {
                            const ConstVector q(x[0], nq), v(x[1], nv);
                            require_closed(c, q, &v);
                            MutableVector(out, nv) = c.plain().forward(q, v, ConstVector(x[2], nv));
                          });
  refuse_both(slots[3], slots[6]);
  Choices choices = choices_from(robot, slots + 3, Question::forward);
  if (slots[7]) choose_closing(*robot.model, text_argument(slots[7], "closing"), choices.dynamics);
  if (slots[6]) choose_level(*robot.model, text_argument(slots[6], "level"), choices.dynamics);
  check_options(robot, choices.dynamics);
  const WrenchArgument wrenches(robot, slots[4]);
  return over_states<4>(robot, with_wrenches<3>(states, wrenches, {"q", "v", "tau"}), {nv},
                        slots[8], dear_share, [&](Context& c, const auto& x, double* out) {
                          std::vector<ExternalWrench> room;
                          MutableVector(out, nv) =
                              forward_by(c, choices, ConstVector(x[0], nq), ConstVector(x[1], nv),
                                         ConstVector(x[2], nv), wrenches.at(x[3], room));
                        });
}

}  // namespace

void add_dynamics(RobotClass& robot) {
  add_fast_method<inverse_signature, robot_inverse>(
      robot,
      "(self, q, v=None, a=None, *, method=None, wrenches=None, speeds=None, actuated=None, "
      "level=None, out=None)",
      "Joint efforts for the accelerations a, including gravity, rotors, damping, friction and "
      "springs.\n\nv and a default to zero. method: a formulation, as in ulna.formulations(); "
      "'kane'\ntakes generalized speeds: 'body:NAME', 'middle' or a dict of formulas. wrenches: "
      "external ones, {frame: force or\nmoment and force} at the origin of a frame or body, world "
      "axes, or a list of ulna.Wrench; rows (N, 3)\nor (N, 6) are one per state. Robots with "
      "loops:\nactuated names the speeds that have a motor; the state must fit the loops. Joints "
      "that close loops\nmay have a motor, too: the efforts along them then follow those of the "
      "speeds. q, v and a may be\ndicts {name: value} of one state, as in complete(): without "
      "actuated the motors are then at the\njoints whose motion is given, if these can drive the "
      "robot. Flexible "
      "links: level of fidelity, as in ulna.elastic_levels(); exact by default.\n\nShape (nv,), "
      "or (N, nv) for a batch, which runs on all cores.");
  add_fast_method<forward_signature, robot_forward>(
      robot,
      "(self, q, v=None, tau=None, *, method=None, wrenches=None, speeds=None, level=None, "
      "closing=None, out=None)",
      "Accelerations under efforts tau.\n\nmethod: a formulation, as in ulna.formulations() "
      "(default: the fastest). closing: how the loops\nof a robot are closed, 'multipliers' "
      "(default) or 'embedding'. ComputationError when the mass\nmatrix is singular.");
}

}  // namespace ulna::python
