// Robot: what passes through the joints, closing ones included.

#include "ulna/dynamics/loop_reactions.hpp"

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "fast_method.hpp"
#include "loop_state.hpp"
#include "names.hpp"
#include "states.hpp"

namespace ulna::python {
namespace {

void store_wrenches(const std::vector<Wrench<double>>& wrenches, double*& out) {
  for (const Wrench<double>& wrench : wrenches) {
    Eigen::Map<Vector6<double>>{out} = wrench.vector();
    out += 6;
  }
}

/// Motors that give a, then what they and the loops put through the joints.
void with_loops(Context& c, const ConstVector& q, const ConstVector& v, const ConstVector& a,
                const LoopInverseOptions& options, const std::vector<ExternalWrench>& wrenches,
                const ReactionQuery& query, double* out) {
  require_closed(c, q, &v, &a);
  const LoopEfforts efforts = c.loops().inverse(c.work, q, v, a, options, wrenches);
  const LoopReactions found =
      loop_reactions(c.loops(), c.model, c.work, q, v, a, efforts.lambda, wrenches, query);
  store_wrenches(found.joints, out);
  store_wrenches(found.loops, out);
}

/// name -> (6,) or (N, 6): moment, force.
Signature reactions_signature{
    "reactions", {"q", "v", "a", "wrenches", "at", "expressed_in", "actuated"}, 3, 1};
py::object reactions(RobotHandle& robot, PyObject** slots) {
  const Model& model = *robot.model;
  const py::ssize_t nq = model.coordinates(), nv = model.speeds();
  const auto joints = static_cast<py::ssize_t>(model.joints().size() + model.loops().size());
  const std::vector<ExternalWrench> wrenches = wrenches_argument(robot, slots[3]);
  ReactionQuery query;
  if (slots[4]) query.at = frame_argument(robot, slots[4], "at");
  if (slots[5]) query.expressed_in = frame_argument(robot, slots[5], "expressed_in");
  LoopInverseOptions options;
  if (slots[6]) options.actuated = degrees_argument(robot, slots[6], "actuated");
  const py::object all = over_states<3>(
      robot, states_of<3>(robot, slots, {"q", "v", "a"}), {joints, 6}, nullptr, dear_share,
      [&](Context& c, const auto& x, double* out) {
        const ConstVector q(x[0], nq), v(x[1], nv), a(x[2], nv);
        if (!c.model.loops().empty())
          with_loops(c, q, v, a, options, wrenches, query, out);
        else
          store_wrenches(c.reactions().compute(c.work, q, v, a, wrenches, query), out);
      });
  py::dict out;
  py::ssize_t place = 0;
  const auto add = [&](const std::string& name) {
    out[py::str(name)] = all[py::make_tuple(py::ellipsis(), place++, py::slice(0, 6, 1))];
  };
  for (const Joint& joint : model.joints()) add(joint.name);
  for (const Loop& loop : model.loops()) add(loop.joint);
  return out;
}

}  // namespace

void add_reactions(RobotClass& robot) {
  add_fast_method<reactions_signature, reactions>(
      robot,
      "(self, q, v=None, a=None, *, wrenches=None, at=None, expressed_in=None, actuated=None)",
      "The wrench (moment, force) that each joint's parent exerts on its child: a dict by "
      "joint.\n\n"
      "At the joint's frame in the axes of its child, unless a frame is named in `at` and\n"
      "`expressed_in`. Robots with loops: actuated names the motors, as in inverse_dynamics; "
      "joints that\n"
      "close loops come last, always at their own frame. Redundant closures: the reactions of "
      "least norm.");
}

}  // namespace ulna::python
