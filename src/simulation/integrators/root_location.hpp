#pragma once
// Where within the last step of a stepper a quantity passes zero: shorter steps from the same
// beginning, chosen by false position (Illinois) with a bisection now and then, until the place is
// known to `root_precision`.

#include <algorithm>
#include <cmath>

namespace ulna {

inline constexpr double root_precision = 1e-10;  ///< s

/// `level(t, y)` has the sign of `before` at the beginning of the step and another one, `after`, at
/// its end. Returns the later end of the bracket, which is beyond the zero.
template <class Stepper, class Level>
double locate_zero(Stepper& stepper, const Level& level, double before, double after) {
  constexpr double precision = root_precision;
  double early = stepper.previous_t(), late = stepper.t();
  double g0 = before, g1 = after;
  int side = 0;
  for (int trial = 0; trial < 100 && late - early > precision; ++trial) {
    double t = trial % 4 == 3 ? 0.5 * (early + late) : late - g1 * (late - early) / (g1 - g0);
    // Stay inside by a little, so that both ends close in.
    const double margin = std::min(0.4 * precision, 0.25 * (late - early));
    t = std::clamp(t, early + margin, late - margin);
    stepper.end_last_step_at(t);
    const double g = level(t, stepper.y());
    if ((g < 0) == (before < 0) && g != 0) {
      early = t, g0 = g;
      if (side == -1) g1 /= 2;
      side = -1;
    } else {
      late = t, g1 = g;
      if (side == 1) g0 /= 2;
      side = 1;
    }
  }
  return late;
}

}  // namespace ulna
