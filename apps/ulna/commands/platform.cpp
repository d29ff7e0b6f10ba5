#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "commands/platform_options.hpp"
#include "options/wrench_options.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/parallel_dynamics.hpp"
#include "ulna/dynamics/platform_dynamics.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/kinematics/platform_direct.hpp"
#include "ulna/kinematics/platform_poses.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/kinematics/platform_singularity.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna::cli::platform_detail {
namespace {

constexpr const char* examples = R"(  ulna platform ddts --position 3.5,0,0 --turn=-30deg,0,0
  ulna platform ddts --twist 0,0,0,1,0,0 --acceleration 0,0,0,0,0,2 --gravity 0,0,0 --json
  ulna platform ddts --wrench=-5000,0,0 --stiffness 1e8 --quality --errors 0.1mm
  ulna platform ddts --efforts leg1=20000,leg2=6000
  ulna platform stewart-6-6 --drives 0.6,0.6,0.62,0.6,0.6,0.58
  ulna platform stewart-6-6 --drives 0.6,0.6,0.62,0.6,0.6,0.58 --all
  ulna platform delta --slice x=-0.5:0.5,z=-0.9:-0.3 -o delta.svg
  ulna platform examples/ddts.yaml

For a given pose, the results are the drives, their rates and accelerations, the efforts for the
acceleration with complete leg dynamics, measures of how well the drives hold the platform, and its
stiffness. For given drives, the result is the pose; --all lists every pose, proves each and counts them.
Robots with slides, cranks and rods are solved in closed form, every other parallel robot through its
loops; --actuated names its drives. --slice maps where the platform can be and where it is singular. For
an experiment file, condition and distance to the nearest singular pose along its motion are computed.
Exit status 1: a leg is out of reach or stroke, legs touch, or the pose is singular; the message gives
the reason and the pose.)";

using Options = PlatformOptions;

DriveList drive_list(const Platform& platform) {
  DriveList list;
  for (const PlatformLeg& leg : platform.data().legs) {
    list.names.push_back(leg.name);
    list.dimensions.push_back(leg.drive_slides() ? Dimension::length : Dimension::angle);
  }
  return list;
}

/// Poses as they are printed, however they were found.
struct FoundPoses {
  std::vector<ProvenPose> poses;
  std::vector<int> iterations;
  std::vector<std::pair<std::string, Json>> more;  ///< what is said of the search
  std::string text;
  std::optional<bool> home_branch;  ///< of a single pose
};

/// Whether the drives lead from home to this pose, all moving together.
bool is_on_home_branch(const Platform& platform, const Eigen::VectorXd& drives,
                       const Pose<double>& pose) {
  try {
    const DirectPose led = direct_by_continuation(platform, drives, platform.data().home);
    return (led.pose.position - pose.position).norm() < 1e-6 * (1 + platform.radius()) &&
           (led.pose.rotation - pose.rotation).norm() < 1e-6;
  } catch (const ComputationError&) {
    return false;  // a singular pose bars the way
  }
}

FoundPoses by_random_starts(const Platform& platform, const Eigen::VectorXd& drives,
                            const Options& options) {
  DirectSearch search;
  if (options.starts) search.starts = parse_count("--starts", *options.starts, 1);
  if (options.seed) search.seed = static_cast<unsigned>(parse_count("--seed", *options.seed, 0));
  const DirectPoses all = direct_all(platform, drives, search);
  FoundPoses found;
  for (const DirectPose& p : all.poses) {
    found.poses.push_back({p.pose, false, 0, 0, p.gap});
    found.iterations.push_back(p.iterations);
  }
  found.more = {{"method", "random-starts"},
                {"starts", all.starts},
                {"converged", all.converged},
                {"least_hits", all.least_hits}};
  found.text = fmt::format("{} poses from {} starts\n", all.poses.size(), all.starts);
  if (all.least_hits == 1)
    found.text += "  the rarest was found once: more --starts may find others\n";
  return found;
}

