#include "loops/home_posture.hpp"

#include <algorithm>
#include <random>

#include "ulna/kinematics/platform_posture.hpp"

namespace ulna {
namespace {

/// Joints on the world with all freedoms of space or of a plane, whose speeds a loop depends on.
std::vector<const Joint*> floating_joints(const LoopClosure& closure) {
  std::vector<const Joint*> list;
  for (const Joint& joint : closure.model().joints()) {
    if (joint.parent != 0 || (joint.type != JointType::free && joint.type != JointType::planar))
      continue;
    const bool held = std::any_of(
        closure.blocks().begin(), closure.blocks().end(), [&](const LoopClosure::Block& block) {
          return std::binary_search(block.columns.begin(), block.columns.end(), joint.v);
        });
    if (held) list.push_back(&joint);
  }
  return list;
}

/// By search, with the floating joints held.
std::optional<Eigen::VectorXd> searched(AssemblyEquations& equations,
                                        const AssemblyOptions& options,
                                        const std::vector<const Joint*>& floating) {
  constexpr int most_starts = 30;
  const Model& model = equations.model();
  std::vector<int> free;
  for (int k = 0; k < model.joint_speeds(); ++k)
    if (std::none_of(floating.begin(), floating.end(),
                     [&](const Joint* j) { return k >= j->v && k < j->v + j->speeds; }))
      free.push_back(k);
  const Eigen::VectorXd neutral = model.neutral();
  Eigen::VectorXd from = neutral;
  std::mt19937_64 generator(options.seed);
  const double allowed = std::max(options.tolerance, model.robot().loop_tolerance);
  for (int trial = 0; trial < most_starts; ++trial) {
    const SearchOutcome found = search_closure(equations, options, free, from);
    equations.update(found.q);
    if (equations.largest_gap() <= allowed) return found.q;
    from = model.random(generator);
    for (const Joint* j : floating)
      from.segment(j->q, j->coordinates) = neutral.segment(j->q, j->coordinates);
  }
  return {};
}

}  // namespace

std::vector<int> floating_coordinates(const LoopClosure& closure) {
  std::vector<int> list;
  for (const Joint* joint : floating_joints(closure))
    for (int k = 0; k < joint->coordinates; ++k) list.push_back(joint->q + k);
  return list;
}

std::optional<Eigen::VectorXd> home_posture(AssemblyEquations& equations,
                                            const AssemblyOptions& options) {
  const Model& model = equations.model();
  const std::vector<const Joint*> floating = floating_joints(equations.closure());
  if (floating.empty()) return {};
  const PlatformData* data = model.platform();
  if (data && data->legs.size() >= 3) {  // fewer have no closed form
    try {
      const Platform platform(*data);
      return platform_posture(model, platform, data->home);
    } catch (const ComputationError&) {
      return {};  // its home is out of reach
    }
  }
  return searched(equations, options, floating);
}

}  // namespace ulna
