#include <fmt/format.h>

#include "study/study_results.hpp"
#include "study/study_run_kinds.hpp"
#include "ulna/kinematics/platform_direct.hpp"
#include "ulna/kinematics/platform_singularity.hpp"
#include "ulna/model/model.hpp"
#include "ulna/spatial/rotation.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

constexpr const char* pose_names[] = {"x", "y", "z", "rx", "ry", "rz"};

/// The pose a run asks for: its own, changed by parameters pose.x ... pose.rz.
Pose<double> pose_of(const SampleTask& task, const PlatformRun& run, const Platform& platform) {
  Pose<double> pose = platform.data().home;
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

/// Drives at a pose, changed by those of the run and of parameters drive.LEG.
Eigen::VectorXd drives_of(const SampleTask& task, const PlatformRun& run, const Platform& platform,
                          const Pose<double>& pose) {
  PlatformMotion motion(platform);
  platform.inverse(pose, motion);
  Eigen::VectorXd drives = motion.q();
  std::vector<std::string> legs;
  for (const PlatformLeg& leg : platform.data().legs) legs.push_back(leg.name);
  const auto set = [&](const NamedValue& given) {
    const auto at = std::find(legs.begin(), legs.end(), given.name);
    if (at == legs.end())
      throw InputError("no leg '" + given.name + "'", {}, nearest_name_hint(given.name, legs));
    drives(at - legs.begin()) = given.value;
  };
  for (const NamedValue& given : run.drives) set(given);
  for (const NamedValue& given : task.parts.named(task.values, "drive")) set(given);
  return drives;
}

void keep_slice(const StudyRunKind& run, const Platform& platform, const Pose<double>& pose,
                StudyResults& results) {
  const WorkspaceSlice slice =
      workspace_slice(platform, pose, *run.platform->slice, run.platform->limits);
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

}  // namespace

void run_platform_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const PlatformRun& asked = *run.platform;
  const Platform platform(platform_of(task.model->robot()));
  Pose<double> pose = pose_of(task, asked, platform);
  if (asked.slice) return keep_slice(run, platform, pose, results);
  if (asked.direct)
    pose = direct_by_continuation(platform, drives_of(task, asked, platform, pose), pose).pose;
  PoseChecker(platform, asked.limits).require(pose);
  PlatformMotion motion(platform);
  platform.inverse(pose, motion);
  const PlatformSingularity held = singularity(platform, motion, pose);
  auto& n = results.numbers;
  const Vector3<double> turn =
      log_rotation(pose.rotation * platform.data().home.rotation.transpose());
  for (int k = 0; k < 3; ++k) {
    n[run.result(fmt::format("pose.{}", pose_names[k]))] = pose.position(k);
    n[run.result(fmt::format("pose.{}", pose_names[k + 3]))] = turn(k);
  }
  for (int k = 0; k < platform.legs(); ++k)
    n[run.result("drive." + platform.data().legs[static_cast<std::size_t>(k)].name)] =
        motion.legs[static_cast<std::size_t>(k)].q;
  n[run.result("platform.condition")] = held.condition;
  n[run.result("platform.determinant")] = held.determinant;
}

}  // namespace ulna
