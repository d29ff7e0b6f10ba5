// Robot: inverse and forward dynamics by every method (terms.cpp: the terms of the equations).

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "fast_method.hpp"
#include "loop_state.hpp"
#include "names.hpp"
#include "states.hpp"
#include "ulna/dynamics/batch.hpp"
#include "ulna/dynamics/compact_tree.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/lagrange_4x4.hpp"
#include "ulna/dynamics/newton_euler_4x4.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna::python {
namespace {

/// What does not change from state to state.
struct Choices {
  int method = 0;
  std::string speeds;  ///< of Kane's method; empty: joint rates
  std::vector<ExternalWrench> wrenches;
  std::vector<int> actuated;          ///< with loops
  std::optional<ElasticLevel> level;  ///< of flexible links; exact when absent
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
  if (choices.level) {
    ElasticEquations& of = c.elastic(*choices.level);
    of.update(q, v, choices.wrenches);
    return of.M() * a + of.h();
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
  if (choices.level) {
    ElasticEquations& of = c.elastic(*choices.level);
    of.update(q, v, choices.wrenches);
    return dense::Lu(of.M()).solve(tau - of.h());  // not symmetric at every level
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

/// A level says which equations: there is one way to compute them.
void add_level(const RobotHandle& robot, PyObject* method, PyObject* level, Choices& choices) {
  if (!level) return;
  choices.level = level_argument(text_argument(level, "level"));
  if (!robot.model->flexible() || robot.has_loops())
    throw InputError(Problem{{},
                             "level",
                             "robot '" + robot.model->name() + "' has no flexible link, or loops",
                             "an open robot with flexible links",
                             {}});
  if (method) throw InputError(Problem{{}, "method", "is given beside a level", "one of them", {}});
}

py::object inverse_batch(RobotHandle& robot, States<3>& states, PyObject* out) {
  const Model& model = *robot.model;
  const py::ssize_t N = states.count, nq = model.coordinates(), nv = model.speeds();
  ResultArray result(out, ResultShape(N, {nv}), states.x);
  for (StateArgument& x : states.x) lay_out(x, N);
  const Eigen::Map<const StateRows> q(states.x[0].data, N, nq), v(states.x[1].data, N, nv),
      a(states.x[2].data, N, nv);
  Eigen::Map<StateRows> tau(result.data(), N, nv);
  {
    const py::gil_scoped_release unlocked;
    inverse_dynamics_batch(model, q, v, a, tau, threads());
  }
  return result.take();
}

Signature inverse_signature{
    "inverse_dynamics",
    {"q", "v", "a", "method", "wrenches", "speeds", "actuated", "level", "out"},
    3,
    1};
py::object robot_inverse(RobotHandle& robot, PyObject** slots) {
  States<3> states = states_of<3>(robot, slots, {"q", "v", "a"});
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  const bool plain =
      !slots[3] && !slots[4] && !slots[5] && !slots[6] && !slots[7] && !robot.has_loops();
  if (plain && states.count >= 0 && !robot.model->flexible())
    return inverse_batch(robot, states, slots[8]);
  if (plain)
    return over_states<3>(
        robot, states, {nv}, slots[8], cheap_share, [=](Context& c, const auto& x, double* out) {
          MutableVector(out, nv) = inverse_dynamics(c.model, c.work, ConstVector(x[0], nq),
                                                    ConstVector(x[1], nv), ConstVector(x[2], nv));
        });
  Choices choices = robot.has_loops() ? choices_from(robot, slots + 3, loop_inverse_methods)
                                      : choices_from(robot, slots + 3, inverse_methods);
  add_level(robot, slots[3], slots[7], choices);
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
      robot, states, {nv}, slots[8], dear_share, [&](Context& c, const auto& x, double* out) {
        MutableVector(out, nv) = inverse_by(c, choices, ConstVector(x[0], nq),
                                            ConstVector(x[1], nv), ConstVector(x[2], nv));
      });
}

Signature forward_signature{
    "forward_dynamics", {"q", "v", "tau", "method", "wrenches", "speeds", "level", "out"}, 3, 1};
py::object robot_forward(RobotHandle& robot, PyObject** slots) {
  const States<3> states = states_of<3>(robot, slots, {"q", "v", "tau"});
  const py::ssize_t nq = robot.model->coordinates(), nv = robot.model->speeds();
  if (!slots[3] && !slots[4] && !slots[5] && !slots[6] && !robot.has_loops())
    return over_states<3>(
        robot, states, {nv}, slots[7], cheap_share, [=](Context& c, const auto& x, double* out) {
          MutableVector(out, nv) = forward_dynamics(c.model, c.work, ConstVector(x[0], nq),
                                                    ConstVector(x[1], nv), ConstVector(x[2], nv));
        });
  Choices choices = robot.has_loops() ? choices_from(robot, slots + 3, loop_forward_methods)
                                      : choices_from(robot, slots + 3, forward_methods);
  add_level(robot, slots[3], slots[6], choices);
  return over_states<3>(
      robot, states, {nv}, slots[7], dear_share, [&](Context& c, const auto& x, double* out) {
        MutableVector(out, nv) = forward_by(c, choices, ConstVector(x[0], nq),
                                            ConstVector(x[1], nv), ConstVector(x[2], nv));
      });
}

}  // namespace

void add_dynamics(RobotClass& robot) {
  add_fast_method<inverse_signature, robot_inverse>(
      robot,
      "(self, q, v=None, a=None, *, method=None, wrenches=None, speeds=None, actuated=None, "
      "level=None, out=None)",
      "Efforts that give accelerations a: gravity, rotors, damping, friction and springs "
      "included.\n\n"
      "v and a are zero when absent. method: 'newton-euler' (default), 'newton-euler-compact',\n"
      "'newton-euler-4x4', 'lagrange-4x4', 'kane' (with speeds='body:NAME' in those generalized\n"
      "speeds). wrenches: external ones, {body: force} or a list of ulna.Wrench. Robots with "
      "loops:\n"
      "actuated names the speeds that have a motor; the state must fit the loops. Flexible links: "
      "level\n"
      "of fidelity, as in ulna.elastic_levels(); exact when absent.\n\n"
      "Shape (nv,), or (N, nv) for a batch, which runs on all cores.");
  add_fast_method<forward_signature, robot_forward>(
      robot,
      "(self, q, v=None, tau=None, *, method=None, wrenches=None, speeds=None, level=None, "
      "out=None)",
      "Accelerations under efforts tau.\n\n"
      "method: 'automatic' (default), 'articulated-body', 'composite-body', 'kane', "
      "'lagrange-4x4';\n"
      "of robots with loops 'multipliers' (default) or 'embedding'. ComputationError when the "
      "mass\n"
      "matrix is singular.");
}

}  // namespace ulna::python
