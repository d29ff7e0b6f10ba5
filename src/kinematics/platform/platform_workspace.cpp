#include "ulna/kinematics/platform_workspace.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "ulna/kinematics/platform_quality.hpp"
#include "ulna/kinematics/platform_singularity.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

/// The least distance of two segments: of their nearest points, by clamping (Ericson, Real-Time
/// Collision Detection, 5.1.9).
double distance(const Vector3<double>& p, const Vector3<double>& p2, const Vector3<double>& q,
                const Vector3<double>& q2) {
  const Vector3<double> d = p2 - p, e = q2 - q, r = p - q;
  const double a = d.squaredNorm(), c = e.squaredNorm(), b = d.dot(e), f = e.dot(r), g = d.dot(r);
  const double across = a * c - b * b;
  double s = across > 1e-14 * a * c ? std::clamp((b * f - c * g) / across, 0.0, 1.0) : 0;
  double t = c > 0 ? (b * s + f) / c : 0;
  if (t < 0 || t > 1) {
    t = std::clamp(t, 0.0, 1.0);
    s = a > 0 ? std::clamp((b * t - g) / a, 0.0, 1.0) : 0;
  }
  return (r + s * d - t * e).norm();
}

bool outside(double x, const DegreeData& limits) { return x < limits.lower || x > limits.upper; }

}  // namespace

const char* name_of(PoseFault fault) {
  constexpr const char* names[] = {"none",       "unreachable", "stroke",  "hinge-angle",
                                   "ball-angle", "collision",   "singular"};
  return names[static_cast<int>(fault)];
}

PoseChecker::PoseChecker(const Platform& platform, const PlatformLimits& limits)
    : platform_(platform), limits_(limits), motion_(platform), segments_(platform.legs()) {
  const PlatformData& data = platform.data();
  try {
    platform.inverse(data.home, motion_);
    for (const LegMotion& m : motion_.legs) home_.push_back(data.home.rotation.transpose() * m.n);
  } catch (const ComputationError&) {
    if (std::isfinite(limits_.ball_angle)) throw;  // angles are counted from there
  }
  // Legs that share a joint touch there and are not compared.
  for (int i = 0; i < platform.legs(); ++i)
    for (int j = 0; j < i; ++j) {
      const auto radius = [&](int k) {
        return data.legs[k].radius > 0 ? data.legs[k].radius : limits_.leg_radius;
      };
      const double both = radius(i) + radius(j);
      if (both > 0 && (data.legs[i].base - data.legs[j].base).norm() > both &&
          (data.legs[i].platform - data.legs[j].platform).norm() > both)
        pairs_.emplace_back(j, i);
    }
}

void PoseChecker::find_segments() {
  for (int k = 0; k < platform_.legs(); ++k) {
    const PlatformLeg& data = platform_.data().legs[k];
    const Platform::Leg& leg = platform_.leg(k);
    const LegMotion& m = motion_.legs[k];
    const double radius = data.radius > 0 ? data.radius : limits_.leg_radius;
    segments_[k].clear();
    if (leg.kind != LegKind::slider && !leg.on_rail)
      segments_[k].push_back({leg.base, m.E, radius});
    const Vector3<double> aside = 0.5 * data.spacing * leg.a;
    segments_[k].push_back({m.E + aside, m.P + aside, radius});
    if (leg.kind == LegKind::pair) segments_[k].push_back({m.E - aside, m.P - aside, radius});
  }
}

PoseCheck PoseChecker::check_collisions() {
  if (pairs_.empty() || platform_.freedom() == PlatformFreedom::planar) return {};
  find_segments();
  for (const auto& [i, j] : pairs_)
    for (const Segment& s : segments_[i])
      for (const Segment& t : segments_[j])
        if (const double gap = distance(s.from, s.to, t.from, t.to); gap < s.radius + t.radius)
          return {PoseFault::collision, i, j, gap, 0};
  return {};
}

PoseCheck PoseChecker::check(const Pose<double>& pose) {
  try {
    platform_.inverse(pose, motion_);
  } catch (const ComputationError&) {
    return {PoseFault::unreachable, -1, -1, 0, INFINITY};
  }
  PoseCheck result;
  for (int k = 0; k < platform_.legs() && result.fault == PoseFault::none; ++k) {
    const PlatformLeg& leg = platform_.data().legs[k];
    const LegMotion& m = motion_.legs[k];
    if (outside(m.q, leg.drive)) result = {PoseFault::stroke, k, -1, m.q, 0};
    if (leg.kind == LegKind::slider && result.fault == PoseFault::none) {
      const Platform::HingeAngles angle = platform_.hinge_angles(k, m.n);
      if (outside(angle.hinge, leg.hinge))
        result = {PoseFault::hinge_angle, k, -1, angle.hinge, 0};
      else if (outside(angle.swing, leg.swing))
        result = {PoseFault::hinge_angle, k, -1, angle.swing, 0};
    }
    if (std::isfinite(limits_.ball_angle) && result.fault == PoseFault::none) {
      const Vector3<double> n = pose.rotation.transpose() * m.n;
      const double angle = std::atan2(n.cross(home_[k]).norm(), n.dot(home_[k]));
      if (angle > limits_.ball_angle) result = {PoseFault::ball_angle, k, -1, angle, 0};
    }
  }
  if (result.fault == PoseFault::none) result = check_collisions();
  result.condition = singularity(platform_, motion_, pose).condition;
  if (result.fault == PoseFault::none && !(result.condition < limits_.worst_condition)) {
    result.fault = PoseFault::singular;
    result.measure = result.condition;
  }
  return result;
}