FoundPoses proven_poses(PlatformPoses all) {
  FoundPoses found;
  const auto proven = std::count_if(all.poses.begin(), all.poses.end(),
                                    [](const ProvenPose& p) { return p.certified; });
  found.more = {{"method", "homotopy"},     {"certified", proven},     {"degree", all.degree},
                {"bound", all.bound},       {"complex", all.complex},  {"singular", all.singular},
                {"infinite", all.infinite}, {"complete", all.complete}};
  found.text = fmt::format(
      "{} pose{}, {} proven; {} of the {} solutions of this geometry are complex{}\n",
      all.poses.size(), all.poses.size() == 1 ? "" : "s", proven, all.complex, all.degree,
      !all.complete             ? ""
      : all.degree == all.bound ? ": none is missing"
                                : ": all that were found for generic lengths");
  if (all.singular + all.infinite > 0)
    found.text += fmt::format("  {} of them coincide with others, {} lie at infinity\n",
                              all.singular, all.infinite);
  found.poses = std::move(all.poses);
  found.iterations.assign(found.poses.size(), 0);
  return found;
}

FoundPoses poses_of(const Platform& platform, const Eigen::VectorXd& drives,
                    const Options& options) {
  if (options.all)
    return options.starts || options.seed ? by_random_starts(platform, drives, options)
                                          : proven_poses(platform_poses(platform, drives));
  const Pose<double> start =
      pose_from(platform.data().home, options.pose, platform.data().platform_body);
  const DirectPose one = options.continuation ? direct_by_continuation(platform, drives, start)
                                              : direct(platform, drives, start);
  FoundPoses found;
  found.poses.push_back({one.pose, false, 0, 0, one.gap});
  found.iterations.push_back(one.iterations);
  found.more = {{"method", options.continuation ? "continuation" : "newton"},
                {"starts", 1},
                {"converged", 1},
                {"least_hits", 1}};
  found.home_branch = is_on_home_branch(platform, drives, one.pose);
  found.text = fmt::format("1 pose from 1 start, {} iterations\n  {}\n", one.iterations,
                           *found.home_branch ? "on the branch of the home pose"
                                              : "on another branch than the home pose");
  return found;
}

/// `within_limits`: of each pose.
void print_poses_json(const FoundPoses& found, const std::vector<bool>& within_limits) {
  Json out = json_object();
  out["poses"] = Json::array();
  for (std::size_t k = 0; k < found.poses.size(); ++k) {
    const ProvenPose& p = found.poses[k];
    Json pose = pose_json(p.pose);
    pose["gap"] = p.gap;
    pose["iterations"] = found.iterations[k];
    pose["within_limits"] = static_cast<bool>(within_limits[k]);
    if (found.home_branch) pose["home_branch"] = *found.home_branch;
    pose["certified"] = p.certified;
    if (p.certified) {
      pose["position_bound"] = p.position_bound;
      pose["angle_bound"] = p.angle_bound;
    }
    out["poses"].push_back(pose);
  }
  out["found"] = found.poses.size();
  for (const auto& [key, value] : found.more) out[key] = value;
  print_json(out);
}

void print_poses(const FoundPoses& found, const std::vector<bool>& within_limits) {
  Eigen::MatrixXd rows(found.poses.size(), 7);
  for (std::size_t k = 0; k < found.poses.size(); ++k) {
    const Pose<double>& pose = found.poses[k].pose;
    rows.row(static_cast<Eigen::Index>(k)) << pose.position.transpose(),
        quaternion_from_rotation(pose.rotation).transpose();
  }
  print(Table().matrix({"x", "y", "z", "qw", "qx", "qy", "qz"}, rows).text());
  print("\n" + found.text);
  if (const auto out = std::count(within_limits.begin(), within_limits.end(), false))
    print(fmt::format("  {} of them out of stroke, or with legs that touch\n", out));
}

int run_direct(const Platform& platform, const Options& options) {
  const Eigen::VectorXd drives =
      parse_vector("--drives", *options.drives, drive_list(platform).entries());
  const FoundPoses found = poses_of(platform, drives, options);
  PoseChecker checker(platform, options.slice.limits());
  if (!options.all && !options.ignore_limits) checker.require(found.poses[0].pose);
  std::vector<bool> within_limits;
  for (const ProvenPose& p : found.poses)
    within_limits.push_back(checker.text(checker.check(p.pose), p.pose).empty());
  options.json ? print_poses_json(found, within_limits) : print_poses(found, within_limits);
  if (!found.poses.empty()) return 0;
  error(fmt::format("no pose of platform '{}' was found for these drives", platform.data().name));
  return 1;
}

