#pragma once
// Half a cosine: s = (1 - cos pi tau)/2. The acceleration jumps at both ends (class 2).
// docs/theory/motions.md, eq. 9.

#include <cmath>

#include "ulna/motion/program.hpp"

namespace ulna {

struct HarmonicLaw {
  static MotionValue at(double x) {
    constexpr double pi = 3.14159265358979323846;
    if (x > 0.5) {  // measured from the end, so that it is met to the last bit
      const MotionValue y = at(1 - x);
      return {1 - y.value, y.rate, -y.acceleration, y.jerk};
    }
    const double half = std::sin(pi * x / 2), s = std::sin(pi * x), c = std::cos(pi * x);
    return {half * half, pi / 2 * s, pi * pi / 2 * c, -pi * pi * pi / 2 * s};
  }
  static PeakFactors peaks() {
    constexpr double pi = 3.14159265358979323846;
    return {pi / 2, pi * pi / 2, std::numeric_limits<double>::infinity(), 2};
  }
  static std::vector<double> breaks() { return {}; }
};
using Harmonic = LawProgram<HarmonicLaw>;

}  // namespace ulna
