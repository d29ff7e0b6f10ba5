#pragma once
// Dynamics of platforms with full legs, by Newton and Euler for each body in closed form: the
// fastest of the routes (docs/theory/platforms.md, eq. 14-22), about 1.5 us for six legs. The
// others, for comparison, are influence coefficients (coordinate_transfer.hpp) and the embedding of
// loops (loops.hpp) on the robot that platform_robot makes.
//
//   PlatformDynamics dynamics(platform);
//   const Eigen::VectorXd& forces = dynamics.inverse(pose, twist, acceleration);
//
// Rods with balls at both ends must be bodies of revolution; they do not spin.

#include "ulna/kinematics/platform_kinematics.hpp"
#include "ulna/spatial/wrench.hpp"

namespace ulna {

class ULNA_API PlatformDynamics {
 public:
  explicit PlatformDynamics(const Platform& platform);

  /// Efforts of the drives for an acceleration of the platform, under an external wrench on it
  /// (world axes, at its origin). More drives than freedoms: efforts of least norm. InputError for
  /// fewer; ComputationError with pose and screw where the platform is singular.
  const Eigen::VectorXd& inverse(const Pose<double>& pose, const Twist<double>& twist,
                                 const Twist<double>& acceleration,
                                 const Wrench<double>& external = {});

  /// The acceleration of the platform under given efforts.
  Twist<double> forward(const Pose<double>& pose, const Twist<double>& twist,
                        const Eigen::VectorXd& efforts, const Wrench<double>& external = {});

  /// On the platform's freedoms: mass matrix, and the efforts at zero acceleration.
  struct Equations {
    Eigen::MatrixXd mass;
    Eigen::VectorXd bias;
    Eigen::MatrixXd drives;  ///< dof x legs: efforts of the drives as efforts of the freedoms
  };
  Equations equations(const Pose<double>& pose, const Twist<double>& twist,
                      const Wrench<double>& external = {});

  /// Drives, rates and accelerations of the last `inverse`.
  const PlatformMotion& motion() const { return motion_; }
  const Platform& platform() const { return platform_; }

 private:
  /// What all bodies together need, as a wrench on the platform at its origin. eq. 20
  Vector6<double> required(const Pose<double>& pose, const Twist<double>& twist,
                           const Twist<double>& acceleration, const Vector3<double>& gravity);
  double passive(int leg) const;

  const Platform& platform_;
  PlatformMotion motion_;
  Eigen::VectorXd efforts_;
};

}  // namespace ulna