/// All wrenches as one at the platform's origin, world axes; none where one acts elsewhere.
std::optional<Wrench<double>> load_on(const Model& model, const Platform& platform,
                                      const Pose<double>& pose,
                                      const std::vector<ExternalWrench>& wrenches) {
  Wrench<double> sum;
  const int body = model.body(platform.data().platform_body);
  for (const ExternalWrench& w : wrenches) {
    const bool known = w.expressed_in == 0 || model.frames()[w.expressed_in].body == body;
    if (w.body != body || !known) return {};
    Matrix3<double> R = Matrix3<double>::Identity();
    if (w.expressed_in != 0)
      R = pose.rotation * model.frames()[body].X_NF.rotation.transpose() *
          model.frames()[w.expressed_in].X_NF.rotation;
    const Vector3<double> force = R * w.force;
    sum.force += force;
    sum.moment += R * w.moment + (pose.rotation * w.point).cross(force);
  }
  return sum;
}

void add_quality(const Platform& platform, const Options& options, PoseAnswer& answer) {
  Eigen::VectorXd speeds(platform.legs()), efforts(platform.legs());
  for (int k = 0; k < platform.legs(); ++k) {
    speeds(k) = platform.data().legs[k].drive.velocity_limit;
    efforts(k) = platform.data().legs[k].drive.effort_limit;
  }
  const DriveCapability limits = drive_capability(options, answer.drives, speeds, efforts, answer);
  answer.quality = quality(answer.jacobian, answer.basis, answer.held.condition, limits);
  answer.nearest = nearest_singularity(platform, answer.pose);
}

int run_pose(const Model& model, const Platform& platform, const Options& options) {
  PoseAnswer answer;
  answer.drives = drive_list(platform);
  answer.pose = pose_from(platform.data().home, options.pose, platform.data().platform_body);
  const Twist<double> V = twist_from("--twist", options.twist, "/s"),
                      A = twist_from("--acceleration", options.acceleration, "/s^2");
  platform.require_possible(V, "twist");
  platform.require_possible(A, "acceleration");
  if (!options.ignore_limits) PoseChecker(platform, options.slice.limits()).require(answer.pose);
  const std::vector<ExternalWrench> wrenches =
      wrenches_from(model, wrenches_on(platform.data().platform_body, options.wrenches));
  const std::optional<Wrench<double>> load = load_on(model, platform, answer.pose, wrenches);
  if (!load) return run_general_platform(model, options);
  PlatformDynamics dynamics(platform, model);
  if (options.efforts) {
    answer.given_efforts = true;
    answer.efforts = drive_values("--efforts", *options.efforts, answer.drives.effort_entries());
    answer.platform = dynamics.forward(answer.pose, V, answer.efforts, *load);
    PlatformMotion motion(platform);
    platform.inverse(answer.pose, V, answer.platform, motion);
    answer.accelerations = motion.accelerations();
    dynamics.inverse(answer.pose, V, answer.platform, *load);
  } else {
    answer.efforts = dynamics.inverse(answer.pose, V, A, *load);
    answer.accelerations = dynamics.motion().accelerations();
  }
  const PlatformMotion& motion = dynamics.motion();
  answer.q = motion.q();
  answer.rates = motion.rates();
  answer.jacobian = platform.jacobian(motion);
  answer.basis = platform.basis();
  answer.held = singularity(platform, motion, answer.pose);
  require_finite(answer.efforts, "an effort");
  if (options.stiffness) {
    const Eigen::VectorXd each = for_each_drive("--stiffness", *options.stiffness, answer.drives);
    answer.stiffness = stiffness(platform, motion, each);
    if (!wrenches.empty()) {
      // Loads change it: by the potential of the whole robot.
      const ParallelRobot robot(model, {drive_speeds(model, platform), -1});
      answer.stiffness = ParallelDynamics(robot).stiffness(
          platform_posture(model, platform, answer.pose), each, wrenches);
    }
  }
  if (options.quality) add_quality(platform, options, answer);
  if (options.working_modes) answer.modes = working_modes(platform, answer.pose);
  print_answer(answer, options.json);
  return 0;
}

