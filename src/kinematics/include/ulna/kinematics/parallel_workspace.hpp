#pragma once
// Where any parallel robot can stand: reach, limits of its joints, singular poses
// (docs/theory/platforms.md, section 9), at one pose and over slices. As platform_workspace.hpp
// does for platforms with closed form; angles of balls and legs that touch are not looked at.

#include "ulna/kinematics/parallel_robot.hpp"
#include "ulna/kinematics/platform_quality.hpp"

namespace ulna {

/// Limits of the joints and how well the drives hold the platform, wherever it stands.
ULNA_API PoseCheck check_joints(const ParallelRobot& robot, const ParallelPosture& posture,
                                const PlatformLimits& limits = {});
/// A posture that `robot` found. `leg` is the coordinate beyond its limits. Of the limits only
/// worst_condition counts.
ULNA_API PoseCheck check_posture(const ParallelRobot& robot, const ParallelPosture& posture,
                                 const PlatformLimits& limits = {});
/// The posture of a pose, on the branch of home.
ULNA_API PoseCheck check_pose(const ParallelRobot& robot, const Pose<double>& pose,
                              const PlatformLimits& limits = {});
/// What is wrong, in words with the pose; empty for a good pose.
ULNA_API std::string check_text(const ParallelRobot& robot, const PoseCheck& check,
                                const Pose<double>& pose);

/// A slice with its curves of singular poses.
struct ParallelSlice {
  WorkspaceSlice slice;
  std::vector<LocusPiece> singular;
};
/// The two coordinates of the slice are held. Of a platform with fewer than six freedoms, the
/// others are as near to the middle pose as these allow (PoseCheck::beside); six freedoms hold the
/// pose. Poses are reached from the middle one by continuity, from neighbour to neighbour.
/// InputError for empty ranges or the same axis twice.
ULNA_API ParallelSlice parallel_slice(const ParallelRobot& robot, const Pose<double>& middle,
                                      const std::array<SliceRange, 2>& ranges,
                                      const PlatformLimits& limits = {});
ULNA_API WorkspaceSlice workspace_slice(const ParallelRobot& robot, const Pose<double>& middle,
                                        const std::array<SliceRange, 2>& ranges,
                                        const PlatformLimits& limits = {});

}  // namespace ulna
