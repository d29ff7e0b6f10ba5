#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "commands/platform_slice.hpp"
#include "options/pose_options.hpp"
#include "options/robot_options.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/platform_dynamics.hpp"
#include "ulna/kinematics/platform_direct.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/kinematics/platform_singularity.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna::cli::platform_detail {
namespace {

constexpr const char* examples = R"(  ulna platform ddts --position 3.5,0,0 --turn=-30deg,0,0
  ulna platform ddts --twist 0,0,0,1,0,0 --acceleration 0,0,0,0,0,2 --gravity 0,0,0 --json
  ulna platform stewart-6-6 --drives 0.6,0.6,0.62,0.6,0.6,0.58
  ulna platform stewart-6-6 --drives 0.6,0.6,0.62,0.6,0.6,0.58 --all
  ulna platform delta --slice x=-0.5:0.5,z=-0.9:-0.3 -o delta.svg

A pose gives the drives, their rates and accelerations in closed form, the efforts for the
acceleration with full legs, how well the drives hold the platform, and its stiffness. Drives give
the pose (--all: every pose that random starts find). --slice looks where the platform can stand.
Exit status 1: a leg out of reach or stroke, legs that touch, a singular pose; reason and pose are
named.)";

struct Options : RobotOptions {
  PoseOptions pose;
  VectorOption twist, acceleration, drives, stiffness;
  std::optional<std::string> starts, seed;
  SliceOptions slice;
  bool all = false, ignore_limits = false, continuation = false;
};

std::vector<std::string> leg_names(const Platform& platform) {
  std::vector<std::string> names;
  for (const PlatformLeg& leg : platform.data().legs) names.push_back(leg.name);
  return names;
}
std::vector<Entry> leg_entries(const Platform& platform, bool stiffness = false) {
  std::vector<Entry> entries;
  for (const PlatformLeg& leg : platform.data().legs)
    entries.push_back({leg.name, stiffness                     ? Dimension::number
                                 : leg.kind == LegKind::slider ? Dimension::length
                                                               : Dimension::angle});
  return entries;
}

Json pose_json(const Pose<double>& pose) {
  return {{"position", to_json(pose.position)},
          {"rotation", to_json(quaternion_from_rotation(pose.rotation))}};
}

DirectPoses poses_of(const Platform& platform, const Eigen::VectorXd& drives,
                     const Options& options) {
  if (options.all) {
    DirectSearch search;
    if (options.starts) search.starts = parse_count("--starts", *options.starts, 1);
    if (options.seed) search.seed = static_cast<unsigned>(parse_count("--seed", *options.seed, 0));
    return direct_all(platform, drives, search);
  }
  const Pose<double> start = pose_from(platform, options.pose);
  DirectPoses found;
  found.poses.push_back(options.continuation ? direct_by_continuation(platform, drives, start)
                                             : direct(platform, drives, start));
  found.starts = found.converged = found.least_hits = 1;
  return found;
}

/// `within_limits`: of each pose.
void print_poses_json(const DirectPoses& found, const std::vector<bool>& within_limits) {
  Json out = json_object();
  out["poses"] = Json::array();
  for (std::size_t k = 0; k < found.poses.size(); ++k) {
    Json pose = pose_json(found.poses[k].pose);
    pose["gap"] = found.poses[k].gap;
    pose["iterations"] = found.poses[k].iterations;
    pose["within_limits"] = static_cast<bool>(within_limits[k]);
    out["poses"].push_back(pose);
  }
  out["found"] = found.poses.size();
  out["starts"] = found.starts;
  out["converged"] = found.converged;
  out["least_hits"] = found.least_hits;
  print_json(out);
}

void print_poses(const DirectPoses& found, const std::vector<bool>& within_limits, bool all) {
  Eigen::MatrixXd rows(found.poses.size(), 7);
  for (std::size_t k = 0; k < found.poses.size(); ++k) {
    const Pose<double>& pose = found.poses[k].pose;
    rows.row(static_cast<Eigen::Index>(k)) << pose.position.transpose(),
        quaternion_from_rotation(pose.rotation).transpose();
  }
  print(Table().matrix({"x", "y", "z", "qw", "qx", "qy", "qz"}, rows).text());
  print(fmt::format("\n{} pose{} from {} start{}, {} iterations for the first\n",
                    found.poses.size(), found.poses.size() == 1 ? "" : "s", found.starts,
                    found.starts == 1 ? "" : "s",
                    found.poses.empty() ? 0 : found.poses[0].iterations));
  if (const auto out = std::count(within_limits.begin(), within_limits.end(), false))
    print(fmt::format("  {} of them out of stroke, or with legs that touch\n", out));
  if (all && found.least_hits == 1)
    print("  the rarest was met once: more --starts may find others\n");
}

int run_direct(const Platform& platform, const Options& options) {
  const Eigen::VectorXd drives = parse_vector("--drives", *options.drives, leg_entries(platform));
  const DirectPoses found = poses_of(platform, drives, options);
  PoseChecker checker(platform, options.slice.limits());
  if (!options.all && !options.ignore_limits) checker.require(found.poses[0].pose);
  std::vector<bool> within_limits;
  for (const DirectPose& p : found.poses)
    within_limits.push_back(checker.text(checker.check(p.pose), p.pose).empty());
  options.json ? print_poses_json(found, within_limits)
               : print_poses(found, within_limits, options.all);
  if (!found.poses.empty()) return 0;
  error(fmt::format("no pose of platform '{}' was found for these drives", platform.data().name));
  return 1;
}

