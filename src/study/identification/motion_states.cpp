#include <fmt/format.h>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/simulation/internal/reference.hpp"
#include "ulna/study/internal/decoupling.hpp"

namespace ulna {
namespace {

/// Coordinates and speeds of the joints that have a motion.
struct Moved {
  std::vector<int> q, v;
};
Moved moved_joints(const Experiment& experiment) {
  Moved moved;
  const std::vector<Joint>& joints = experiment.model->joints();
  for (std::size_t k = 0; k < experiment.drives.size(); ++k) {
    if (experiment.drives[k].motion.empty()) continue;
    for (int i = 0; i < joints[k].coordinates; ++i) moved.q.push_back(joints[k].q + i);
    for (int i = 0; i < joints[k].speeds; ++i) moved.v.push_back(joints[k].v + i);
  }
  if (moved.v.empty())
    throw InputError(fmt::format("experiment '{}' has no motions", experiment.name),
                     "motions of the joints to study");
  return moved;
}

}  // namespace

std::vector<MotionState> motion_states(const Experiment& experiment, int count) {
  const Model& model = *experiment.model;
  const Moved moved = moved_joints(experiment);
  Reference reference(experiment);
  Workspace work(model);
  LoopClosure closure(model);
  std::vector<MotionState> states;
  Eigen::VectorXd last = model.neutral();
  for (int k = 0; k <= count; ++k) {
    const double t = experiment.end * k / count;
    reference.update(t);
    MotionState state{t, reference.q, reference.v, reference.a};
    if (!model.loops().empty()) {
      AssemblyOptions options;
      options.start = last;
      options.start(moved.q) = reference.q(moved.q);
      options.held = moved.q;
      options.tolerance = 1e-11;
      const AssemblyResult found = assemble(model, options);
      if (found.solutions.empty())
        throw ComputationError(fmt::format("at t = {} s: {}", t, found.reason));
      state.q = last = found.solutions[0].q;
      closure.update(work, state.q);
      const SpeedSplit split = split_speeds(closure, moved.v);
      state.v = independent_map(closure, split).G * reference.v(split.independent);
      closure.update_rates(work, state.q, state.v);
      state.a = independent_map(closure, split).accelerations(reference.a(split.independent));
    }
    states.push_back(state);
  }
  return states;
}

}  // namespace ulna
