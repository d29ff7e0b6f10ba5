#pragma once
// s = tau. The rate jumps at both ends (class 1): a law for paths, not for machines.

#include "ulna/motion/program.hpp"

namespace ulna {

struct ConstantRateLaw {
  static MotionValue at(double x) { return {x, 1, 0, 0}; }
  static PeakFactors peaks() {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    return {1, infinite, infinite, 1};
  }
  static std::vector<double> breaks() { return {}; }
};
using ConstantRate = LawProgram<ConstantRateLaw>;

}  // namespace ulna
