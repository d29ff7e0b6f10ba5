#pragma once
// Bang-bang motions of one coordinate: full effort one way, then the other. With constant limits of
// acceleration, deceleration and rate the fastest motion is known in closed form.
// docs/theory/motions.md, eq. 38-39. For robots, see switch_times.hpp.

#include <limits>

#include "ulna/motion/parts/piecewise_polynomial.hpp"

namespace ulna {

struct RateLimits {
  double acceleration = 0;                                ///< largest speeding up, above zero
  double deceleration = 0;                                ///< largest slowing down; 0: the same
  double rate = std::numeric_limits<double>::infinity();  ///< above zero
};

/// The fastest motion from value and rate at t = 0 to value and rate at its end: full acceleration,
/// at the limit of the rate if there is time for it, full deceleration; the other way round first
/// if the start is too fast. Limits hold in both directions of motion. InputError when a rate at an
/// end is above the limit.
ULNA_API PiecewisePolynomial fastest_between(double from, double to, const RateLimits& limits,
                                             double begin_rate = 0, double end_rate = 0);

}  // namespace ulna