std::string PoseChecker::text(const PoseCheck& check, const Pose<double>& pose) const {
  const PlatformData& data = platform_.data();
  const auto name = [&](int k) { return data.legs[k].name; };
  const std::string where = pose_text(pose);
  switch (check.fault) {
    case PoseFault::none:
      return "";
    case PoseFault::unreachable:
      return fmt::format("a leg of '{}' cannot reach at {}", data.name, where);
    case PoseFault::stroke: {
      const PlatformLeg& leg = data.legs[check.leg];
      const char* unit = leg.drive_slides() ? "m" : "rad";
      return fmt::format(
          "leg '{}' of '{}' is out of its stroke at {}: {:.6g} {}, limits {:.6g} "
          "to {:.6g}",
          leg.name, data.name, where, check.measure, unit, leg.drive.lower, leg.drive.upper);
    }
    case PoseFault::hinge_angle:
      return fmt::format("a hinge of leg '{}' of '{}' is beyond its limits at {}: {:.6g} rad",
                         name(check.leg), data.name, where, check.measure);
    case PoseFault::ball_angle:
      return fmt::format("the ball of leg '{}' of '{}' is bent by {:.6g} rad at {}, limit {:.6g}",
                         name(check.leg), data.name, check.measure, where, limits_.ball_angle);
    case PoseFault::collision:
      return fmt::format("legs '{}' and '{}' of '{}' touch at {}: their lines are {:.3g} m apart",
                         name(check.leg), name(check.other), data.name, where, check.measure);
    case PoseFault::singular:
      return fmt::format("'{}' is singular at {} (condition {:.3g})", data.name, where,
                         check.measure);
  }
  return "";
}

void PoseChecker::require(const Pose<double>& pose) {
  platform_.inverse(pose, motion_);  // says itself which leg cannot reach
  const PoseCheck found = check(pose);
  if (found.fault == PoseFault::singular) require_regular(platform_, pose, motion_);
  if (found.fault != PoseFault::none) throw ComputationError(text(found, pose), found.measure);
}

const char* name_of(SliceAxis axis) {
  constexpr const char* names[] = {"x", "y", "z", "rx", "ry", "rz"};
  return names[static_cast<int>(axis)];
}

SliceAxis slice_axis_named(const std::string& name) {
  for (SliceAxis axis :
       {SliceAxis::x, SliceAxis::y, SliceAxis::z, SliceAxis::rx, SliceAxis::ry, SliceAxis::rz})
    if (name == name_of(axis)) return axis;
  throw InputError(fmt::format("'{}' as an axis of a slice", name), "x, y, z, rx, ry or rz");
}

WorkspaceSlice workspace_slice(const Platform& platform, const Pose<double>& middle,
                               const std::array<SliceRange, 2>& ranges,
                               const PlatformLimits& limits) {
  check_ranges(ranges);
  PoseChecker checker(platform, limits);
  WorkspaceSlice slice;
  slice.ranges = ranges;
  slice.middle = middle;
  for (int j = 0; j < ranges[1].count; ++j)
    for (int i = 0; i < ranges[0].count; ++i) {
      interruption_point();
      slice.checks.push_back(
          checker.check(slice_pose(slice, slice.value(0, i), slice.value(1, j))));
    }
  count_good(slice);
  return slice;
}

void check_ranges(const std::array<SliceRange, 2>& ranges) {
  for (const SliceRange& r : ranges)
    if (!(r.upper > r.lower) || r.count < 2 || !std::isfinite(r.upper - r.lower))
      throw InputError(
          fmt::format("{} points of {} from {} to {}", r.count, name_of(r.axis), r.lower, r.upper),
          "at least two points of a range that ascends");
  constexpr double most = 25e6;
  if (static_cast<double>(ranges[0].count) * ranges[1].count > most)
    throw InputError(fmt::format("{} x {} points of a slice", ranges[0].count, ranges[1].count),
                     fmt::format("at most {:.0f} million", most / 1e6));
  if (ranges[0].axis == ranges[1].axis)
    throw InputError(fmt::format("both axes of the slice are {}", name_of(ranges[0].axis)),
                     "two different ones");
}

void count_good(WorkspaceSlice& slice) {
  const auto good = std::count_if(slice.checks.begin(), slice.checks.end(),
                                  [](const PoseCheck& c) { return c.fault == PoseFault::none; });
  slice.share = static_cast<double>(good) / static_cast<double>(slice.checks.size());
  slice.area = slice.share;
  for (const SliceRange& r : slice.ranges) slice.area *= r.upper - r.lower;
}

}  // namespace ulna
