#include "run/cannot_follow.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/simulation/internal/reference.hpp"

namespace ulna {

std::string cannot_follow(const Experiment& experiment, double t, const Eigen::VectorXd& q) {
  const Model& model = *experiment.model;
  AssemblyOptions options;
  std::string driven;
  for (std::size_t j = 0; j < experiment.drives.size(); ++j) {
    const Joint& joint = model.joints()[j];
    const DriveKind kind = experiment.drives[j].kind;
    if (kind != DriveKind::motion && kind != DriveKind::locked) continue;
    for (int k = 0; k < joint.coordinates; ++k) options.held.push_back(joint.q + k);
    if (kind == DriveKind::motion) driven += (driven.empty() ? "'" : ", '") + joint.name + "'";
  }
  if (driven.empty()) return {};
  options.tolerance = 1e-9 * (1 + model.length_scale());
  options.restarts = 30;
  options.limits = false;
  Reference reference(experiment);
  for (const double share : {1e-3, 1e-2, 0.1}) {
    const double later = std::min(t + share * experiment.end, experiment.end);
    if (!(later > t)) return {};
    reference.update(later);
    options.start = q.allFinite() ? q : reference.q;
    for (const int k : options.held) options.start(k) = reference.q(k);
    if (!options.start.allFinite()) return {};
    const AssemblyResult found = assemble(model, options);
    if (!found.solutions.empty()) continue;
    Workspace work(model);
    LoopClosure closure(model);
    closure.update(work, found.nearest);
    const Loop& loop = model.loops()[static_cast<std::size_t>(found.open_loop)];
    return fmt::format(
        "robot '{}' cannot follow the motion of {} beyond t = {:.9g} s: {} would be open by {} "
        "at t = {:.9g} s",
        model.name(), driven, t, loop_name(loop),
        gap_text(loop, closure.gap(work, found.open_loop)), later);
  }
  return {};
}

}  // namespace ulna
