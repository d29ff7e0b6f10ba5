#pragma once
// Constant acceleration, then constant deceleration (class 2): s = 2 tau^2 up to the middle, then
// its mirror image. The least peak acceleration of all laws. docs/theory/motions.md, eq. 5.

#include "ulna/motion/program.hpp"

namespace ulna {

struct ConstantAccelerationLaw {
  static MotionValue at(double x) {
    if (x < 0.5) return {2 * x * x, 4 * x, 4, 0};
    const double y = 1 - x;
    return {1 - 2 * y * y, 4 * y, -4, 0};
  }
  static PeakFactors peaks() { return {2, 4, std::numeric_limits<double>::infinity(), 2}; }
  static std::vector<double> breaks() { return {0.5}; }
};
using ConstantAcceleration = LawProgram<ConstantAccelerationLaw>;

}  // namespace ulna
