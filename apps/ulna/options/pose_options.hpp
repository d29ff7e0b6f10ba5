#pragma once
// A pose from the command line, in the form that is at hand: --position with --quaternion (or
// --rotation, its older name), --rpy, --axis-angle or --turn; --matrix, a 4x4 or 3x4 matrix by
// rows;
// --pose, a file with the JSON that `fk` or `platform` print. docs/command-line.md, "Poses".

#include "options/state_options.hpp"
#include "ulna/kinematics/platform_kinematics.hpp"

namespace CLI {
class App;
}

namespace ulna::cli {

struct PoseOptions {
  VectorOption position, rotation, quaternion, rpy, axis_angle, matrix, turn;
  std::optional<std::string> pose;
  bool given() const {
    return position || rotation || quaternion || rpy || axis_angle || matrix || turn || pose;
  }
};

/// What was typed of a pose.
struct TypedPose {
  std::optional<Vector3<double>> position;
  std::optional<Matrix3<double>> rotation;
};

/// All but --turn, which starts from a home pose. `whose`: "its origin", for the help.
void add_target_options(CLI::App& command, PoseOptions& options, const std::string& position_help,
                        const std::string& rotation_help);
/// InputError where two of them say the same. `frame`: the one to take from a file with several;
/// empty: there must be one only.
TypedPose typed_pose(const PoseOptions& options, const std::string& frame);

/// The same for a platform; what is absent is as at home.
void add_pose_options(CLI::App& command, PoseOptions& options);
/// `frame`: whose pose is taken from a file that has several.
Pose<double> pose_from(const Pose<double>& home, const PoseOptions& options,
                       const std::string& frame);

/// Six numbers, rotation first, named by `option`; zero when absent.
Twist<double> twist_from(const char* option, const VectorOption& text, const char* rate);

/// As pose_text, in degrees where that was asked for.
std::string shown_pose_text(const Pose<double>& pose);

}  // namespace ulna::cli
