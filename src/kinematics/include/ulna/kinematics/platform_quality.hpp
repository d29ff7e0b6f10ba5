#pragma once
// How good a pose of a parallel robot is: dexterity, the speeds and forces that limited drives can
// give the platform, and its errors from errors of the drives; the nearest singular pose, and the
// singular poses of a slice. docs/theory/platforms.md, section 10. From the rows J of the drives on
// the platform's freedoms (closed form: Platform::jacobian; any robot: ParallelRobot::rates).

#include "ulna/kinematics/platform_singularity.hpp"
#include "ulna/kinematics/platform_workspace.hpp"

namespace ulna {

/// In every direction, and in the best one, of a platform's pure translations or rotations about
/// its origin. Both zero where it has none.
struct Capability {
  double everywhere = 0, best = 0;
  int dimension = 0;  ///< of these motions
};

struct PlatformQuality {
  double dexterity = 0;                         ///< the reciprocal of the condition: 1 is isotropic
  Capability speed, turning;                    ///< m/s, rad/s
  Capability force, moment;                     ///< N, N m at the platform's origin
  double position_worst = 0, position_rms = 0;  ///< metres
  double angle_worst = 0, angle_rms = 0;        ///< radians
};

struct DriveCapability {
  Eigen::VectorXd speeds;   ///< largest rate of each drive
  Eigen::VectorXd efforts;  ///< largest effort
  Eigen::VectorXd errors;   ///< largest error of its coordinate; as a standard deviation for `rms`
};

/// `basis`: twists of the platform by the freedoms. InputError for sizes that do not fit.
ULNA_API PlatformQuality quality(const Eigen::MatrixXd& J,
                                 const Eigen::Matrix<double, 6, Eigen::Dynamic>& basis,
                                 double condition, const DriveCapability& drives);

/// The singular pose nearest to a pose: metres, with turns by the platform's radius.
struct NearestSingularity {
  bool found = false;
  double distance = INFINITY;
  Pose<double> pose;
};
ULNA_API NearestSingularity nearest_singularity(const Platform& platform, const Pose<double>& pose);
/// The same along a path: singular poses that were found are followed, forward and back.
ULNA_API std::vector<NearestSingularity> nearest_singularities(
    const Platform& platform, const std::vector<Pose<double>>& path);

/// Where the determinant of the drives' rows vanishes in a slice: pieces of curves, each from one
/// side of a cell of the grid to another, in the units of the two axes.
struct LocusPiece {
  std::array<double, 2> from, to;
};
ULNA_API std::vector<LocusPiece> singular_loci(const Platform& platform,
                                               const WorkspaceSlice& slice);
/// The pose of a slice at values of its two axes.
ULNA_API Pose<double> slice_pose(const WorkspaceSlice& slice, double first, double second);

/// Ways in which each crank reaches the platform at a pose: its two angles. Sliders have one.
struct WorkingModes {
  std::vector<std::vector<double>> angles;  ///< by leg: that of the home pose's mode first
  long long count = 0;                      ///< of all combinations
};
ULNA_API WorkingModes working_modes(const Platform& platform, const Pose<double>& pose);

}  // namespace ulna
