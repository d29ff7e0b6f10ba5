#pragma once
// Inverse kinematics: coordinates that bring a frame to a target, within the joint limits. Bounded
// Levenberg-Marquardt on the error of the pose, restarted from random postures (and from those of
// the closed form, where all solutions or the nearest are asked for and the arm has one). Postures
// that differ by whole turns of joints are one solution, given by the turn nearest to the start.
// docs/theory/inverse-kinematics.md.

#include <optional>
#include <string>
#include <vector>

#include "ulna/kinematics/kinematics.hpp"

namespace ulna {

struct InverseKinematicsTarget {
  int frame;
  Vector3<double> position;                 ///< of the frame's origin, in the world
  std::optional<Matrix3<double>> rotation;  ///< of the frame in the world; free when absent
};

struct InverseKinematicsOptions {
  Eigen::VectorXd start;     ///< first start; empty: neutral
  int restarts = 50;         ///< random starts after the first
  double tolerance = 1e-10;  ///< residual (metres, radians) that counts as reached
  bool all = false;          ///< search every restart and keep all different solutions
  /// Search every restart for the solution that is nearest to the start. Where solutions are not
  /// isolated, each is moved as near as it can come.
  bool nearest = false;
  double distinct = 1e-4;  ///< solutions closer than this (in the tangent) are one
  unsigned seed = 1;
  int iterations = 200;  ///< per start
};

struct InverseKinematicsSolution {
  Eigen::VectorXd q;
  double residual;      ///< norm of position (m) and rotation (rad) error
  double distance = 0;  ///< from the start, in the tangent: metres and radians alike
};

struct InverseKinematicsResult {
  std::vector<InverseKinematicsSolution> solutions;  ///< the nearest to the start first
  std::string reason;                                ///< why there is none
  double best_residual = 0;                          ///< the nearest that was reached
  Eigen::VectorXd nearest;                           ///< where
};

ULNA_API InverseKinematicsResult inverse_kinematics(const Model& model,
                                                    const InverseKinematicsTarget& target,
                                                    const InverseKinematicsOptions& options = {});

/// Joint rates for a twist of the frame (world axes, at its origin): least squares of least norm by
/// a rank-revealing decomposition. `residual` tells how far the twist is from being possible.
struct JointRates {
  Eigen::VectorXd value;
  double residual;
  int rank;
};
ULNA_API JointRates joint_rates(const Model& model, Workspace& work, const VectorRef& q, int frame,
                                const Vector6<double>& twist, bool position_only = false);
/// Joint accelerations for an acceleration of the frame, given the rates.
ULNA_API JointRates joint_accelerations(const Model& model, Workspace& work, const VectorRef& q,
                                        const VectorRef& v, int frame,
                                        const Vector6<double>& acceleration,
                                        bool position_only = false);

}  // namespace ulna
