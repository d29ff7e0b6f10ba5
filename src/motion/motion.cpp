#include "ulna/motion/motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ulna/numerics/error.hpp"

namespace ulna {

ScalarMotion::~ScalarMotion() = default;
Motion::~Motion() = default;

std::vector<double> Motion::breakpoints() const { return {}; }

JointMotion::JointMotion(std::vector<ScalarMotionPtr> coordinates)
    : coordinates_(std::move(coordinates)) {
  for (std::size_t k = 0; k < coordinates_.size(); ++k)
    if (!coordinates_[k])
      throw InputError(fmt::format("coordinate {} has no motion", k + 1),
                       "one motion per coordinate", "ConstantMotion holds a coordinate");
  for (const ScalarMotionPtr& one : coordinates_)
    depth_ = std::max(depth_, depth_around(one->depth()));
}

void JointMotion::at(double t, Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v,
                     Eigen::Ref<Eigen::VectorXd> a) const {
  for (Eigen::Index k = 0; k < size(); ++k) {
    const MotionValue y = coordinates_[static_cast<std::size_t>(k)]->at(t);
    q(k) = y.value;
    v(k) = y.rate;
    a(k) = y.acceleration;
  }
}

std::vector<double> JointMotion::breakpoints() const {
  std::vector<double> all;
  for (const auto& one : coordinates_) {
    const std::vector<double> times = one->breakpoints();
    all.insert(all.end(), times.begin(), times.end());
  }
  return merged_times(std::move(all));
}

double JointMotion::duration() const {
  double longest = 0;
  for (const auto& one : coordinates_) longest = std::max(longest, one->duration());
  return longest;
}

int depth_around(int inner) {
  constexpr int most = 1000;
  if (inner >= most)
    throw InputError(fmt::format("motions nested more than {} deep", most),
                     "motions within motions to a smaller depth",
                     "one sum of many motions instead of sums of sums");
  return inner + 1;
}

std::vector<double> merged_times(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto same = [](double a, double b) {
    return b - a <= 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(a), std::abs(b));
  };
  times.erase(std::unique(times.begin(), times.end(), same), times.end());
  return times;
}

}  // namespace ulna
