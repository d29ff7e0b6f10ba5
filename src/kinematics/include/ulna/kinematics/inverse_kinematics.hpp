#pragma once
// Inverse kinematics: joint positions that bring a frame to a target pose, within the joint limits
// and out of obstacles. Arms of six turning joints have all their postures in closed form or by
// elimination (closed_form.hpp); every other robot, with loops too, is searched from random starts.
// Postures that differ by whole turns of joints are one solution, given by the turn nearest to the
// start. docs/theory/inverse-kinematics.md.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ulna/kinematics/kinematics.hpp"
#include "ulna/kinematics/obstacle.hpp"

namespace ulna {

/// Which coordinates of a frame's origin are given, x, y and z of the world; the others are free.
using HeldAxes = std::array<bool, 3>;
inline constexpr HeldAxes all_axes = {true, true, true};
/// The rows that are given of a twist or a displacement of a frame, rotation first.
ULNA_API std::vector<int> held_rows(bool position_only, const HeldAxes& held);

struct InverseKinematicsTarget {
  int frame;
  Vector3<double> position;                 ///< of the frame's origin, in the world
  std::optional<Matrix3<double>> rotation;  ///< of the frame in the world; free when absent
  HeldAxes held = all_axes;                 ///< of the position
};

enum class InverseKinematicsMethod {
  automatic,                ///< closed form or elimination where the arm has them, else the search
  closed_form,              ///< from the formulas of the arm's structure
  elimination,              ///< six turning joints with any axes
  gauss_newton,             ///< search: damped steps within the joint limits
  newton_raphson,           ///< search: undamped least-squares steps, cut at a quarter turn
  davidon_fletcher_powell,  ///< search: descent on |r|^2
  hooke_jeeves,             ///< search: pattern search on |r|^2
  complex_method            ///< search: Box, |r|^2 and, less and less, the way from the start
};
ULNA_API const char* name_of(InverseKinematicsMethod method);
ULNA_API std::vector<InverseKinematicsMethod> inverse_kinematics_methods();

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
  InverseKinematicsMethod method = InverseKinematicsMethod::automatic;
  std::vector<Obstacle> obstacles = {};  ///< that the robot stays out of
};

struct InverseKinematicsSolution {
  Eigen::VectorXd q;
  double residual;      ///< norm of position (m) and rotation (rad) error
  double distance = 0;  ///< from the start, in the tangent: metres and radians alike
};

struct InverseKinematicsResult {
  std::vector<InverseKinematicsSolution> solutions;  ///< the nearest to the start first
  std::string reason;                                ///< why there is none
  /// How the solutions were found.
  InverseKinematicsMethod method = InverseKinematicsMethod::gauss_newton;
  double best_residual = 0;  ///< the nearest that was reached
  Eigen::VectorXd nearest;   ///< where
};

ULNA_API InverseKinematicsResult inverse_kinematics(const Model& model,
                                                    const InverseKinematicsTarget& target,
                                                    const InverseKinematicsOptions& options = {});

/// Joint rates for a twist of the frame (world axes, at its origin): minimum-norm least squares by
/// a rank-revealing decomposition. `residual` tells how far the twist is from being possible.
struct JointRates {
  Eigen::VectorXd value;
  double residual;
  int rank;
};
ULNA_API JointRates joint_rates(const Model& model, Workspace& work, const VectorRef& q, int frame,
                                const Vector6<double>& twist, bool position_only = false,
                                const HeldAxes& held = all_axes);
/// Joint accelerations for an acceleration of the frame, given the rates.
ULNA_API JointRates joint_accelerations(const Model& model, Workspace& work, const VectorRef& q,
                                        const VectorRef& v, int frame,
                                        const Vector6<double>& acceleration,
                                        bool position_only = false,
                                        const HeldAxes& held = all_axes);

}  // namespace ulna
