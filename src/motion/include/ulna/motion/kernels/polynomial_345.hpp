#pragma once
// s = 10 tau^3 - 15 tau^4 + 6 tau^5: the polynomial of least degree with rate and acceleration zero
// at both ends (class 3). docs/theory/motions.md, eq. 6.

#include <cmath>

#include "ulna/motion/program.hpp"

namespace ulna {

struct Polynomial345Law {
  /// With y = 1 - x the derivatives are products, so that they vanish exactly where they should.
  static MotionValue at(double x) {
    const double y = 1 - x, u = x * y;
    const double value = x <= 0.5 ? rise(x) : 1 - rise(y);
    return {value, 30 * u * u, 60 * u * (1 - 2 * x), 60 * (1 - 6 * u)};
  }
  static PeakFactors peaks() { return {15.0 / 8, 10 / std::sqrt(3.0), 60, 3}; }
  static std::vector<double> breaks() { return {}; }

 private:
  static double rise(double x) { return x * x * x * (10 - x * (15 - 6 * x)); }
};
using Polynomial345 = LawProgram<Polynomial345Law>;

}  // namespace ulna
