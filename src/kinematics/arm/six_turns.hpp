#pragma once
// All angles of six turning joints that make a displacement, for any six axes: Raghavan and Roth's
// elimination, solved as an eigenvalue problem (Manocha and Canny). At most 16.
// docs/theory/inverse-kinematics.md, section "Six general axes".

#include <array>
#include <vector>

#include "loops/circles.hpp"
#include "ulna/spatial/pose.hpp"

namespace ulna {

using SixAngles = std::array<double, 6>;

/// Turns about the axes one after the other, the first outermost.
Pose<double> turned_in_order(const TurnAxis* axes, const double* angles, int count);

/// Newton's method on E1(q1) ... E6(q6) = displacement. Returns what is left, in radians and in
/// parts of `size`.
double polish_six_turns(const TurnAxis axes[6], const Pose<double>& displacement, double size,
                        SixAngles& angles);

/// Adds q unless it is there already, whole turns aside.
void keep_new_posture(const SixAngles& angles, std::vector<SixAngles>& all);

/// q with E1(q1) ... E6(q6) = displacement; angles in (-pi, pi].
std::vector<SixAngles> six_turns(const TurnAxis axes[6], const Pose<double>& displacement,
                                 double size);

/// The same loop read from joint `first` on: its axes, and where its angles belong.
struct LoopFrom {
  std::array<TurnAxis, 6> axes;
  int first = 0;
  SixAngles in_order(const SixAngles& found) const;
};
LoopFrom loop_from(const TurnAxis axes[6], const Pose<double>& displacement, int first);

}  // namespace ulna
