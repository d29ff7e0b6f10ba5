#pragma once
// Every pose of a platform for given drives, each with a proof: solutions of the line equations in
// Study's coordinates, found by continuation from a generic set of lengths, whose solutions come
// from one of them by monodromy; a Krawczyk test in interval arithmetic then proves that exactly
// one solution lies in a small box, and whether it is real. docs/theory/platforms.md, section 8.
//
//   PlatformPoses poses(platform, drives);
//   poses.poses[0].pose;  // the nearest to home
//
// A general hexapod has 40 solutions, one with three joints on its platform 16, one on three legs
// with a hinge each (3-RPS) 16, a planar platform
// 6, one that only shifts 2; special geometries have fewer, and some solutions are complex.
// Complete means that as many solutions were proven to exist, and to be different, as the geometry
// has for generic lengths; where that number is also the bound, none can be missing. Below a second
// for six legs.

#include <optional>

#include "ulna/kinematics/parallel_robot.hpp"
#include "ulna/kinematics/platform_kinematics.hpp"

namespace ulna {

struct ProvenPose {
  Pose<double> pose;
  bool certified = false;                      ///< exactly one pose lies within these bounds of it
  double position_bound = 0, angle_bound = 0;  ///< metres, radians
  double gap = 0;                              ///< largest error of a leg's length, metres
};

struct PlatformPoses {
  std::vector<ProvenPose> poses;  ///< the real ones, the nearest to home first
  int degree = 0;                 ///< solutions for generic lengths, complex ones included
  int bound = 0;                  ///< how many there can be at most
  int complex = 0;                ///< proven solutions that are not real
  int singular = 0;               ///< continuations that ended at a multiple solution
  int infinite = 0;               ///< and at infinity
  bool complete = false;
};

/// InputError where there are not as many drives as freedoms.
ULNA_API PlatformPoses platform_poses(const Platform& platform, const Eigen::VectorXd& drives);

/// The same for any parallel robot of which each leg, with its drives held, has one passive joint
/// before the ball at the platform: a hinge (3-RPS, 3-PRS, 3-RRS), a ball or a universal joint. The
/// point is then on a circle or on a sphere. None for other legs.
ULNA_API std::optional<PlatformPoses> parallel_poses(const ParallelRobot& robot,
                                                     const Eigen::VectorXd& drives);

}  // namespace ulna