int run(const Options& options) {
  if (is_experiment_file(options.robot)) return run_platform_path(options);
  const Model model = load(options);
  const PlatformData* data = model.platform();
  if (!data || options.actuated || options.body) return run_general_platform(model, options);
  const Platform platform(*data);
  if (platform.legs() < platform.dof()) return run_general_platform(model, options);
  if (options.slice.given())
    return run_slice(platform, pose_from(data->home, options.pose, data->platform_body),
                     options.slice, options.json);
  if (options.drives) return run_direct(platform, options);
  return run_pose(model, platform, options);
}

}  // namespace
}  // namespace ulna::cli::platform_detail

namespace ulna::cli {

void print_proven_poses(PlatformPoses poses, const std::vector<bool>& within_limits, bool json) {
  using namespace platform_detail;
  const FoundPoses found = proven_poses(std::move(poses));
  json ? print_poses_json(found, within_limits) : print_poses(found, within_limits);
}

Command add_platform(CLI::App& program) {
  auto options = std::make_shared<PlatformOptions>();
  CLI::App* app = add_robot_command(
      program, "platform", "Poses, drives, forces, stiffness and workspace of a parallel robot",
      platform_detail::examples, *options);
  add_pose_options(*app, options->pose);
  add_text(*app, "--twist", options->twist, "WX,WY,WZ,VX,VY,VZ",
           "Twist of the platform at its origin, world axes (default: zero)");
  add_text(*app, "--acceleration", options->acceleration, "WX,...,VZ",
           "Angular acceleration and acceleration of its origin (default: zero)");
  add_texts(*app, "--wrench", options->wrenches, "[BODY[@FRAME]:]FX,FY,FZ[,MX,MY,MZ]",
            "External force (N) and moment (N m) on the platform or another body; may be repeated");
  add_text(*app, "--efforts", options->efforts, "E1,... or NAME=E,...",
           "Efforts of the drives; gives the acceleration of the platform");
  add_text(*app, "--stiffness", options->stiffness, "K or K1,K2,...",
           "Stiffness of the drives (N/m, N m/rad); adds that of the platform, with the loads of "
           "--wrench");
  add_flag(
      *app, "--quality", options->quality,
      "Add dexterity, speeds and forces in every direction, errors and the nearest singular pose");
  add_text(*app, "--speed-limit", options->speed_limit, "V or V1,V2,...",
           "Largest rate of the drives for --quality (default: those of the robot, or 1)");
  add_text(*app, "--effort-limit", options->effort_limit, "F or F1,F2,...",
           "Largest effort of the drives for --quality (default: those of the robot, or 1)");
  add_text(*app, "--errors", options->errors, "E or E1,E2,...",
           "Errors of the drives for --quality; adds those of the platform");
  add_flag(*app, "--working-modes", options->working_modes,
           "Add all crank angles that reach the pose");
  add_text(*app, "--actuated", options->actuated, "NAME,...",
           "Actuated joints: any joints of the robot, at least one for each degree of freedom");
  add_text(*app, "--body", options->body, "NAME", "Body that is the platform");
  add_text(*app, "--drives", options->drives, "L1,L2,...",
           "Leg lengths or crank angles: finds the pose, starting from --position");
  add_flag(*app, "--all", options->all, "With --drives: list every pose, each proven to exist");
  add_flag(*app, "--continuation", options->continuation,
           "With --drives: stay on the branch of the start");
  add_text(*app, "--starts", options->starts, "N",
           "With --all: search from this number of random starts instead");
  add_text(*app, "--seed", options->seed, "N", "Seed of the random starts (default: 1)");
  add_flag(*app, "--ignore-limits", options->ignore_limits,
           "Accept poses out of stroke or with legs that touch");
  add_slice_options(*app, options->slice);
  return {app, [options] { return platform_detail::run(*options); }};
}

}  // namespace ulna::cli
