#include "ulna/kinematics/internal/drive_choice.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/parallel_robot.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/rank.hpp"

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

/// Whether a drive is a joint that closes a loop.
bool closes(const Model& model, const std::vector<int>& drives) {
  return std::ranges::any_of(drives, [&](int k) { return k >= model.speeds(); });
}

/// Where a motor is likely beside those of the platform: hinges and slides on the base, and joints
/// with a limit of effort or a rotor.
bool is_motor_like(const Model& model, const Joint& joint) {
  if (joint.speeds != 1) return false;
  if (joint.parent == 0) return true;
  return std::ranges::any_of(model.robot().joints, [&](const JointData& data) {
    return data.name == joint.name && !data.degrees.empty() &&
           (std::isfinite(data.degrees[0].effort_limit) || data.degrees[0].rotor_inertia > 0);
  });
}

/// As many inputs as the loops leave free: of the drives as many as are independent, then joints
/// that may have a motor. Dependent are as many of the others as possible.
std::vector<int> completed(const LoopClosure& closure, const std::vector<int>& drives, int rank) {
  const Model& model = closure.model();
  const auto is_drive = [&](int k) { return std::ranges::count(drives, k) > 0; };
  std::vector<int> passive, likely, last;
  for (const Joint& joint : model.joints())
    for (int k = joint.v; k < joint.v + joint.speeds; ++k)
      if (!is_drive(k)) (is_motor_like(model, joint) ? likely : passive).push_back(k);
  for (int k = 0; k < model.speeds(); ++k)
    if (is_drive(k) || k >= model.joint_speeds()) last.push_back(k);
  const Eigen::MatrixXd A = closure.scaled_jacobian();
  const double tolerance = loop_rank_tolerance_of(model);
  std::vector<int> dependent;
  Eigen::MatrixXd left = A;
  for (const std::vector<int>& tier : {passive, likely, last}) {
    const Eigen::MatrixXd part = left(Eigen::all, tier);
    if (std::ssize(dependent) == rank || part.norm() <= tolerance * A.norm()) continue;
    for (const int c : rank_by_qr(part.transpose(), tolerance).independent_rows)
      if (std::ssize(dependent) < rank) dependent.push_back(tier[static_cast<std::size_t>(c)]);
    const Eigen::MatrixXd Q = dense::Qr(A(Eigen::all, dependent)).thin_Q();
    left = A - Q * (Q.transpose() * A);
  }
  std::vector<int> inputs;
  const auto add_free = [&](bool of_drives) {
    for (int k = 0; k < model.speeds(); ++k)
      if (is_drive(k) == of_drives && std::ranges::count(dependent, k) == 0) inputs.push_back(k);
  };
  add_free(true);
  add_free(false);
  return inputs;
}

}  // namespace

std::vector<int> drives_rather_than_passive(const Model& model, const VectorRef& q,
                                            const std::vector<int>& found) {
  if (found.size() < 2) return found;
  const std::vector<int> drives = drives_of(model);
  if (drives.size() == found.size()) return drives;
  if (drives.empty() || drives.size() > found.size() || closes(model, drives)) return found;
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, q);
  const int rank = split_speeds(closure).rank;
  const std::vector<int> inputs = completed(closure, drives, rank);
  return inputs.size() == found.size() ? inputs : found;
}

std::vector<int> usual_inputs(const LoopClosure& closure) {
  const Model& model = closure.model();
  const SpeedSplit split = split_speeds(closure);
  const std::size_t dof = split.independent.size();
  if (closure.rows() == 0 || dof < 2) return split.independent;
  std::vector<int> drives = drives_of(model);
  if (drives.size() == dof) return drives;
  if (closes(model, drives)) return split.independent;
  return completed(closure, drives, split.rank);
}

}  // namespace ulna
