#pragma once
// Efforts of the drives of any parallel robot (kinematics/parallel_robot.hpp), its acceleration
// under efforts, and its stiffness under load, from the equations of its loops
// (docs/theory/platforms.md, section 9). Idle freedoms move as the masses let them.

#include <memory>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/kinematics/parallel_robot.hpp"

namespace ulna {

class Dynamics;

class ULNA_API ParallelDynamics {
 public:
  explicit ParallelDynamics(const ParallelRobot& robot);
  ~ParallelDynamics();

  /// Efforts of the drives for a motion of the platform. Redundant drives: those of least norm.
  /// ComputationError where the drives do not hold the platform.
  Eigen::VectorXd inverse(const Eigen::VectorXd& q, const ParallelRobot::Motion& motion,
                          ExternalWrenches wrenches = {});

  /// Under efforts of the drives: accelerations of all speeds, and that of the platform.
  struct Acceleration {
    Eigen::VectorXd a;
    Twist<double> platform;
    Eigen::VectorXd drives;
  };
  Acceleration forward(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                       const Eigen::VectorXd& efforts, ExternalWrenches wrenches = {});

  /// Wrench over small displacement of the platform, 6 x 6 (rotation first, world axes at its
  /// origin), from the stiffness of the drives and the loads that they hold: weights, springs and
  /// forces on the platform that keep their direction. eq. 32
  Matrix6<double> stiffness(const Eigen::VectorXd& q, const Eigen::VectorXd& drive_stiffness,
                            ExternalWrenches wrenches = {});

 private:
  /// Potential of weights and springs, less the work of the drives' efforts and of the wrenches.
  double potential(const Eigen::VectorXd& q, const Eigen::VectorXd& from,
                   const Eigen::VectorXd& efforts, const Eigen::VectorXd& values,
                   const Eigen::VectorXd& stiffness, ExternalWrenches wrenches);

  const ParallelRobot& robot_;
  std::unique_ptr<Dynamics> dynamics_;
};

}  // namespace ulna
