#pragma once
// Between a platform and the ordinary robot it was read from: the coordinates of all joints at a
// pose, their speeds and accelerations; so that everything that works on robots with loops works on
// platforms.

#include "ulna/kinematics/platform_kinematics.hpp"
#include "ulna/model/model.hpp"

namespace ulna {

/// All coordinates of the robot at a pose of its platform, loops closed to rounding. `platform`
/// must be that of model.robot(). ComputationError where a leg cannot reach.
ULNA_API Eigen::VectorXd platform_posture(const Model& model, const Platform& platform,
                                          const Pose<double>& pose);

/// The platform's twist (or acceleration) as the speeds of its floating joint, which has them in
/// other axes, and all others that follow from the loops.
struct PlatformRates {
  Eigen::VectorXd v, a;
};
ULNA_API PlatformRates platform_rates(const Model& model, const Platform& platform,
                                      const Eigen::VectorXd& q, const Twist<double>& twist,
                                      const Twist<double>& acceleration);

/// The platform's pose in a posture of the robot.
ULNA_API Pose<double> platform_pose(const Model& model, const Platform& platform,
                                    const Eigen::VectorXd& q);

/// The speeds of the drives, in the order of the legs: indices of Model's speeds.
ULNA_API std::vector<int> drive_speeds(const Model& model, const Platform& platform);

/// Spins of rods and telescopes between two balls, which nothing drives and which move nothing
/// else: the name of a body of each. They count in the mobility of the ordinary robot.
ULNA_API std::vector<std::string> idle_spins(const Robot& robot);

}  // namespace ulna
