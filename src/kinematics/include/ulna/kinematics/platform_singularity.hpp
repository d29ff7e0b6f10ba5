#pragma once
// How well the drives hold a platform: determinant and condition of their rows, the screw along
// which it would give way, and its stiffness from that of its drives. docs/theory/platforms.md,
// eq. 11-13. Turns count by the radius of the platform.

#include "ulna/kinematics/platform_kinematics.hpp"

namespace ulna {

struct PlatformSingularity {
  double determinant = 0;  ///< of the rows, SI units; only for as many legs as freedoms, else 0
  double condition = 0;    ///< largest over smallest singular value of the scaled rows; infinite
  double smallest = 0;     ///< that singular value
  /// The platform's motion that the drives hold worst: its twist at the platform's origin, unit in
  /// the scaled norm.
  Twist<double> screw;
  double pitch = 0;  ///< of it, metres per radian; infinite for a translation
  Vector3<double> point = Vector3<double>::Zero();  ///< on its axis, nearest to the origin, world
};
ULNA_API PlatformSingularity singularity(const Platform& platform, const PlatformMotion& motion,
                                         const Pose<double>& pose);

/// From rows of pure numbers on freedoms that are orthonormal when turns count by `radius`, and the
/// same rows in SI units for the determinant.
ULNA_API PlatformSingularity singularity_of_rows(
    const Eigen::MatrixXd& scaled, const Eigen::MatrixXd& rows,
    const Eigen::Matrix<double, 6, Eigen::Dynamic>& basis, double radius, const Pose<double>& pose);

/// ComputationError with pose and screw where the condition exceeds 1e9.
ULNA_API void require_regular(const Platform& platform, const Pose<double>& pose,
                              const PlatformMotion& motion);

/// Stiffness of the platform at a pose, 6 x 6, wrench over small displacement (rotation first,
/// world axes at the platform's origin), from the stiffness of each drive (N/m or N m/rad).
ULNA_API Matrix6<double> stiffness(const Platform& platform, const PlatformMotion& motion,
                                   const Eigen::VectorXd& drive_stiffness);

}  // namespace ulna
