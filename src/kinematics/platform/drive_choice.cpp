#include "ulna/kinematics/internal/drive_choice.hpp"

#include <algorithm>
#include <stdexcept>

#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/parallel_robot.hpp"
#include "ulna/kinematics/platform_posture.hpp"

namespace ulna {
namespace {

/// None where the robot has no platform or cannot be assembled.
std::vector<int> drives_of(const Model& model) {
  try {
    if (const PlatformData* data = model.platform())
      if (const Platform platform(*data); platform.legs() >= platform.dof())
        return drive_speeds(model, platform);
    return ParallelRobot(model).drives();
  } catch (const std::runtime_error&) {
    return {};
  }
}

}  // namespace

std::vector<int> drives_rather_than_passive(const Model& model, std::vector<int> found) {
  if (found.size() < 2) return found;
  std::vector<int> drives = drives_of(model);
  return drives.size() == found.size() ? drives : found;
}

std::vector<int> usual_inputs(const LoopClosure& closure) {
  const Model& model = closure.model();
  const SpeedSplit split = split_speeds(closure);
  const std::size_t dof = split.independent.size();
  if (closure.rows() == 0 || dof < 2) return split.independent;
  std::vector<int> drives = drives_of(model);
  if (drives.size() == dof) return drives;
  if (std::ranges::any_of(drives, [&](int k) { return k >= model.speeds(); }))
    return split.independent;
  // Dependent are as many of the other joints as possible, and drives where these are redundant.
  std::vector<int> joints;
  for (int k = 0; k < model.joint_speeds(); ++k)
    if (std::ranges::count(drives, k) == 0) joints.push_back(k);
  const std::vector<int> dependent =
      leading_columns(closure.scaled_jacobian(), joints, split.rank, loop_rank_tolerance_of(model));
  std::vector<int> inputs;
  for (const int k : drives)
    if (std::ranges::count(dependent, k) == 0) inputs.push_back(k);
  for (int k = 0; k < model.speeds(); ++k)
    if (std::ranges::count(dependent, k) == 0 && std::ranges::count(drives, k) == 0)
      inputs.push_back(k);
  return inputs;
}

}  // namespace ulna
