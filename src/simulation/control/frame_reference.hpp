#pragma once
// Where a frame ought to be: its pose and motion at the reference of the joints, and how far it is
// from there.

#include "ulna/simulation/controller.hpp"
#include "ulna/spatial/pose.hpp"

namespace ulna {

struct FrameReference {
  Pose<double> X;
  Vector6<double> velocity, acceleration;  ///< angular first, world axes
};
FrameReference frame_reference(const ControlState& s, const std::vector<int>& joints, int frame);

struct FrameError {
  Vector6<double> place;  ///< turn about world axes, then displacement, from the frame to it
  Vector6<double> rate;
  Vector6<double> bias;  ///< acceleration of the frame while its joints keep their speeds
};
FrameError frame_error(const ControlState& s, int frame, const FrameReference& wanted);

}  // namespace ulna
