#pragma once
// s = tau - sin(2 pi tau)/(2 pi): one period of a sine as acceleration (class 3).
// docs/theory/motions.md, eq. 10.

#include <cmath>

#include "ulna/motion/program.hpp"

namespace ulna {

struct CycloidalLaw {
  static MotionValue at(double x) {
    constexpr double pi = 3.14159265358979323846;
    if (x > 0.5) {  // measured from the end, so that it is met to the last bit
      const MotionValue y = at(1 - x);
      return {1 - y.value, y.rate, -y.acceleration, y.jerk};
    }
    const double half = std::sin(pi * x), s = std::sin(2 * pi * x), c = std::cos(2 * pi * x);
    return {x - s / (2 * pi), 2 * half * half, 2 * pi * s, 4 * pi * pi * c};
  }
  static PeakFactors peaks() {
    constexpr double pi = 3.14159265358979323846;
    return {2, 2 * pi, 4 * pi * pi, 3};
  }
  static std::vector<double> breaks() { return {}; }
};
using Cycloidal = LawProgram<CycloidalLaw>;

}  // namespace ulna
