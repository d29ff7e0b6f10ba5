// Robot: what passes through the joints, closing ones included.

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "dynamics_questions.hpp"
#include "fast_method.hpp"
#include "loop_state.hpp"
#include "names.hpp"

namespace ulna::python {
namespace {

void store_wrenches(const std::vector<Wrench<double>>& wrenches, double*& out) {
  for (const Wrench<double>& wrench : wrenches) {
    Eigen::Map<Vector6<double>>{out} = wrench.vector();
    out += 6;
  }
}

Signature reactions_signature{
    "reactions", {"q", "v", "a", "wrenches", "at", "expressed_in", "actuated"}, 3, 1};
py::object robot_reactions(RobotHandle& robot, PyObject** slots) {
  DynamicsOptions options;
  if (slots[6]) options.actuated = degrees_argument(robot, slots[6], "actuated");
  return reactions_of(robot, options, slots);
}

}  // namespace

py::object reactions_of(RobotHandle& robot, const DynamicsOptions& options, PyObject** slots) {
  const Model& model = *robot.model;
  const py::ssize_t nq = model.coordinates(), nv = model.speeds();
  const std::vector<ExternalWrench> wrenches = wrenches_argument(robot, slots[3]);
  ReactionQuery query;
  if (slots[4]) query.at = frame_argument(robot, slots[4], "at");
  if (slots[5]) query.expressed_in = frame_argument(robot, slots[5], "expressed_in");
  check_options(robot, options);
  std::vector<std::string> names;
  for (const Joint& joint : model.joints()) names.push_back(joint.name);
  for (const Loop& loop : model.loops()) names.push_back(loop.joint);
  const py::object all = over_states<3>(robot, states_of<3>(robot, slots, {"q", "v", "a"}),
                                        {static_cast<py::ssize_t>(names.size()), 6}, nullptr,
                                        dear_share, [&](Context& c, const auto& x, double* out) {
                                          const ConstVector q(x[0], nq), v(x[1], nv), a(x[2], nv);
                                          require_closed(c, q, &v, &a);
                                          const Reactions& found = c.dynamics(options).reactions(
                                              q, v, a, wrenches, query);
                                          store_wrenches(found.joints, out);
                                          store_wrenches(found.closing, out);
                                        });
  py::dict out;
  py::ssize_t place = 0;
  for (const std::string& name : names)
    out[py::str(name)] = all[py::make_tuple(py::ellipsis(), place++, py::slice(0, 6, 1))];
  return out;
}

void add_reactions(RobotClass& robot) {
  add_fast_method<reactions_signature, robot_reactions>(
      robot,
      "(self, q, v=None, a=None, *, wrenches=None, at=None, expressed_in=None, actuated=None)",
      "The wrench (moment, force) that each joint's parent exerts on its child: a dict by "
      "joint.\n\n"
      "At the joint's frame in the axes of its child, unless a frame is named in `at` and\n"
      "`expressed_in`. Robots with loops: actuated names the motors, as in inverse_dynamics; "
      "joints that\n"
      "close loops come last. Redundant closures: of all reactions those\n"
      "for which the closing joints carry least.");
}

}  // namespace ulna::python
