#pragma once
// Damped Newton steps to a target pose for robots whose coordinates are numbers, without loops:
// nothing allocates. Fast, and gives up early where the bounded search would go on.
// docs/theory/inverse-kinematics.md, eq. 4.

#include "ulna/kinematics/inverse_kinematics.hpp"

namespace ulna {

class QuickPose {
 public:
  QuickPose(const Model& model, Workspace& work, const InverseKinematicsTarget& target);

  /// Whether the steps apply: as many freedoms as the target fixes, all of them numbers. Loops and
  /// obstacles are the caller's to rule out (PoseError::pose_only).
  bool applies() const { return applies_; }
  /// Moves q to the target, within the limits. True when |r| <= tolerance, which `residual` has.
  bool search(Eigen::VectorXd& q, double tolerance, double& residual);

 private:
  void step(const Vector6<double>& r, const Eigen::VectorXd& q);

  const Model& model_;
  Workspace& work_;
  const InverseKinematicsTarget& target_;
  bool applies_;
  Jacobian J_;
  Eigen::VectorXd dq_;
};

}  // namespace ulna
