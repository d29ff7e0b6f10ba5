#pragma once
// Splines through points: cubic (acceleration continuous) and quintic (fourth derivative
// continuous). docs/theory/motions.md, eq. 13-17. The unknown rates (and accelerations, of the
// quintic) at the points solve a sparse banded system, so that many thousands of points are no
// matter.

#include <string>

#include "ulna/motion/parts/piecewise_polynomial.hpp"

namespace ulna {

enum class SplineEnds {
  natural,     ///< cubic: acceleration zero; quintic: jerk and its rate zero
  clamped,     ///< cubic: rate given; quintic: rate and acceleration given
  periodic,    ///< all derivatives continue from the end to the beginning; the values must be equal
  not_a_knot,  ///< the first and the last pieces continue their neighbours as one polynomial
};

/// natural, clamped, periodic, not-a-knot. InputError for other names.
ULNA_API SplineEnds spline_ends_named(const std::string& name);

/// Rates and accelerations at the ends for `clamped`; by default at rest.
struct SplineClamps {
  double begin_rate = 0, end_rate = 0, begin_acceleration = 0, end_acceleration = 0;
};

/// InputError when there are too few points (2; natural quintic 3; periodic 3; not-a-knot 4 and 6),
/// times that do not ascend, or numbers that are not finite.
ULNA_API PiecewisePolynomial cubic_spline(const std::vector<double>& times,
                                          const std::vector<double>& values, SplineEnds ends,
                                          const SplineClamps& clamps = {});
ULNA_API PiecewisePolynomial quintic_spline(const std::vector<double>& times,
                                            const std::vector<double>& values, SplineEnds ends,
                                            const SplineClamps& clamps = {});

}  // namespace ulna
