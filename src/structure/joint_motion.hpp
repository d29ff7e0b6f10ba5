#pragma once
// How a joint moves its child in world axes: one column (translation, rotation) of the point of
// frame M for each speed.

#include "ulna/model/joints/joint_base.hpp"

namespace ulna {

JointColumns joint_motion(const JointData& joint, const Pose<double>& X_WF,
                          const Pose<double>& X_WM);

}  // namespace ulna
