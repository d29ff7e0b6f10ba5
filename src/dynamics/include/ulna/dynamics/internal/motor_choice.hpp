#pragma once
// Where the motors of a robot with loops are if nobody names them: at the degrees of freedom whose
// motion is given, if these are as many as the robot has and drive it at this state; otherwise at
// slides and hinges rather than at passive balls. Platforms keep their drives.

#include <vector>

#include "ulna/dynamics/dynamics.hpp"

namespace ulna {

struct MotorChoice {
  std::vector<int> motors;       ///< as DynamicsOptions::actuated; empty: as `dynamics` chooses
  bool at_given_motion = false;  ///< they are those of `moved`
};

/// `moved`: the degrees whose motion is given, places in all_speed_names(). The state closes the
/// loops.
ULNA_API MotorChoice motors_for_motion(Dynamics& dynamics, const VectorRef& q, const VectorRef& v,
                                       const VectorRef& a, const std::vector<int>& moved);

}  // namespace ulna
