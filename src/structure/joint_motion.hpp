#pragma once
// How a joint moves its child in world axes: one column (translation, rotation) of the point of
// frame M for each speed.

#include "ulna/model/joints/joint_base.hpp"
#include "ulna/model/model.hpp"

namespace ulna {

JointColumns joint_motion(const JointData& joint, const Pose<double>& X_WF,
                          const Pose<double>& X_WM);

/// The joint whose coordinates a joint has, and its own coordinate from that one: factor q +
/// offset. A joint without mimic leads itself.
struct JointFollowing {
  const Joint* leader;
  double factor = 1, offset = 0;
};
JointFollowing following(const Model& model, const Joint& joint);

}  // namespace ulna
