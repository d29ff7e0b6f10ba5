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
#include "ulna/model/model.hpp"
#include "ulna/spatial/wrench.hpp"

namespace ulna {

class ULNA_API PlatformDynamics {
 public:
  /// InputError where the platform has force elements.
  explicit PlatformDynamics(const Platform& platform);
  /// With the force elements of the robot that the platform is of (eq. 23).
  PlatformDynamics(const Platform& platform, const Model& model);

  /// Efforts of the drives for an acceleration of the platform, under an external wrench on it
  /// (world axes, at its origin). More drives than freedoms: minimum-norm efforts. InputError for
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
  /// The external wrench with what the force elements exert.
  Vector6<double> loads(const Pose<double>& pose, const Twist<double>& twist,
                        const Wrench<double>& external) const;

  const Platform& platform_;
  const Model* model_ = nullptr;  ///< where there are force elements
  PlatformMotion motion_;
  Eigen::VectorXd efforts_;
};

/// What the force elements exert on the platform at its origin, in world axes: the wrench whose
/// work for each twist is that of the elements along the rates of all joints. eq. 23
ULNA_API Wrench<double> element_load(const Model& model, const Platform& platform,
                                     const VectorRef& q, const VectorRef& v);

}  // namespace ulna
