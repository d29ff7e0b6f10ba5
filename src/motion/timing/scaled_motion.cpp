#include "ulna/motion/internal/scaled_motion.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/numerics/error.hpp"

namespace ulna {

ScaledMotion::ScaledMotion(MotionPtr motion, double alpha)
    : motion_(std::move(motion)), alpha_(alpha) {
  if (!motion_) throw InputError("a scaled motion without a motion", "a motion");
  depth_ = depth_around(motion_->depth());
  if (!(alpha > 0) || !std::isfinite(alpha))
    throw InputError(fmt::format("a motion {} times as fast", alpha), "a factor above zero");
}

void ScaledMotion::at(double t, Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v,
                      Eigen::Ref<Eigen::VectorXd> a) const {
  motion_->at(alpha_ * t, q, v, a);
  v *= alpha_;
  a *= alpha_ * alpha_;
}

std::vector<double> ScaledMotion::breakpoints() const {
  std::vector<double> times = motion_->breakpoints();
  for (double& t : times) t /= alpha_;
  return times;
}

}  // namespace ulna
