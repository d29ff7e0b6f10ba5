#pragma once
// Singular poses of any parallel robot: their distance and the side of them on which a posture
// lies, as platform_quality.hpp has them for platforms with closed form.
// docs/theory/platforms.md, section 10.

#include "ulna/kinematics/parallel_robot.hpp"
#include "ulna/kinematics/platform_quality.hpp"

namespace ulna {

/// What vanishes where the drives do not hold the platform, with a sign that changes there and
/// nowhere else along postures near each other. The basis of the freedoms and the rows of the
/// drives have signs of their own, which are carried along from posture to posture. For redundant
/// drives det J'J, without sign.
class ULNA_API Holding {
 public:
  explicit Holding(const ParallelRobot* robot) : robot_(robot) {}
  /// Of the drives' rows as unit vectors on the freedoms: between -1 and 1.
  double next(const Eigen::VectorXd& q);

 private:
  const ParallelRobot* robot_;
  Eigen::MatrixXd basis_, rows_;  ///< of the posture before
};

/// The singular pose nearest to that of a posture, along closed postures: metres, with turns by the
/// platform's radius.
ULNA_API NearestSingularity nearest_singularity(const ParallelRobot& robot,
                                                const Eigen::VectorXd& q);

/// The same for postures along a motion. Singular poses that were found are followed from posture
/// to posture, forward and back, and points all around are searched whenever the platform has moved
/// by a tenth of its radius.
ULNA_API std::vector<NearestSingularity> nearest_singularities(
    const ParallelRobot& robot, const std::vector<Eigen::VectorXd>& q);

/// All values of each drive that reach the pose of a posture, that of the posture first: every
/// posture that random starts find of each leg alone, with the platform held. `count` is of the
/// combinations; of a leg with several drives all its postures count.
ULNA_API WorkingModes working_modes(const ParallelRobot& robot, const Eigen::VectorXd& q);

}  // namespace ulna
