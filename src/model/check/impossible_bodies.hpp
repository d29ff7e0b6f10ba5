#pragma once
// Bodies whose inertia no real body can have.

#include <string>
#include <vector>

#include "ulna/model/robot.hpp"

namespace ulna {

struct ImpossibleBody {
  const BodyData* body;
  std::string reason;
  std::string harmless;  ///< why nothing feels it, in brackets; empty where the robot does
};

/// Mechanics only feels the sum of bodies welded together, and exporters split measured inertias
/// carelessly: a body is harmless where its whole welded group is possible, or stands still.
std::vector<ImpossibleBody> impossible_bodies(const Robot& robot);

}  // namespace ulna
