#pragma once
// Friction of joints that is more at rest than in motion, as an experiment describes it.
// docs/theory/simulation.md, eq. 69.

#include "ulna/numerics/error.hpp"

namespace ulna {

/// What the robot's Coulomb friction of one speed is at rest, and how it falls when the joint
/// moves.
struct JointFriction {
  int v = 0;                  ///< index of the speed
  double at_rest = 0;         ///< effort, at least that of the robot
  double stribeck_speed = 0;  ///< over which it falls to that of the robot; 0: at once
  SourceMark mark;
};

}  // namespace ulna
