#pragma once
// The named postures of a robot (`postures` of the robot file, keyframes of a MuJoCo model).

#include "ulna/kinematics/state.hpp"

namespace ulna {

/// Whether the robot has a posture of this name.
ULNA_API bool has_posture(const Model& model, const std::string& name);

/// Its coordinates as a part of a request for a state. Where it gives every coordinate of the tree
/// they are one vector, which loops may move a little; otherwise values by name, which loops keep.
/// InputError naming the nearest when there is none of that name.
ULNA_API StatePart posture_part(const Model& model, const std::string& name);

/// Its coordinates with all that follows from them, loops closed.
ULNA_API Eigen::VectorXd posture(const Model& model, const std::string& name);

}  // namespace ulna
