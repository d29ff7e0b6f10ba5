#pragma once
// What the legs of a parallel robot do to the platform's points while the drives are held.

#include <optional>

#include "platform/line_quadrics.hpp"
#include "ulna/kinematics/parallel_robot.hpp"

namespace ulna {

/// Six constraints; none where a leg is of another kind than parallel_poses takes.
std::optional<std::vector<PointConstraint>> leg_constraints(const ParallelRobot& robot,
                                                            const Eigen::VectorXd& drives);

}  // namespace ulna
