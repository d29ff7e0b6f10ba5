#pragma once
// How a frame moves relative to another one: its twist and its acceleration as they are seen from
// there, in the axes of any frame (docs/theory/kinematics.md). With r from the origin of the
// reference G to that of the frame F, all in world axes before they are turned:
//
//   w_GF = w_F - w_G                 v_GF = v_F - v_G - w_G x r
//   alpha_GF = alpha_F - alpha_G - w_G x w_GF
//   a_GF = a_F - a_G - alpha_G x r - w_G x (w_G x r) - 2 w_G x v_GF

#include "ulna/kinematics/kinematics.hpp"

namespace ulna {

struct FrameMotion {
  Twist<double> velocity;      ///< angular velocity, velocity of the origin
  Twist<double> acceleration;  ///< angular acceleration, acceleration of the origin
};

/// After update_motions. `relative_to` and `expressed_in` are frames; 0 is the world.
ULNA_API FrameMotion frame_motion(const Model& model, const Workspace& work, int frame,
                                  int relative_to = 0, int expressed_in = 0);

}  // namespace ulna
