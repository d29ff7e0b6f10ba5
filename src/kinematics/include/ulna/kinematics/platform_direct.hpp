#pragma once
// Direct kinematics of platforms: the pose from the drives, by Newton on the lengths of the legs'
// lines (docs/theory/platforms.md, eq. 9-10). From a start as near as the last pose of a smooth
// motion three or four iterations of about 0.5 us reach rounding. A general hexapod has up to 40
// real poses for one set of lengths; `direct_all` looks for them from random starts.

#include <vector>

#include "ulna/kinematics/platform_kinematics.hpp"

namespace ulna {

struct DirectPose {
  Pose<double> pose;
  int iterations = 0;
  double gap = 0;  ///< largest error of a leg's line, metres
};

/// Newton from a start. ComputationError with the pose reached and the leg that fits worst when it
/// does not converge, or where the platform is singular.
ULNA_API DirectPose direct(const Platform& platform, const Eigen::VectorXd& drives,
                           const Pose<double>& start);

/// From a known pose in steps of the drives, halved where Newton needs many iterations: stays on
/// the branch of the start. ComputationError with the pose where the branch ends.
ULNA_API DirectPose direct_by_continuation(const Platform& platform, const Eigen::VectorXd& drives,
                                           const Pose<double>& start);

struct DirectSearch {
  int starts = 10000;
  unsigned seed = 1;
  double distinct = 1e-6;  ///< poses closer than this (metres, radians) are one
};
struct DirectPoses {
  std::vector<DirectPose> poses;  ///< the nearest to home first
  int starts = 0, converged = 0;
  /// How often the pose that was found least often was found: 1 suggests that others are missing.
  int least_hits = 0;
};
ULNA_API DirectPoses direct_all(const Platform& platform, const Eigen::VectorXd& drives,
                                const DirectSearch& search = {});

/// The platform's twist from the rates of its drives, and its acceleration. ComputationError where
/// the platform is singular.
ULNA_API Twist<double> direct_twist(const Platform& platform, const Pose<double>& pose,
                                    const Eigen::VectorXd& rates);
ULNA_API Twist<double> direct_acceleration(const Platform& platform, const Pose<double>& pose,
                                           const Twist<double>& twist,
                                           const Eigen::VectorXd& accelerations);

}  // namespace ulna
