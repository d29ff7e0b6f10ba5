#pragma once
// Rates of any parallel robot the direct way: the twist of its platform from the rates of its
// drives, and its acceleration from theirs (docs/theory/platforms.md, section 9). As
// platform_direct.hpp does for platforms with closed form. Redundant drives whose values do not fit
// each other are met in the sense of least squares.

#include "ulna/kinematics/parallel_robot.hpp"

namespace ulna {

/// At a posture that closes the loops. ComputationError where the drives do not hold the platform.
ULNA_API Twist<double> direct_twist(const ParallelRobot& robot, const Eigen::VectorXd& q,
                                    const Eigen::VectorXd& rates);
ULNA_API Twist<double> direct_acceleration(const ParallelRobot& robot, const Eigen::VectorXd& q,
                                           const Twist<double>& twist,
                                           const Eigen::VectorXd& accelerations);

}  // namespace ulna
