#include <fmt/format.h>

#include "study/study_results.hpp"
#include "study/study_run_kinds.hpp"
#include "ulna/kinematics/parallel_workspace.hpp"
#include "ulna/kinematics/platform_direct.hpp"
#include "ulna/kinematics/platform_singularity.hpp"
#include "ulna/model/model.hpp"
#include "ulna/spatial/rotation.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

constexpr const char* pose_names[] = {"x", "y", "z", "rx", "ry", "rz"};

/// The pose a run asks for: its own, changed by parameters pose.x ... pose.rz.
Pose<double> pose_of(const SampleTask& task, const PlatformRun& run, const Pose<double>& home) {
  Pose<double> pose = home;
  if (run.position) pose.position = *run.position;
  Vector3<double> turn = run.turn;
  for (const NamedValue& given : task.parts.named(task.values, "pose")) {
    const auto* const at = std::find(std::begin(pose_names), std::end(pose_names), given.name);
    if (at == std::end(pose_names))
      throw InputError("no part 'pose." + given.name + "'", "pose.x, y, z, rx, ry or rz");
    const auto k = at - std::begin(pose_names);
    (k < 3 ? pose.position(k) : turn(k - 3)) = given.value;
  }
  pose.rotation = exp_rotation(turn) * pose.rotation;
  return pose;
}

/// Drives changed by those of the run and of parameters drive.LEG.
Eigen::VectorXd changed(const SampleTask& task, const PlatformRun& run,
                        const std::vector<std::string>& names, Eigen::VectorXd drives) {
  const auto set = [&](const NamedValue& given) {
    const auto at = std::find(names.begin(), names.end(), given.name);
    if (at == names.end())
      throw InputError("no leg '" + given.name + "'", {}, nearest_name_hint(given.name, names));
    drives(at - names.begin()) = given.value;
  };
  for (const NamedValue& given : run.drives) set(given);
  for (const NamedValue& given : task.parts.named(task.values, "drive")) set(given);
  return drives;
}

void keep_slice(const StudyRunKind& run, const WorkspaceSlice& slice, StudyResults& results) {
  double best = INFINITY, worst = 0;
  for (const PoseCheck& check : slice.checks)
    if (check.fault == PoseFault::none)
      best = std::min(best, check.condition), worst = std::max(worst, check.condition);
  results.numbers[run.result("slice.share")] = slice.share;
  results.numbers[run.result("slice.area")] = slice.area;
  const bool any = slice.share > 0;
  results.numbers[run.result("slice.condition.least")] = any ? best : NAN;
  results.numbers[run.result("slice.condition.largest")] = any ? worst : NAN;
}

/// What a run at a pose keeps.
struct Standing {
  Pose<double> pose, home;
  std::vector<std::string> names;
  Eigen::VectorXd drives;
  PlatformSingularity held;
};

void keep_pose(const StudyRunKind& run, const Standing& at, StudyResults& results) {
  auto& n = results.numbers;
  const Vector3<double> turn = log_rotation(at.pose.rotation * at.home.rotation.transpose());
  for (int k = 0; k < 3; ++k) {
    n[run.result(fmt::format("pose.{}", pose_names[k]))] = at.pose.position(k);
    n[run.result(fmt::format("pose.{}", pose_names[k + 3]))] = turn(k);
  }
  for (std::size_t k = 0; k < at.names.size(); ++k)
    n[run.result("drive." + at.names[k])] = at.drives(static_cast<Eigen::Index>(k));
  n[run.result("platform.condition")] = at.held.condition;
  n[run.result("platform.determinant")] = at.held.determinant;
}

void run_closed_form(const SampleTask& task, const StudyRunKind& run, const Platform& platform,
                     StudyResults& results) {
  const PlatformRun& asked = *run.platform;
  Standing at{pose_of(task, asked, platform.data().home), platform.data().home, {}, {}, {}};
  if (asked.slice)
    return keep_slice(run, workspace_slice(platform, at.pose, *asked.slice, asked.limits), results);
  for (const PlatformLeg& leg : platform.data().legs) at.names.push_back(leg.name);
  PlatformMotion motion(platform);
  if (asked.direct) {
    platform.inverse(at.pose, motion);
    at.pose =
        direct_by_continuation(platform, changed(task, asked, at.names, motion.q()), at.pose).pose;
  }
  PoseChecker(platform, asked.limits).require(at.pose);
  platform.inverse(at.pose, motion);
  at.drives = motion.q();
  at.held = singularity(platform, motion, at.pose);
  keep_pose(run, at, results);
}

void run_by_loops(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const PlatformRun& asked = *run.platform;
  const ParallelRobot robot(*task.model);
  Standing at{
      pose_of(task, asked, robot.home().pose), robot.home().pose, robot.drive_names(), {}, {}};
  if (asked.slice)
    return keep_slice(run, workspace_slice(robot, at.pose, *asked.slice, asked.limits), results);
  ParallelPosture posture = robot.at_pose(at.pose);
  if (asked.direct)
    posture = robot.at_drives(changed(task, asked, at.names, robot.drive_values(posture.q)));
  const std::string trouble =
      check_text(robot, check_posture(robot, posture, asked.limits), posture.pose);
  if (!trouble.empty()) throw ComputationError(trouble);
  at.pose = posture.pose;
  at.drives = robot.drive_values(posture.q);
  at.held = robot.singularity(robot.rates(posture.q), posture.pose);
  keep_pose(run, at, results);
}

/// None where another way than the closed form is taken.
std::optional<Platform> closed_form_of(const Model& model) {
  const std::optional<PlatformData> data = platform_if_any(model.robot());
  if (!data || model.loops().empty()) return {};
  Platform platform(*data);
  if (platform.legs() < platform.dof()) return {};
  return platform;
}

}  // namespace

std::vector<std::string> platform_drives(const Model& model) {
  const std::optional<Platform> platform = closed_form_of(model);
  if (!platform) return ParallelRobot(model).drive_names();
  std::vector<std::string> names;
  for (const PlatformLeg& leg : platform->data().legs) names.push_back(leg.name);
  return names;
}

void run_platform_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  if (const std::optional<Platform> platform = closed_form_of(*task.model))
    run_closed_form(task, run, *platform, results);
  else
    run_by_loops(task, run, results);
}

}  // namespace ulna
