#pragma once
// Six turning joints of which three successive ones are parallel: the arms of the UR family.
// docs/theory/inverse-kinematics.md, "Three parallel axes".

#include "arm/six_turns.hpp"

namespace ulna {

/// Angles of three parallel axes for a displacement that keeps their direction, at most two.
std::vector<ThreeAngles> three_parallel_turns(const TurnAxis axes[3],
                                              const Pose<double>& displacement, double size);

/// q with E1(q1) ... E6(q6) = displacement where axes 2, 3 and 4 are parallel, at most eight.
std::vector<SixAngles> turns_with_three_parallel(const TurnAxis axes[6],
                                                 const Pose<double>& displacement, double size);

}  // namespace ulna
