// `ulna platform` for parallel robots without closed form: by their loops.

#include <fmt/format.h>

#include "commands/platform_options.hpp"
#include "options/loop_state.hpp"
#include "options/wrench_options.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/parallel_dynamics.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"
#include "ulna/kinematics/parallel_quality.hpp"
#include "ulna/kinematics/parallel_workspace.hpp"
#include "ulna/kinematics/state.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna::cli::platform_general_detail {
namespace {

ParallelRobot robot_from(const Model& model, const PlatformOptions& options) {
  ParallelRobotOptions chosen;
  if (options.actuated) chosen.drives = degrees_named_in(model, "--actuated", *options.actuated);
  if (options.body) chosen.body = model.body(*options.body);
  return ParallelRobot(model, chosen);
}

DriveList drive_list(const ParallelRobot& robot) {
  DriveList list{robot.drive_names(), {}};
  std::vector<Entry> entries = speed_entries(robot.model());
  for (const Entry& entry : closing_speed_entries(robot.model())) entries.push_back(entry);
  for (const int k : robot.drives())
    list.dimensions.push_back(entries[static_cast<std::size_t>(k)].dimension);
  return list;
}

Pose<double> wanted_pose(const ParallelRobot& robot, const PoseOptions& options) {
  const Model& model = robot.model();
  return pose_from(robot.home().pose, options,
                   model.bodies()[static_cast<std::size_t>(robot.body())].name);
}

/// Limits of the drives in the robot file; infinite for closing joints.
void limits_of(const ParallelRobot& robot, Eigen::VectorXd& speeds, Eigen::VectorXd& efforts) {
  const Model& model = robot.model();
  speeds = efforts = Eigen::VectorXd::Constant(std::ssize(robot.drives()), INFINITY);
  for (Eigen::Index k = 0; k < speeds.size(); ++k)
    if (const int place = robot.drives()[static_cast<std::size_t>(k)]; place < model.speeds()) {
      speeds(k) = model.velocity_limit()(place);
      efforts(k) = model.effort_limit()(place);
    }
}

int run_direct(const ParallelRobot& robot, const PlatformOptions& options) {
  const DriveList drives = drive_list(robot);
  const Eigen::VectorXd values = drive_values("--drives", *options.drives, drives.entries());
  if (options.all && !options.starts && !options.seed)
    if (std::optional<PlatformPoses> proven = parallel_poses(robot, values)) {
      std::vector<bool> within_limits;
      for (const ProvenPose& p : proven->poses)
        within_limits.push_back(check_pose(robot, p.pose).fault == PoseFault::none);
      const bool none = proven->poses.empty();
      print_proven_poses(std::move(*proven), within_limits, options.json);
      if (none)
        error(fmt::format("no pose of robot '{}' exists for these drives", robot.model().name()));
      return none ? 1 : 0;
    }
  ParallelRobot::All found;
  if (options.all) {
    const int starts = options.starts ? parse_count("--starts", *options.starts, 1) : 200;
    const int seed = options.seed ? parse_count("--seed", *options.seed, 0) : 1;
    found = robot.all_at_drives(values, starts, static_cast<unsigned>(seed));
  } else {
    found.poses.push_back(robot.at_drives(values));
    found.postures = found.starts = 1;
  }
  if (options.json) {
    Json out = json_object();
    out["drives"] = drives.names;
    out["poses"] = Json::array();
    for (const ParallelPosture& p : found.poses) {
      Json pose = pose_json(p.pose);
      pose["q"] = to_json(p.q);
      if (!options.all) pose["home_branch"] = p.home_branch;
      out["poses"].push_back(pose);
    }
    out["found"] = found.poses.size();
    out["assemblies"] = found.postures;
    out["starts"] = found.starts;
    out["method"] = "loops";
    print_json(out);
  } else if (!found.poses.empty()) {
    Eigen::MatrixXd rows(found.poses.size(), 7);
    for (std::size_t k = 0; k < found.poses.size(); ++k)
      rows.row(static_cast<Eigen::Index>(k)) << found.poses[k].pose.position.transpose(),
          quaternion_from_rotation(found.poses[k].pose.rotation).transpose();
    print(Table().matrix({"x", "y", "z", "qw", "qx", "qy", "qz"}, rows).text());
    print(fmt::format("\n{} pose{} of the platform, {} assembl{} of the legs, from {} start{}\n",
                      found.poses.size(), found.poses.size() == 1 ? "" : "s", found.postures,
                      found.postures == 1 ? "y" : "ies", found.starts,
                      found.starts == 1 ? "" : "s"));
    if (!options.all)
      print(found.poses[0].home_branch ? "  on the branch of the home pose\n"
                                       : "  on another branch than the home pose\n");
  }
  if (!found.poses.empty()) return 0;
  error(fmt::format("no pose of robot '{}' was found for these drives", robot.model().name()));
  return 1;
}

void add_quality(const ParallelRobot& robot, const Eigen::VectorXd& q, const ParallelRates& rates,
                 const PlatformOptions& options, PoseAnswer& answer) {
  Eigen::VectorXd speeds, efforts;
  limits_of(robot, speeds, efforts);
  const DriveCapability limits = drive_capability(options, answer.drives, speeds, efforts, answer);
  answer.quality = quality(rates.J, rates.basis, answer.held.condition, limits);
  answer.nearest = nearest_singularity(robot, q);
}

int run_pose(const ParallelRobot& robot, const PlatformOptions& options) {
  const Model& model = robot.model();
  const ParallelPosture posture = robot.at_pose(wanted_pose(robot, options.pose));
  PoseAnswer answer;
  answer.drives = drive_list(robot);
  answer.pose = posture.pose;
  if (posture.off > 1e-7)
    answer.notes.push_back(
        fmt::format("the platform has {} degrees of freedom and cannot take this pose: the nearest "
                    "one is {:.3g} "
                    "m away (turns by its radius), {}",
                    robot.rates(posture.q).dof(), posture.off, shown_pose_text(posture.pose)));
  if (robot.drives_were_chosen())
    answer.notes.push_back(
        fmt::format("drives: {} (--actuated names others)", fmt::join(robot.drive_names(), ", ")));
  const Twist<double> V = twist_from("--twist", options.twist, "/s"),
                      A = twist_from("--acceleration", options.acceleration, "/s^2");
  const ParallelRates rates = robot.rates(posture.q);
  answer.q = robot.drive_values(posture.q);
  answer.jacobian = rates.J;
  answer.basis = rates.basis;
  answer.held = robot.singularity(rates, posture.pose);
  if (!(answer.held.condition < 1e9))
    throw ComputationError(
        fmt::format("robot '{}' is singular at {}: its drives ({}) do not hold body '{}' along the "
                    "twist {} (rotation first)",
                    model.name(), pose_text(posture.pose), fmt::join(robot.drive_names(), ", "),
                    model.bodies()[robot.body()].name, numbers_text(answer.held.screw.vector())),
        answer.held.condition);
  const std::vector<ExternalWrench> wrenches =
      wrenches_from(model, wrenches_on(model.bodies()[robot.body()].name, options.wrenches));
  ParallelDynamics dynamics(robot);
  ParallelRobot::Motion motion = robot.motion(posture.q, V, A);
  answer.rates = motion.drive_rates;
  if (options.efforts) {
    answer.efforts = drive_values("--efforts", *options.efforts, answer.drives.effort_entries());
    const ParallelDynamics::Acceleration found =
        dynamics.forward(posture.q, motion.v, answer.efforts, wrenches);
    answer.given_efforts = true;
    answer.platform = found.platform;
    answer.accelerations = found.drives;
  } else {
    answer.accelerations = motion.drive_accelerations;
    answer.efforts = dynamics.inverse(posture.q, motion, wrenches);
  }
  require_finite(answer.efforts, "an effort");
  if (options.stiffness)
    answer.stiffness = dynamics.stiffness(
        posture.q, for_each_drive("--stiffness", *options.stiffness, answer.drives), wrenches);
  if (options.quality) add_quality(robot, posture.q, rates, options, answer);
  if (options.working_modes) answer.modes = working_modes(robot, posture.q);
  print_answer(answer, options.json);
  return 0;
}

int run_slice(const ParallelRobot& robot, const PlatformOptions& options) {
  for (const auto& [given, name] : {std::pair{options.slice.ball_angle.has_value(), "--ball-angle"},
                                    {options.slice.leg_radius.has_value(), "--leg-radius"}})
    if (given)
      throw InputError(
          Problem{{},
                  name,
                  fmt::format("robot '{}' has legs without closed form", robot.model().name()),
                  "limits of its joints in the robot file",
                  {}});
  const ParallelSlice found =
      parallel_slice(robot, wanted_pose(robot, options.pose), slice_ranges(options.slice));
  return print_slice(found.slice, found.singular, robot.model().name(), options.slice,
                     options.json);
}

}  // namespace
}  // namespace ulna::cli::platform_general_detail

namespace ulna::cli {

int run_general_platform(const Model& model, const PlatformOptions& options) {
  using namespace platform_general_detail;
  const ParallelRobot robot = robot_from(model, options);
  if (options.slice.given()) return platform_general_detail::run_slice(robot, options);
  if (options.drives) return run_direct(robot, options);
  return run_pose(robot, options);
}

}  // namespace ulna::cli
