#pragma once
// The lines of a platform's legs for given drives: their ends on the base side, and their lengths.

#include "ulna/kinematics/platform_kinematics.hpp"

namespace ulna {

struct LegLines {
  std::vector<Vector3<double>> E;
  std::vector<double> length;
  /// The largest error of a line's length at a pose.
  double gap(const Platform& platform, const Pose<double>& pose) const;
};
/// InputError for another number of drives, or lengths that are not positive.
LegLines leg_lines(const Platform& platform, const Eigen::VectorXd& drives);

/// The larger of the way between two origins, and the norm of the difference of rotations.
double pose_distance(const Pose<double>& a, const Pose<double>& b);

}  // namespace ulna
