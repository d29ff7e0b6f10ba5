#pragma once
// Where a sliding joint holds the beam that passes through it, at a posture, and how stiffly:
// docs/theory/structure.md, eqs. 43-44.

#include <vector>

#include "ulna/model/robot.hpp"
#include "ulna/spatial/pose.hpp"

namespace ulna {

/// One component of the relative motion at a bushing, (translation, rotation) in world axes, and
/// what holds it: an infinite stiffness is rigid, zero none.
struct BushingDirection {
  const char* name;
  Vector6<double> direction;
  double stiffness;
  bool rigid() const { return stiffness == BushingData::rigid; }
};

struct PlacedBushing {
  Vector3<double> position;  ///< world
  std::vector<BushingDirection> across;
};

/// A joint between two bodies at a posture; the world has no data.
struct PlacedJoint {
  const JointData& joint;
  const BodyData *parent, *child;
  Pose<double> X_WP, X_WC;
};

/// In the order of the file; the first one also holds what the joint does not release along its
/// axis. None: the joint does not slide, or it names no bushing and no beam passes through it.
/// ComputationError when a beam has slid out of a bushing.
std::vector<PlacedBushing> placed_bushings(const PlacedJoint& joint);

}  // namespace ulna
