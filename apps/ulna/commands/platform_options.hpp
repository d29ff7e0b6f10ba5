#pragma once
// The options of `ulna platform`, and how it prints poses: one text for robots with closed form
// (platform.cpp) and for any other parallel robot (platform_general.cpp).

#include "commands/platform_slice.hpp"
#include "options/pose_options.hpp"
#include "options/robot_options.hpp"
#include "output/json_output.hpp"
#include "ulna/kinematics/platform_poses.hpp"
#include "ulna/kinematics/platform_quality.hpp"
#include "ulna/kinematics/platform_singularity.hpp"
#include "ulna/spatial/wrench.hpp"

namespace ulna::cli {

struct PlatformOptions : RobotOptions {
  PoseOptions pose;
  VectorOption twist, acceleration, drives, stiffness, efforts, errors;
  std::optional<std::string> starts, seed, actuated, body, speed_limit, effort_limit;
  std::vector<std::string> wrenches;
  SliceOptions slice;
  bool all = false, ignore_limits = false, continuation = false, quality = false,
       working_modes = false;
};

/// The drives of a robot: names and what their coordinates measure.
struct DriveList {
  std::vector<std::string> names;
  std::vector<Dimension> dimensions;
  std::vector<std::string> units() const;  ///< "m, N"
  std::vector<Entry> entries() const;
  std::vector<Entry> effort_entries() const;
  int size() const { return static_cast<int>(names.size()); }
};

/// One number for all drives, or one for each.
Eigen::VectorXd for_each_drive(const char* option, const std::string& text,
                               const DriveList& drives);
/// All values in order, or some by name; the others are zero.
Eigen::VectorXd drive_values(const char* option, const std::string& text,
                             const std::vector<Entry>& entries);

/// --wrench texts with the platform for the body where none is named.
std::vector<std::string> wrenches_on(const std::string& body,
                                     const std::vector<std::string>& texts);

/// What there is to say about a pose.
struct PoseAnswer {
  Pose<double> pose;
  DriveList drives;
  Eigen::VectorXd q, rates, accelerations, efforts;
  bool given_efforts = false;  ///< then `platform` is what they give
  Twist<double> platform;      ///< acceleration
  Eigen::MatrixXd jacobian;
  Eigen::Matrix<double, 6, Eigen::Dynamic> basis;
  PlatformSingularity held;
  std::optional<Matrix6<double>> stiffness;
  std::optional<PlatformQuality> quality;
  std::optional<NearestSingularity> nearest;
  bool unit_speeds = false, unit_efforts = false;  ///< limits that are not given count as 1
  std::optional<WorkingModes> modes;
  std::vector<std::string> notes;
  bool chosen_drives = false;
};
void print_answer(const PoseAnswer& answer, bool json);

/// Limits of the drives for --quality: those of the options, of the robot, or one of each.
DriveCapability drive_capability(const PlatformOptions& options, const DriveList& drives,
                                 const Eigen::VectorXd& speed_limits,
                                 const Eigen::VectorXd& effort_limits, PoseAnswer& answer);

Json pose_json(const Pose<double>& pose);
/// Every pose for given drives, as their proofs and their count say.
void print_proven_poses(PlatformPoses poses, const std::vector<bool>& within_limits, bool json);
/// Any parallel robot, by its loops.
int run_general_platform(const Model& model, const PlatformOptions& options);
/// `ulna platform EXPERIMENT`: condition and distance to the nearest singular pose along a motion.
int run_platform_path(const PlatformOptions& options);

}  // namespace ulna::cli
