#pragma once
// The spring and damper of a joint that closes a loop, between the two bodies it connects
// (docs/theory/structure.md, eq. 40).

#include <optional>

#include "joint_motion.hpp"
#include "ulna/model/model.hpp"
#include "ulna/structure/robot_frame.hpp"

namespace ulna {

/// On the motion of the child relative to the parent, world axes, (translation, rotation).
struct ClosingSpring {
  Matrix6<double> stiffness, damping;
  Vector6<double> force;  ///< of the spring on the child at the posture
};

/// `S`: the joint's columns. None where the joint has neither spring nor damper.
std::optional<ClosingSpring> closing_spring(const Model& model, const VectorRef& q,
                                            const Loop& loop, const JointSupport& support,
                                            const JointColumns& S);

}  // namespace ulna
