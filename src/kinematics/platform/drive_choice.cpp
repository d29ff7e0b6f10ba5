#include "ulna/kinematics/internal/drive_choice.hpp"

#include <algorithm>
#include <stdexcept>

#include "ulna/kinematics/parallel_robot.hpp"

namespace ulna {
namespace {

bool at_joint_of_several(const Model& model, const std::vector<int>& degrees) {
  return std::ranges::any_of(model.joints(), [&](const Joint& joint) {
    return joint.speeds > 1 && std::ranges::any_of(degrees, [&](int k) {
             return k >= joint.v && k < joint.v + joint.speeds;
           });
  });
}

/// None where the robot has no platform or cannot be assembled.
std::vector<int> drives_of(const Model& model) {
  try {
    return ParallelRobot(model).drives();
  } catch (const std::runtime_error&) {
    return {};
  }
}

}  // namespace

std::vector<int> drives_rather_than_balls(const Model& model, std::vector<int> found) {
  if (!at_joint_of_several(model, found)) return found;
  std::vector<int> drives = drives_of(model);
  return drives.size() == found.size() ? drives : found;
}

}  // namespace ulna
