#pragma once
// How far a frame of a flexible robot is from where the robot with rigid links would have it. With
// loops that robot closes them: joints that are led have the coordinates of the target, and the
// others are those nearest to the posture of the flexible robot.

#include "run/led_joints.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {

class TipError {
 public:
  TipError(const Model& model, LedJoints led);

  /// x, y, z or distance of the frame from its target; poses of the robot at `q` are in `work`,
  /// `target` are the coordinates of the joints. ComputationError where the loops do not close.
  double component(const Workspace& work, int frame, const Eigen::VectorXd& q,
                   const Eigen::VectorXd& target, int index);
  /// From the frame to its target.
  Vector3<double> missing(const Workspace& work, int frame, const Eigen::VectorXd& q,
                          const Eigen::VectorXd& target);
  /// The same as displacements of the joints, by the Jacobian of the target posture: least squares,
  /// and small where the posture is singular. With loops those of the joints that are led.
  Eigen::VectorXd missing_at_joints(const Workspace& work, int frame, const Eigen::VectorXd& q,
                                    const Eigen::VectorXd& target);

 private:
  const Eigen::VectorXd& posture(const Eigen::VectorXd& q, const Eigen::VectorXd& target);
  Eigen::MatrixXd frame_rates(int frame);

  const Model& model_;
  Model rigid_;
  Dynamics dynamics_;  ///< of the rigid robot
  LedJoints led_;
  Eigen::VectorXd target_, posture_;
};

}  // namespace ulna
