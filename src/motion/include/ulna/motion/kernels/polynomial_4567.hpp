#pragma once
// s = 35 tau^4 - 84 tau^5 + 70 tau^6 - 20 tau^7: the jerk vanishes at both ends, too (class 4).
// docs/theory/motions.md, eq. 7.

#include <cmath>

#include "ulna/motion/program.hpp"

namespace ulna {

struct Polynomial4567Law {
  /// With y = 1 - x the derivatives are products, so that they vanish exactly where they should.
  static MotionValue at(double x) {
    const double y = 1 - x, u = x * y;
    const double value = x <= 0.5 ? rise(x) : 1 - rise(y);
    return {value, 140 * u * u * u, 420 * u * u * (1 - 2 * x), 840 * u * (1 - 5 * u)};
  }
  static PeakFactors peaks() { return {35.0 / 16, 84 / (5 * std::sqrt(5.0)), 52.5, 4}; }
  static std::vector<double> breaks() { return {}; }

 private:
  static double rise(double x) { return x * x * x * x * (35 - x * (84 - x * (70 - 20 * x))); }
};
using Polynomial4567 = LawProgram<Polynomial4567Law>;

}  // namespace ulna