/// What --stiffness says of the drives: one number for all, or one for each.
Eigen::VectorXd drive_stiffness(const Platform& platform, const std::string& text) {
  if (text.find(',') != std::string::npos)
    return parse_vector("--stiffness", text, leg_entries(platform, true));
  return Eigen::VectorXd::Constant(platform.legs(), parse_number("--stiffness", text));
}

/// What there is to say about a pose.
struct PoseAnswer {
  Pose<double> pose;
  const PlatformMotion& motion;
  Eigen::VectorXd efforts;
  PlatformSingularity held;
  std::optional<Matrix6<double>> stiffness;
};

void print_answer_json(const Platform& platform, const PoseAnswer& answer) {
  Json out = json_object();
  out["pose"] = pose_json(answer.pose);
  out["legs"] = leg_names(platform);
  out["drives"] = to_json(answer.motion.q());
  out["rates"] = to_json(answer.motion.rates());
  out["accelerations"] = to_json(answer.motion.accelerations());
  out["efforts"] = to_json(answer.efforts);
  out["jacobian"] = matrix_to_json(platform.jacobian(answer.motion));
  out["determinant"] = answer.held.determinant;
  out["condition"] = answer.held.condition;
  out["worst_screw"] = to_json(answer.held.screw.vector());
  if (answer.stiffness) out["stiffness"] = matrix_to_json(*answer.stiffness);
  print_json(out);
}

void print_answer(const Platform& platform, const PoseAnswer& answer) {
  std::vector<std::string> units;
  for (const PlatformLeg& leg : platform.data().legs)
    units.emplace_back(leg.kind == LegKind::slider ? "m, N" : "rad, N m");
  print(Table()
            .words("leg", leg_names(platform))
            .numbers("drive", answer.motion.q())
            .numbers("rate", answer.motion.rates())
            .numbers("acceleration", answer.motion.accelerations())
            .numbers("effort", answer.efforts)
            .words("unit", units)
            .text());
  print(fmt::format("\n  {}\n", pose_text(answer.pose)));
  print(fmt::format("  condition {}, determinant {}\n", number_text(answer.held.condition),
                    number_text(answer.held.determinant)));
  print(fmt::format("  held worst along the twist {} (rotation first)\n",
                    numbers_text(answer.held.screw.vector())));
  if (!answer.stiffness) return;
  print(heading("\nstiffness, rotation first (N m/rad, N/rad, N/m)"));
  print(matrix_text(*answer.stiffness));
}

int run_pose(const Model& model, const Platform& platform, const Options& options) {
  const Pose<double> pose = pose_from(platform, options.pose);
  const Twist<double> V = twist_from("--twist", options.twist, "/s"),
                      A = twist_from("--acceleration", options.acceleration, "/s^2");
  platform.require_possible(V, "twist");
  platform.require_possible(A, "acceleration");
  if (!options.ignore_limits) PoseChecker(platform, options.slice.limits()).require(pose);
  PlatformDynamics dynamics(platform, model);
  const Eigen::VectorXd efforts = dynamics.inverse(pose, V, A);
  const PlatformMotion& motion = dynamics.motion();
  PoseAnswer answer{pose, motion, efforts, singularity(platform, motion, pose), {}};
  require_finite(efforts, "an effort");
  if (options.stiffness)
    answer.stiffness = stiffness(platform, motion, drive_stiffness(platform, *options.stiffness));
  options.json ? print_answer_json(platform, answer) : print_answer(platform, answer);
  return 0;
}

int run(const Options& options) {
  const Model model = load(options);
  const Platform platform(platform_of(model));
  if (options.slice.given()) {
    return run_slice(platform, pose_from(platform, options.pose), options.slice, options.json);
  }
  if (options.drives) return run_direct(platform, options);
  return run_pose(model, platform, options);
}

}  // namespace
}  // namespace ulna::cli::platform_detail

namespace ulna::cli {

Command add_platform(CLI::App& program) {
  auto options = std::make_shared<platform_detail::Options>();
  CLI::App* app = add_robot_command(
      program, "platform", "Poses, drives, forces, stiffness and workspace of a parallel robot",
      platform_detail::examples, *options);
  add_pose_options(*app, options->pose);
  add_text(*app, "--twist", options->twist, "WX,WY,WZ,VX,VY,VZ",
           "Of the platform at its origin, world axes; zero when absent");
  add_text(*app, "--acceleration", options->acceleration, "WX,...,VZ",
           "Angular acceleration and acceleration of its origin; zero when absent");
  add_text(*app, "--stiffness", options->stiffness, "K or K1,K2,...",
           "Of the drives (N/m, N m/rad): adds the platform's stiffness");
  add_text(*app, "--drives", options->drives, "L1,L2,...",
           "Lengths or crank angles: finds the pose, from --position ... as start");
  add_flag(*app, "--all", options->all, "With --drives: every pose that random starts find");
  add_flag(*app, "--continuation", options->continuation,
           "With --drives: follow the branch of the start");
  add_text(*app, "--starts", options->starts, "N", "Random starts of --all (10000)");
  add_text(*app, "--seed", options->seed, "N", "Their seed (1)");
  add_flag(*app, "--ignore-limits", options->ignore_limits,
           "Answer for poses out of stroke or with legs that touch");
  add_slice_options(*app, options->slice);
  return {app, [options] { return platform_detail::run(*options); }};
}

}  // namespace ulna::cli
