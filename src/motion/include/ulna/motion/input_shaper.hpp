#pragma once
// Input shaping: a motion is replaced by a sum of delayed copies of itself, weighted so that a
// vibration of known frequency and damping is at rest when the last copy has ended.
// docs/theory/tip-tracking.md, eq. 1-5.
//
//   const InputShaper shaper = zero_vibration(1, 12.0, 0.01);  // ZVD for 12 rad/s, damping 1 %
//   motion = shaped(motion, shaper);
//
// Weights are positive and sum to 1: a shaped motion never leaves the range of the original one.

#include <vector>

#include "ulna/motion/motion.hpp"

namespace ulna {

struct InputShaper {
  struct Impulse {
    double time, weight;
  };
  std::vector<Impulse> impulses = {{0, 1}};  ///< times ascending from 0

  double duration() const { return impulses.back().time; }
  /// Vibration that is left of a mode, by that of the unshaped motion (eq. 3).
  ULNA_API double residual(double frequency, double damping) const;
};

/// ZV with `derivatives` 0, ZVD with 1, ZVDD with 2, ...: the residual vibration and as many of its
/// derivatives with respect to the frequency vanish at `frequency` (rad/s) and the damping ratio
/// (eq. 2). InputError unless the frequency is positive and 0 <= damping < 1.
ULNA_API InputShaper zero_vibration(int derivatives, double frequency, double damping);

/// The shaper of lowest order whose residual is at most `tolerance` at every frequency from `low`
/// to `high` (eq. 4). InputError when order 12 is not enough.
ULNA_API InputShaper robust_shaper(double low, double high, double damping,
                                   double tolerance = 0.05);

/// Both after each other: what either removes stays removed (eq. 5).
ULNA_API InputShaper convolved(const InputShaper& a, const InputShaper& b);

/// The motion rests at its start before t = 0 and is sampled by the shaper from then on.
ULNA_API ScalarMotionPtr shaped(ScalarMotionPtr motion, const InputShaper& shaper);

}  // namespace ulna
