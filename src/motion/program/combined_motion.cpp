#include "ulna/motion/internal/combined_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/motion/kernels/jet.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

template <class Pointer>
void require(const Pointer& motion) {
  if (!motion) throw InputError("a combined motion with a missing part", "a motion");
}

}  // namespace

SumMotion::SumMotion(std::vector<Term> terms, double offset)
    : terms_(std::move(terms)), offset_(offset) {
  for (const Term& term : terms_) {
    require(term.motion);
    depth_ = std::max(depth_, depth_around(term.motion->depth()));
    if (!std::isfinite(term.weight))
      throw InputError(fmt::format("a motion taken {} times", term.weight), "a finite number");
  }
  if (!std::isfinite(offset))
    throw InputError(fmt::format("an offset of {}", offset), "a finite number");
}

MotionValue SumMotion::at(double t) const {
  MotionValue sum{offset_, 0, 0, 0};
  for (const Term& term : terms_) sum = sum + term.weight * term.motion->at(t);
  return sum;
}

std::vector<double> SumMotion::breakpoints() const {
  std::vector<double> all;
  for (const Term& term : terms_) {
    const std::vector<double> times = term.motion->breakpoints();
    all.insert(all.end(), times.begin(), times.end());
  }
  return merged_times(std::move(all));
}

double SumMotion::duration() const {
  double longest = 0;
  for (const Term& term : terms_) longest = std::max(longest, term.motion->duration());
  return longest;
}

ShiftedMotion::ShiftedMotion(ScalarMotionPtr motion, double delay, double speed)
    : motion_(std::move(motion)), delay_(delay), speed_(speed) {
  require(motion_);
  depth_ = depth_around(motion_->depth());
  if (!(speed > 0) || !std::isfinite(speed) || !std::isfinite(delay))
    throw InputError(fmt::format("a motion delayed by {} s and {} times as fast", delay, speed),
                     "a finite delay and a speed above zero");
}

MotionValue ShiftedMotion::at(double t) const {
  return chain(motion_->at(speed_ * (t - delay_)), {0, speed_, 0, 0});
}

std::vector<double> ShiftedMotion::breakpoints() const {
  std::vector<double> times = motion_->breakpoints();
  for (double& t : times) t = delay_ + t / speed_;
  return times;
}

double ShiftedMotion::duration() const { return delay_ + motion_->duration() / speed_; }

SequenceMotion::SequenceMotion(std::vector<ScalarMotionPtr> parts, double gap)
    : parts_(std::move(parts)) {
  if (parts_.empty()) throw InputError("a sequence of no motions", "at least one");
  double start = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    require(parts_[k]);
    depth_ = std::max(depth_, depth_around(parts_[k]->depth()));
    starts_.push_back(start);
    const double length = parts_[k]->duration();
    if (k + 1 == parts_.size()) break;
    if (!std::isfinite(length) || !(length > 0))
      throw InputError(fmt::format("part {} of the sequence lasts {} s", k + 1, length),
                       "a finite time above zero for all parts but the last");
    require(parts_[k + 1]);
    const double before = parts_[k]->at(length).value, after = parts_[k + 1]->at(0).value;
    start += length;
    if (!(std::abs(after - before) <= gap * std::max(std::abs(before), std::abs(after))))
      throw InputError(
          fmt::format("the sequence jumps from {} to {} at {} s, between parts {} and {}", before,
                      after, start, k + 1, k + 2),
          "parts that begin where the one before ends");
  }
}

MotionValue SequenceMotion::at(double t) const {
  const auto later = std::upper_bound(starts_.begin() + 1, starts_.end(), t);
  const auto k = static_cast<std::size_t>(later - starts_.begin() - 1);
  return parts_[k]->at(t - starts_[k]);
}

std::vector<double> SequenceMotion::breakpoints() const {
  std::vector<double> all(starts_.begin() + 1, starts_.end());
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const double end = k + 1 < parts_.size() ? starts_[k + 1] : INFINITY;
    for (const double t : parts_[k]->breakpoints())
      if ((k == 0 || t >= 0) && starts_[k] + t <= end) all.push_back(starts_[k] + t);
  }
  return merged_times(std::move(all));
}

double SequenceMotion::duration() const { return starts_.back() + parts_.back()->duration(); }

RetimedMotion::RetimedMotion(ScalarMotionPtr motion, ScalarMotionPtr law)
    : motion_(std::move(motion)), law_(std::move(law)) {
  require(motion_);
  require(law_);
  depth_ = depth_around(std::max(motion_->depth(), law_->depth()));
}

MotionValue RetimedMotion::at(double t) const {
  const MotionValue s = law_->at(t), y = motion_->at(s.value);
  const double u = s.rate;
  return {y.value, y.rate * u, y.acceleration * (u * u) + y.rate * s.acceleration,
          y.jerk * (u * u * u) + 3 * y.acceleration * u * s.acceleration + y.rate * s.jerk};
}

std::vector<double> RetimedMotion::breakpoints() const {
  std::vector<double> times = law_->breakpoints();
  const double end = law_->duration();
  if (std::isfinite(end)) {
    const auto passed = crossing_times(*law_, motion_->breakpoints(), std::min(0.0, end), end);
    times.insert(times.end(), passed.begin(), passed.end());
  }
  return merged_times(std::move(times));
}

std::vector<double> crossing_times(const ScalarMotion& motion, const std::vector<double>& levels,
                                   double begin, double end) {
  std::vector<double> grid{begin};
  std::vector<double> joints = motion.breakpoints();
  joints.push_back(end);
  for (const double t : joints) {
    if (!(t > grid.back()) || t > end) continue;
    const double from = grid.back();
    constexpr int samples = 200;
    for (int k = 1; k <= samples; ++k)
      grid.push_back(k == samples ? t : from + (t - from) * k / samples);
  }
  std::vector<double> found;
  for (std::size_t k = 0; k + 1 < grid.size(); ++k) {
    const double left = motion.at(grid[k]).value, right = motion.at(grid[k + 1]).value;
    for (const double level : levels) {
      // Where the motion rests on a level, its first and last sample there are the crossings.
      if (left == level && right != level) found.push_back(grid[k]);
      if (right == level && left != level) found.push_back(grid[k + 1]);
      if (!((left < level && right > level) || (left > level && right < level))) continue;
      double a = grid[k], b = grid[k + 1];
      const bool rising = right > left;
      while (true) {  // bisection to neighbouring numbers
        const double middle = a + (b - a) / 2;
        if (!(middle > a && middle < b)) break;
        ((motion.at(middle).value < level) == rising ? a : b) = middle;
      }
      found.push_back(b);
    }
  }
  return merged_times(std::move(found));
}

}  // namespace ulna
