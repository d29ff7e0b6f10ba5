#include "ulna/motion/parts/pose_motion.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/motion/internal/combined_motion.hpp"
#include "ulna/motion/internal/peaks.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {

PoseMotion::~PoseMotion() = default;
PosePath::~PosePath() = default;

PathMotion::PathMotion(PosePathPtr path, ScalarMotionPtr law)
    : path_(std::move(path)), law_(std::move(law)) {
  if (!path_ || !law_) throw InputError("a motion without a path or a time law", "both");
  const double end = law_->duration();
  if (!std::isfinite(end) || !(end > 0))
    throw InputError(fmt::format("a time law that lasts {} s", end), "a finite time above zero");
  const MotionPeaks peaks = peaks_of(*law_, 0, end, 50);
  const double length = path_->length(), slack = 1e-9 * length;
  if (peaks.lowest.value < -slack || peaks.highest.value > length + slack)
    throw InputError(fmt::format("a time law from {} to {} on a path of length {}",
                                 peaks.lowest.value, peaks.highest.value, length),
                     "a law that stays on the path");
  breakpoints_ = law_->breakpoints();
  const auto passed = crossing_times(*law_, path_->breaks(), 0, end);
  breakpoints_.insert(breakpoints_.end(), passed.begin(), passed.end());
  breakpoints_ = merged_times(std::move(breakpoints_));
}

PoseMotionValue PathMotion::at(double t) const {
  const MotionValue s = law_->at(t);
  PoseMotionValue x = path_->at(s.value);
  // d/dt = s' d/ds and d2/dt2 = s'' d/ds + s'^2 d2/ds2 hold for the rotation vector rates as well:
  // w = s' w_s, dw/dt = s'' w_s + s'^2 dw_s/ds.
  x.acceleration = x.acceleration * (s.rate * s.rate) + x.twist * s.acceleration;
  x.twist *= s.rate;
  return x;
}

}  // namespace ulna
