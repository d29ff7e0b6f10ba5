#pragma once
// The largest rate, acceleration and jerk of any motion, found by sampling between its breakpoints
// and refining (parabolic golden section): values to about 1e-12 of themselves.

#include "ulna/motion/motion.hpp"

namespace ulna {

/// An extreme value and when it occurs.
struct Extreme {
  double value = 0, time = 0;
};
struct MotionPeaks {
  Extreme lowest, highest;           ///< of the value
  Extreme rate, acceleration, jerk;  ///< largest in absolute value, with their sign
};

/// On [begin, end]. `samples` per piece between breakpoints must be dense enough to see every
/// oscillation. InputError for an interval that is empty or not finite.
ULNA_API MotionPeaks peaks_of(const ScalarMotion& motion, double begin, double end,
                              int samples = 400);

}  // namespace ulna
