#pragma once
// A law whose third derivative is made of trapezoids (class 4): the jerk ramps from 0 to A1, holds,
// ramps to A2, holds, ramps to A3, holds and ramps to 0, between eight break times. The three
// levels follow from the end conditions. docs/theory/motions.md, eq. 8.

#include <array>

#include "ulna/motion/parts/piecewise_polynomial.hpp"
#include "ulna/motion/program.hpp"

namespace ulna {

/// t0 <= t1 <= ... <= t7. Ramps of no length are jumps of the jerk.
using BreakTimes = std::array<double, 8>;

/// The motion between two states, given by value, rate and acceleration. InputError when the times
/// do not ascend or leave the levels undetermined.
ULNA_API PiecewisePolynomial trapezoidal_jerk_between(const MotionValue& begin,
                                                      const MotionValue& end,
                                                      const BreakTimes& times);

class ULNA_API TrapezoidalJerk final : public MotionProgram {
 public:
  /// Eighths of the time: 0 1 2 3 5 6 7 8.
  static BreakTimes default_breaks();
  /// `breaks`: in parts of the time, from 0 to 1.
  TrapezoidalJerk(double from, double to, double time, double start = 0,
                  const BreakTimes& breaks = default_breaks());

  MotionValue law(double tau) const override { return s_.at(tau); }
  /// From the zeros of each derivative, piece by piece.
  PeakFactors peak_factors() const override { return peaks_; }
  /// A1, A2, A3 of s; times rise/T^3 those of the motion.
  const std::array<double, 3>& levels() const { return levels_; }

 private:
  PiecewisePolynomial s_;
  std::array<double, 3> levels_;
  PeakFactors peaks_;
};

}  // namespace ulna
