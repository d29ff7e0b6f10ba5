#pragma once
// What is left to a target: the error of the pose, the gaps of the loops and how deep the robot is
// in obstacles. docs/theory/inverse-kinematics.md, eq. 1-3.

#include "ulna/kinematics/inverse_kinematics.hpp"
#include "ulna/kinematics/loop_closure.hpp"

namespace ulna {

/// The rate of a rotation vector for an angular velocity, world axes: the inverse of the left
/// Jacobian of the exponential.
Matrix3<double> inverse_left_jacobian(const Vector3<double>& turn);

class PoseError {
 public:
  PoseError(const Model& model, const InverseKinematicsTarget& target,
            const std::vector<Obstacle>& obstacles);

  /// In world axes, rotation first when the target has one; then loops, then obstacles.
  void evaluate(const Eigen::VectorXd& q, Eigen::VectorXd& r, Eigen::MatrixXd* J);
  /// Whether the loops are closed at q, also where half a turn looks so.
  bool closed(const Eigen::VectorXd& q, double tolerance);
  /// What is deepest in an obstacle at q, in words; empty when nothing is.
  std::string in_obstacle(const Eigen::VectorXd& q);
  int rows() const { return static_cast<int>(held_.size()); }  ///< of the pose alone
  bool pose_only() const { return closure_.rows() + obstacles_.rows() == 0; }
  const Eigen::VectorXd& column_scale() const { return closure_.column_scale(); }
  Workspace& work() { return work_; }

 private:
  void add_rotation(const Pose<double>& X, Eigen::VectorXd& r, Eigen::MatrixXd* J) const;
  void add_loops(const Eigen::VectorXd& q, Eigen::VectorXd& r, Eigen::MatrixXd* J);

  const Model& model_;
  Workspace work_;
  const InverseKinematicsTarget& target_;
  std::vector<int> held_;  ///< rows of the pose
  LoopClosure closure_;
  ObstacleConstraint obstacles_;
};

}  // namespace ulna
