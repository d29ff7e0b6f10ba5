#pragma once
// The spin-up law: from rest to a constant rate by a smooth ramp,
//   rate = (W/T) (t - T/(2 pi) sin(2 pi t/T)) for 0 <= t <= T, then W for ever.
// docs/theory/motions.md, eq. 11.

#include "ulna/motion/motion.hpp"

namespace ulna {

class ULNA_API SpinUp final : public ScalarMotion {
 public:
  /// InputError unless time > 0 and all are finite.
  SpinUp(double final_rate, double time, double from = 0, double start = 0);
  MotionValue at(double t) const override;
  std::vector<double> breakpoints() const override { return {start_, start_ + time_}; }
  double duration() const override;

 private:
  double rate_, time_, from_, start_;
};

}  // namespace ulna
