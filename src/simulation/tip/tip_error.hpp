#pragma once
// How far a frame of a flexible robot is from where the robot with rigid links would have it.

#include "ulna/kinematics/kinematics.hpp"

namespace ulna {

class TipError {
 public:
  explicit TipError(const Model& model);

  /// x, y, z or distance of the frame from its target; poses of the robot are in `work`, `target`
  /// are the coordinates of the joints.
  double component(const Workspace& work, int frame, const Eigen::VectorXd& target, int index);
  /// From the frame to its target.
  Vector3<double> missing(const Workspace& work, int frame, const Eigen::VectorXd& target);
  /// The same as displacements of the joints, by the Jacobian of the target posture: least squares,
  /// and small where the posture is singular.
  Eigen::VectorXd missing_at_joints(const Workspace& work, int frame,
                                    const Eigen::VectorXd& target);

 private:
  const Model& model_;
  Model rigid_;
  Workspace work_;
};

}  // namespace ulna
