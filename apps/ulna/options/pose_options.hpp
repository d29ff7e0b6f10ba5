#pragma once
// The pose of a platform from the command line: --position and --rotation (a quaternion) in the
// world, or --turn, a rotation vector from the home orientation; what is absent is as at home.

#include "options/state_options.hpp"
#include "ulna/kinematics/platform_kinematics.hpp"

namespace CLI {
class App;
}

namespace ulna::cli {

struct PoseOptions {
  VectorOption position, rotation, turn;
  bool given() const { return position || rotation || turn; }
};

void add_pose_options(CLI::App& command, PoseOptions& options);
Pose<double> pose_from(const Pose<double>& home, const PoseOptions& options);

/// Six numbers, rotation first, named by `option`; zero when absent.
Twist<double> twist_from(const char* option, const VectorOption& text, const char* rate);

}  // namespace ulna::cli
