#include "ulna/kinematics/parallel_workspace.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/kinematics/platform_quality.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

constexpr double reached = 1e-6;  ///< metres, turns by the radius: the platform has this pose
constexpr double at_limit = 1e-9;

}  // namespace

PoseCheck check_posture(const ParallelRobot& robot, const ParallelPosture& posture,
                        const PlatformLimits& limits) {
  if (!(posture.off <= reached)) return {PoseFault::unreachable, -1, -1, posture.off, INFINITY};
  return check_joints(robot, posture, limits);
}

PoseCheck check_joints(const ParallelRobot& robot, const ParallelPosture& posture,
                       const PlatformLimits& limits) {
  const Model& model = robot.model();
  PoseCheck check;
  check.condition = robot.singularity(robot.rates(posture.q), posture.pose).condition;
  for (int k = 0; k < model.coordinates(); ++k)
    if (posture.q(k) < model.lower()(k) - at_limit || posture.q(k) > model.upper()(k) + at_limit) {
      check.fault = PoseFault::stroke;
      check.leg = k;
      check.measure = posture.q(k);
      return check;
    }
  if (!(check.condition < limits.worst_condition)) {
    check.fault = PoseFault::singular;
    check.measure = check.condition;
  }
  return check;
}

PoseCheck check_pose(const ParallelRobot& robot, const Pose<double>& pose,
                     const PlatformLimits& limits) {
  try {
    return check_posture(robot, robot.at_pose(pose), limits);
  } catch (const ComputationError&) {
    return {PoseFault::unreachable, -1, -1, 0, INFINITY};
  }
}

std::string check_text(const ParallelRobot& robot, const PoseCheck& check,
                       const Pose<double>& pose) {
  const Model& model = robot.model();
  const std::string where = pose_text(pose);
  switch (check.fault) {
    case PoseFault::none:
      return "";
    case PoseFault::stroke:
      return fmt::format(
          "coordinate '{}' of '{}' is beyond its limits at {}: {:.6g}, limits {:.6g} "
          "to {:.6g}",
          model.coordinate_names()[static_cast<std::size_t>(check.leg)], model.name(), where,
          check.measure, model.lower()(check.leg), model.upper()(check.leg));
    case PoseFault::singular:
      return fmt::format("'{}' is singular at {} (condition {:.3g})", model.name(), where,
                         check.measure);
    default:
      if (check.measure > 0)
        return fmt::format(
            "'{}' cannot take the pose at {}: the nearest one is {:.3g} m away "
            "(turns by the platform's radius)",
            model.name(), where, check.measure);
      return fmt::format("'{}' cannot follow from its home pose to {}", model.name(), where);
  }
}

WorkspaceSlice workspace_slice(const ParallelRobot& robot, const Pose<double>& middle,
                               const std::array<SliceRange, 2>& ranges,
                               const PlatformLimits& limits) {
  return parallel_slice(robot, middle, ranges, limits).slice;
}

}  // namespace ulna
