#include <fmt/format.h>

#include "ulna/kinematics/state.hpp"
#include "ulna/scalar/internal/interruption.hpp"
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

NamedValues values_at(const std::vector<int>& places, const std::vector<std::string>& names,
                      const Eigen::VectorXd& x) {
  NamedValues values;
  for (const int k : places) values.push_back({names[static_cast<std::size_t>(k)], x(k)});
  return values;
}

/// The states at time_of(0), time_of(1), ...
template <class TimeOf>
std::vector<MotionState> states_at(const Experiment& experiment, std::size_t count,
                                   const TimeOf& time_of) {
  const Model& model = *experiment.model;
  const Moved moved = moved_joints(experiment);
  Reference reference(experiment);
  Workspace work(model);
  LoopClosure closure(model);
  std::vector<MotionState> states;
  StateRequest request{.near = reference.q};
  for (std::size_t k = 0; k < count; ++k) {
    interruption_point();
    const double t = time_of(k);
    reference.update(t);
    request.q = values_at(moved.q, model.coordinate_names(), reference.q);
    request.v = values_at(moved.v, model.speed_names(), reference.v);
    request.a = values_at(moved.v, model.speed_names(), reference.a);
    try {
      const State state = complete_state(closure, work, request);
      states.push_back({t, state.q, state.v, state.a});
    } catch (const ComputationError& error) {
      throw ComputationError(fmt::format("at t = {} s: {}", t, error.what()), error.measure());
    }
    request.near = states.back().q;
  }
  return states;
}

}  // namespace

std::vector<MotionState> motion_states(const Experiment& experiment, int count) {
  return states_at(experiment, static_cast<std::size_t>(count) + 1,
                   [&](std::size_t k) { return experiment.end * static_cast<double>(k) / count; });
}

std::vector<MotionState> motion_states(const Experiment& experiment,
                                       const std::vector<double>& times) {
  return states_at(experiment, times.size(), [&](std::size_t k) { return times[k]; });
}

}  // namespace ulna
