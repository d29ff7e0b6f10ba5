#pragma once
// The motions of an experiment as coordinates, speeds and accelerations of the whole robot. Joints
// without a motion stay at their start. Roll, pitch and yaw of spherical and free joints become
// quaternions and angular velocities: docs/theory/simulation.md, eq. 8, 9.

#include "ulna/simulation/experiment.hpp"

namespace ulna {

/// The motion counts: that of a joint which an event has locked waits until it is free again.
inline bool leads(const Drive& drive) {
  return !drive.motion.empty() && drive.kind != DriveKind::locked;
}

class ULNA_API Reference {
 public:
  explicit Reference(const Experiment& experiment);

  /// Fills q, v and a; allocates nothing.
  void update(double t);
  /// From q to the reference in the tangent.
  void error_from(const Eigen::VectorXd& q, Eigen::VectorXd& error) const;
  bool empty() const { return joints_.empty(); }
  /// Where the joints of the robot with rigid links ought to be at t: the target of the experiment,
  /// or the reference itself.
  Eigen::VectorXd target(double t) const;

  Eigen::VectorXd q, v, a;

 private:
  struct Item {
    const Joint* joint;
    std::vector<ScalarMotionPtr> motion;
    const TangentBlock* quaternion;  ///< of the joint, or null
  };
  const TangentBlock* quaternion_of(std::size_t joint) const;
  std::shared_ptr<const Model> model_;
  std::vector<Item> joints_;
  std::vector<ScalarMotionPtr> modes_, target_;
};

}  // namespace ulna
