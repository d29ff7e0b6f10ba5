#pragma once
// Kane's method on a model, a tree or one with loops: every quantity of the method by name, and
// inverse and forward dynamics in a choice of generalized speeds. docs/theory/kane.md.
//
//   ulna::Kane kane(model);
//   const ulna::KaneQuantities k = kane.quantities(work, q, v, a, {"body:C"});
//   k.F * k.u_dot + k.Z;                        // = -k.K_star = k.K
//
// Loops enter through the closed-loop map: partial velocities, forces and F are those that the
// loops leave, with respect to as many speeds as there are degrees of freedom.

#include <memory>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/kinematics/parts/speed_map.hpp"

namespace ulna {

/// Partial velocities of one body, a column per speed, in the axes of the body's own frame.
struct BodyPartials {
  Eigen::Matrix3Xd angular;  ///< partial angular velocities
  Eigen::Matrix3Xd linear;   ///< partial velocities of the body's frame origin
  Eigen::Matrix3Xd centre;   ///< partial velocities of its mass centre, payloads included
  /// What a moving y adds: omega = angular u + angular_rest, and so on.
  Vector3<double> angular_rest, linear_rest, centre_rest;
  /// Time derivatives of the components; empty with loops.
  Eigen::Matrix3Xd angular_rate, linear_rate, centre_rate;
};

/// K + K* = 0 at one state and its efforts.
struct KaneQuantities {
  std::vector<std::string> names;    ///< of the generalized speeds u
  Eigen::VectorXd u, u_dot;          ///< u = Y v + y and its rate
  Eigen::MatrixXd Y;                 ///< speeds u x speeds v
  Eigen::VectorXd y;                 ///< of formulas that hold time; else zero
  Eigen::MatrixXd B;                 ///< v = B (u - y)
  Eigen::MatrixXd F;                 ///< inertia matrix in u
  Eigen::VectorXd Z;                 ///< inertia forces at du/dt = 0, with the sign of F du/dt
  Eigen::VectorXd K_star;            ///< generalized inertia forces, -(F du/dt + Z)
  Eigen::VectorXd K;                 ///< generalized active forces, those of the efforts included
  Eigen::VectorXd K_applied;         ///< of them gravity, springs, friction and wrenches
  Eigen::VectorXd tau;               ///< efforts along the joints
  std::vector<BodyPartials> bodies;  ///< as Model::bodies(), the world left out
};

class ULNA_API Kane {
 public:
  /// InputError for robots with flexible bodies.
  explicit Kane(const Model& model);
  ~Kane();
  Kane(const Kane&) = delete;
  Kane& operator=(const Kane&) = delete;

  /// Efforts for accelerations a, speeds being the joint rates; no inertia matrix is formed. Left
  /// here until the next call. Of trees.
  const Eigen::VectorXd& inverse(Workspace& work, const VectorRef& q, const VectorRef& v,
                                 const VectorRef& a, ExternalWrenches wrenches = {});
  /// The same through the generalized forces of other speeds, brought back to the joints; with
  /// loops, to those that have motors (LoopDynamics::inverse).
  Eigen::VectorXd inverse(Workspace& work, const VectorRef& q, const VectorRef& v,
                          const VectorRef& a, const SpeedMap& map, ExternalWrenches wrenches = {},
                          const LoopInverseOptions& motors = {});
  /// Accelerations under efforts: F du/dt = K - Z by Cholesky. ComputationError naming the joint
  /// when F is singular.
  Eigen::VectorXd forward(Workspace& work, const VectorRef& q, const VectorRef& v,
                          const VectorRef& tau, const SpeedMap& map,
                          ExternalWrenches wrenches = {});
  /// All of it, for the accelerations a.
  KaneQuantities quantities(Workspace& work, const VectorRef& q, const VectorRef& v,
                            const VectorRef& a, const GeneralizedSpeeds& speeds = {}, double t = 0,
                            ExternalWrenches wrenches = {}, const LoopInverseOptions& motors = {});

  /// Partial velocities of a body with respect to the speeds of the map, and their rates along v.
  BodyPartials partials(const VectorRef& q, const VectorRef& v, int body, const SpeedMap& map);
  /// The assembled matrix F(q) of the tree, speeds being the joint rates.
  Eigen::MatrixXd matrix(Workspace& work, const VectorRef& q);
  /// The same in the speeds of the map, B' F B.
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
  /// eq. 5 for the open tree: rotors included, passive efforts not.
  const Eigen::VectorXd& tree_efforts(Workspace& work, const VectorRef& q, const VectorRef& v,
                                      const VectorRef& a, ExternalWrenches wrenches);
  /// Damping, friction and springs, those of closing joints included.
  Eigen::VectorXd passive(Workspace& work, const VectorRef& q, const VectorRef& v);

  struct Memory;
  const Model& model_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace ulna
