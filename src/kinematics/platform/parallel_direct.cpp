#include "ulna/kinematics/parallel_direct.hpp"

#include <fmt/format.h>

#include "ulna/kinematics/frame_motion.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

/// The platform's freedoms for rates of the drives; idle freedoms that move drives move along.
Eigen::VectorXd freedoms_for(const ParallelRobot& robot, const ParallelRates& at,
                             const Eigen::VectorXd& q, const Eigen::VectorXd& rates) {
  if (rates.size() != at.J.rows())
    throw InputError(
        fmt::format("{} rates of drives for robot '{}'", rates.size(), robot.model().name()),
        fmt::format("{}", at.J.rows()));
  const Pose<double> pose = robot.pose(q);
  const PlatformSingularity held = robot.singularity(at, pose);
  if (!(held.condition < 1e9))
    throw ComputationError(
        fmt::format("robot '{}' is singular at {}: its drives do not determine the motion of body "
                    "'{}'",
                    robot.model().name(), pose_text(pose),
                    robot.model().bodies()[robot.body()].name),
        held.condition);
  Eigen::MatrixXd D(at.J.rows(), at.J.cols() + at.J_idle.cols());
  D << at.J, at.J_idle;
  return dense::LeastNorm(D, 1e-10).solve(rates).head(at.dof());
}

}  // namespace

Twist<double> direct_twist(const ParallelRobot& robot, const Eigen::VectorXd& q,
                           const Eigen::VectorXd& rates) {
  const ParallelRates at = robot.rates(q);
  return Twist<double>::from_vector(at.basis * freedoms_for(robot, at, q, rates));
}

Twist<double> direct_acceleration(const ParallelRobot& robot, const Eigen::VectorXd& q,
                                  const Twist<double>& twist,
                                  const Eigen::VectorXd& accelerations) {
  const ParallelRates at = robot.rates(q);
  // What the speeds alone bring, and what the drives add to it.
  const ParallelRobot::Motion alone = robot.motion(q, twist, Twist<double>{});
  Workspace work(robot.model());
  update_motions(robot.model(), work, q, alone.v, alone.a);
  const Vector6<double> rest = frame_acceleration(robot.model(), work, robot.body()).vector();
  if (accelerations.size() != alone.drive_accelerations.size())
    throw InputError(fmt::format("{} accelerations of drives for robot '{}'", accelerations.size(),
                                 robot.model().name()),
                     fmt::format("{}", alone.drive_accelerations.size()));
  const Eigen::VectorXd x = freedoms_for(robot, at, q, accelerations - alone.drive_accelerations);
  return Twist<double>::from_vector(rest + at.basis * x);
}

}  // namespace ulna
