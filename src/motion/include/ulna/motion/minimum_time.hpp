#pragma once
// Minimum time along a given path under effort limits, in the phase plane (s, x = s'^2).
// docs/theory/motions.md, eq. 32-37.
//
// Along a path q(s) every effort is m(s) s'' + c(s) s'^2 + g(s). Backwards from the end, the
// largest and smallest x from which the end can still be reached are found point by point; forwards
// from the start, the largest acceleration that stays among them is taken. Where it turns from
// the largest to the smallest acceleration, or meets or leaves the speed limit, the motion
// switches. Points at which an m vanishes, where the classical construction of switching curves
// divides by zero, need no care: nothing is divided by m.
//
// Sources: Bobrow, Dubowsky, Gibson 1985; Shin, McKay 1985; Pham, Pham 2018 (sets of reachable x).
// Between points s'' is linear in s, so that the time is accurate to the square of their distance,
// and the limits are kept at every point. With viscous shares, which grow with the root of s where
// the motion starts and ends, the points lie closer there, so that this holds for efforts between
// points, too.

#include <functional>

#include "ulna/motion/parts/piecewise_polynomial.hpp"

namespace ulna {

/// effort = m s'' + c s'^2 + g + d s', one entry per joint. From inverse dynamics with q' and q''
/// by s: m is the effort of acceleration q' at rest without gravity, c that of velocity q' and
/// acceleration q'', g that of rest, d that of viscous friction at velocity q'.
struct PathCoefficients {
  Eigen::VectorXd m, c, g;
  Eigen::VectorXd d = {};  ///< empty: nothing is viscous
};

struct MinimumTimeProblem {
  std::function<PathCoefficients(double s)> coefficients;
  double length = 1;             ///< s from 0 to here
  Eigen::VectorXd lower, upper;  ///< of the efforts; may be infinite
  /// Largest s' at s, from rate limits; none when empty.
  std::function<double(double s)> speed_limit;
  double begin_speed = 0, end_speed = 0;  ///< s' at the ends
  int intervals = 1000;
};

struct MinimumTimeResult {
  double duration = 0;
  double error_estimate = 0;           ///< of the duration: its change against half the intervals
  std::vector<double> s, speed, time;  ///< at the points; speed is s'
  std::vector<double> highest_speed;   ///< from which the end can still be reached
  std::vector<double> switches;        ///< s at which another limit begins to count
  ScalarMotionPtr law;                 ///< s(t)
};

/// ComputationError with the s at which no speed keeps the limits, where the path cannot be passed,
/// or when the start is too fast, or viscous shares do not settle. InputError for limits and sizes
/// that do not fit.
ULNA_API MinimumTimeResult minimum_time(const MinimumTimeProblem& problem);

}  // namespace ulna
