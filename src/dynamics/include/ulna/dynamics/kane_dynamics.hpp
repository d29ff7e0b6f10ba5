#pragma once
// Kane's method on a model: every quantity of the method by name, and inverse and forward dynamics
// in a choice of generalized speeds. docs/theory/kane.md.

#include <memory>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/kinematics/speed_map.hpp"

namespace ulna {

/// Partial velocities of one body, a column per speed, in the axes of the body's own frame.
struct BodyPartials {
  Eigen::Matrix3Xd angular;                    ///< partial angular velocities
  Eigen::Matrix3Xd linear;                     ///< partial velocities of the body's frame origin
  Eigen::Matrix3Xd angular_rate, linear_rate;  ///< time derivatives of these components
};

class ULNA_API Kane {
 public:
  explicit Kane(const Model& model);
  ~Kane();
  Kane(const Kane&) = delete;
  Kane& operator=(const Kane&) = delete;

  /// Efforts for accelerations a, speeds being the joint rates; no inertia matrix is formed. Left
  /// here until the next call.
  const Eigen::VectorXd& inverse(Workspace& work, const VectorRef& q, const VectorRef& v,
                                 const VectorRef& a, ExternalWrenches wrenches = {});
  /// The same through the generalized forces of other speeds, brought back to the joints.
  Eigen::VectorXd inverse(Workspace& work, const VectorRef& q, const VectorRef& v,
                          const VectorRef& a, const SpeedMap& map, ExternalWrenches wrenches = {});
  /// Accelerations under efforts: F du/dt = K - Z by Cholesky. ComputationError naming the joint
  /// when F is singular.
  Eigen::VectorXd forward(Workspace& work, const VectorRef& q, const VectorRef& v,
                          const VectorRef& tau, const SpeedMap& map,
                          ExternalWrenches wrenches = {});

  /// Partial velocities of a body with respect to the speeds of the map, and their rates along v.
  BodyPartials partials(const VectorRef& q, const VectorRef& v, int body, const SpeedMap& map);
  /// The assembled matrix F(q), speeds being the joint rates.
  Eigen::MatrixXd matrix(Workspace& work, const VectorRef& q);
  /// The same in the speeds of the map, Y^-T F Y^-1.
  Eigen::MatrixXd matrix(Workspace& work, const VectorRef& q, const SpeedMap& map);
  /// Generalized active forces: gravity, damping, friction, springs and wrenches; without the
  /// efforts.
  Eigen::VectorXd active_forces(Workspace& work, const VectorRef& q, const VectorRef& v,
                                const SpeedMap& map, ExternalWrenches wrenches = {});
  /// Generalized inertia forces K* = -(F du/dt + Z).
  Eigen::VectorXd inertia_forces(Workspace& work, const VectorRef& q, const VectorRef& v,
                                 const VectorRef& a, const SpeedMap& map);
  /// The remainder Z: what velocities alone require.
  Eigen::VectorXd remainder(Workspace& work, const VectorRef& q, const VectorRef& v,
                            const SpeedMap& map);

 private:
  /// Efforts against gravity and wrenches at rest.
  Eigen::VectorXd holding_efforts(Workspace& work, const VectorRef& q, ExternalWrenches wrenches);

  struct Memory;
  const Model& model_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace ulna
