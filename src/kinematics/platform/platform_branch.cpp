#include "ulna/kinematics/platform_branch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/kinematics/parallel_robot.hpp"
#include "ulna/kinematics/platform_direct.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

constexpr double same_pose_within = 1e-6;  ///< of a robot of one metre; radians

bool is_same_pose(const Model& model, const Pose<double>& a, const Pose<double>& b) {
  return (a.position - b.position).norm() < same_pose_within * model.length_scale() &&
         (a.rotation - b.rotation).norm() < same_pose_within;
}

bool has_floating_body(const Model& model) {
  return std::any_of(model.joints().begin(), model.joints().end(), [](const Joint& joint) {
    return joint.parent == 0 && (joint.type == JointType::free || joint.type == JointType::planar);
  });
}

/// Legs that reach the platform the other way, in words.
std::string other_modes(const Model& model, const Platform& platform, const PlatformMotion& motion,
                        const Eigen::VectorXd& q) {
  std::vector<std::string> legs;
  for (int k = 0; k < platform.legs(); ++k) {
    const PlatformLeg& leg = platform.data().legs[k];
    const double off = motion.legs[k].q - q(model.joints()[model.joint(leg.name)].q);
    if (std::abs(leg.drive_slides() ? off : 2 * std::sin(0.5 * off)) > same_pose_within)
      legs.push_back("'" + leg.name + "'");
  }
  if (legs.empty()) return {};
  return fmt::format("leg{} {} in {} other working mode", legs.size() > 1 ? "s" : "",
                     fmt::join(legs, ", "), legs.size() > 1 ? "their" : "its");
}

void judge_closed_form(const Model& model, const Eigen::VectorXd& q, PlatformBranch& out) {
  const Platform platform(*model.platform());
  out.pose = platform_pose(model, platform, q);
  const Pose<double>& home = platform.data().home;
  PlatformMotion motion(platform);
  platform.inverse(out.pose, motion);
  out.why = other_modes(model, platform, motion, q);
  if (!out.why.empty()) return;
  out.at_home = is_same_pose(model, out.pose, home);
  if (out.at_home || platform.legs() != platform.dof()) {
    out.of_home = true;
    return;
  }
  out.why = "another assembly of the same drives";
  try {
    out.of_home =
        is_same_pose(model, direct_by_continuation(platform, motion.q(), home).pose, out.pose);
  } catch (const ComputationError&) {
    out.why = "a singular pose bars the way from home";
  }
}

void judge_by_loops(const Model& model, const Eigen::VectorXd& q, PlatformBranch& out) {
  const ParallelRobot robot(model);
  out.body = model.bodies()[robot.body()].name;
  out.pose = robot.pose(q);
  out.at_home = out.of_home = is_same_pose(model, out.pose, robot.home().pose);
  if (out.at_home) return;
  const ParallelPosture led = robot.at_drives(robot.drive_values(q));
  out.of_home = led.home_branch && is_same_pose(model, led.pose, out.pose);
  out.why = led.home_branch ? "another assembly of the same drives"
                            : "a singular posture bars the way from home";
}

}  // namespace

namespace {
constexpr const char* on_branch = ", on the branch of its home pose";
constexpr const char* home_itself = ", its home pose";
}  // namespace

bool says_home_branch(const std::string& text) {
  return text.ends_with(on_branch) || text.ends_with(home_itself);
}

std::string PlatformBranch::text() const {
  const std::string where = at_home ? home_itself
                            : of_home
                                ? on_branch
                                : fmt::format(", not on the branch of its home pose: {}", why);
  return fmt::format("body '{}' starts at {}{}", body, pose_text(pose), where);
}

std::optional<PlatformBranch> platform_branch(const Model& model, const Eigen::VectorXd& q) {
  if (model.loops().empty() || model.modes() > 0 || !has_floating_body(model)) return {};
  PlatformBranch out;
  try {
    if (const PlatformData* data = model.platform(); data && data->legs.size() >= 3) {
      out.body = data->platform_body;
      judge_closed_form(model, q, out);
    } else {
      judge_by_loops(model, q, out);
    }
  } catch (const ComputationError&) {
    return {};  // it has no home pose
  } catch (const InputError&) {
    return {};  // or no drives that determine it
  }
  if (out.of_home) out.why.clear();
  return out;
}

}  // namespace ulna
