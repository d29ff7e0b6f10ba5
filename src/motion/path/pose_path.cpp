#include "ulna/motion/pose_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ulna/motion/internal/combined_motion.hpp"
#include "ulna/motion/kernels/constant_rate.hpp"
#include "ulna/motion/parts/piecewise_polynomial.hpp"
#include "ulna/motion/program.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

void check_pose(const Pose<double>& X) {
  if (!X.position.allFinite() || !X.rotation.allFinite())
    throw InputError("a pose with an entry that is not a finite number", "finite numbers");
  if (!is_rotation(X.rotation, 1e-9))
    throw InputError("a pose whose rotation is not a right-handed orthonormal matrix",
                     "a rotation matrix");
}

void check_different(double size) {
  if (!(size > 0)) throw InputError("a path between two equal poses", "different poses");
}

}  // namespace

LinePath::LinePath(const Pose<double>& from, const Pose<double>& to) : from_(from) {
  check_pose(from);
  check_pose(to);
  way_ = to.position - from.position;
  turn_ = log_rotation(from.rotation.transpose() * to.rotation);
  length_ = way_.norm() > 0 ? way_.norm() : turn_.norm();
  check_different(length_);
}

PoseMotionValue LinePath::at(double s) const {
  const double part = s / length_;
  const Vector3<double> w = from_.rotation * turn_ / length_;  // a fixed axis: no second derivative
  PoseMotionValue x;
  x.pose.rotation = from_.rotation * exp_rotation(part * turn_);
  x.pose.position = from_.position + part * way_;
  x.twist = {w, way_ / length_};
  return x;
}

ScrewPath::ScrewPath(const Pose<double>& from, const Pose<double>& to) : from_(from) {
  check_pose(from);
  check_pose(to);
  screw_ = log_pose(from.inverse() * to);
  check_different(screw_.norm());
}

PoseMotionValue ScrewPath::at(double s) const {
  PoseMotionValue x;
  x.pose = from_ * exp_twist(s * screw_);
  // The screw is the same seen from the moving frame, so its axis is fixed in the world.
  const Vector3<double> w = x.pose.rotation * screw_.head<3>(),
                        v = x.pose.rotation * screw_.tail<3>();
  x.twist = {w, v};
  x.acceleration = {Vector3<double>::Zero(), w.cross(v)};
  return x;
}

CirclePath::CirclePath(const Pose<double>& from, const Vector3<double>& centre,
                       const Vector3<double>& axis, double angle, Rotation rotation)
    : from_(from), turning_(rotation == Rotation::turning) {
  check_pose(from);
  if (!centre.allFinite() || !axis.allFinite() || !(axis.norm() > 0))
    throw InputError("a circle about an axis of no direction", "a finite centre and axis");
  if (!std::isfinite(angle) || angle == 0)
    throw InputError(fmt::format("a circle by the angle {}", angle), "an angle other than zero");
  axis_ = axis.normalized() * (angle < 0 ? -1.0 : 1.0);
  angle_ = std::abs(angle);
  const Vector3<double> out = from.position - centre;
  centre_ = centre + axis_ * axis_.dot(out);
  arm_ = from.position - centre_;
  if (!(arm_.norm() > 1e-12 * (1 + out.norm())))
    throw InputError("a circle whose start lies on its axis", "a point off the axis");
  length_ = arm_.norm() * angle_;
}

PoseMotionValue CirclePath::at(double s) const {
  const double turn = angle_ / length_;  // radians per metre
  const Matrix3<double> R = rotation_about<double>(axis_, s * turn);
  const Vector3<double> arm = R * arm_, w = axis_ * turn, v = w.cross(arm);
  PoseMotionValue x;
  x.pose.position = centre_ + arm;
  x.pose.rotation = turning_ ? Matrix3<double>(R * from_.rotation) : from_.rotation;
  x.twist = {turning_ ? w : Vector3<double>::Zero(), v};
  x.acceleration = {Vector3<double>::Zero(), w.cross(v)};
  return x;
}

PolylinePath::PolylinePath(const std::vector<Vector3<double>>& points,
                           const Matrix3<double>& rotation, double blend)
    : rotation_(rotation), starts_{0}, smallest_radius_(std::numeric_limits<double>::infinity()) {
  if (points.size() < 2)
    throw InputError(fmt::format("a polyline of {} points", points.size()), "at least 2");
  if (!(blend >= 0) || !std::isfinite(blend))
    throw InputError(fmt::format("corners blended over {} m", blend), "zero or more");
  for (std::size_t k = 0; k < points.size(); ++k) {
    check_pose({rotation, points[k]});
    if (k > 0 && !((points[k] - points[k - 1]).norm() > 0))
      throw InputError(fmt::format("points {} and {} of the polyline are equal", k, k + 1),
                       "different neighbours");
  }
  const auto leg = [&](std::size_t k) -> Vector3<double> { return points[k + 1] - points[k]; };
  Vector3<double> at = points[0];
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const Vector3<double> along = leg(k).normalized();
    const bool last = k + 2 == points.size();
    double cut = 0, half_turn = 0;
    Vector3<double> next = along, towards = Vector3<double>::Zero();
    if (!last) {
      next = leg(k + 1).normalized();
      towards = next - along * along.dot(next);
      half_turn = std::atan2((next - along).norm(), (next + along).norm());
      if ((next + along).norm() < 1e-9)
        throw InputError(fmt::format("the polyline turns straight back at point {}", k + 2),
                         "a corner that can be rounded", "stop there and start a new path");
      if (towards.norm() > 1e-12) cut = std::min({blend, leg(k).norm() / 2, leg(k + 1).norm() / 2});
    }
    const Vector3<double> end = points[k + 1] - cut * along;
    const double straight = (end - at).dot(along);
    if (straight > 1e-14 * leg(k).norm()) add({at, along, Vector3<double>::Zero(), 0, straight});
    at = points[k + 1] + cut * next;
    if (last || !(towards.norm() > 1e-12)) continue;
    if (cut > 0) {
      const double radius = cut / std::tan(half_turn);
      smallest_radius_ = std::min(smallest_radius_, radius);
      add({end, along, towards.normalized(), 1 / radius, 2 * half_turn * radius});
      corners_.push_back(starts_.back() - half_turn * radius);
    } else {
      corners_.push_back(starts_.back());
      sharp_.push_back(starts_.back());
    }
  }
}

void PolylinePath::add(const Piece& piece) {
  pieces_.push_back(piece);
  starts_.push_back(starts_.back() + piece.length);
}

PoseMotionValue PolylinePath::at(double s) const {
  const auto later = std::upper_bound(starts_.begin() + 1, starts_.end() - 1, s);
  const auto k = static_cast<std::size_t>(later - starts_.begin() - 1);
  const Piece& piece = pieces_[k];
  const double x = s - starts_[k], c = piece.curvature;
  PoseMotionValue y;
  y.pose.rotation = rotation_;
  if (c == 0) {
    y.pose.position = piece.begin + x * piece.along;
    y.twist.linear = piece.along;
  } else {
    const double half = std::sin(c * x / 2), sine = std::sin(c * x), cosine = std::cos(c * x);
    y.pose.position = piece.begin + (sine * piece.along + 2 * half * half * piece.towards) / c;
    y.twist.linear = cosine * piece.along + sine * piece.towards;
    y.acceleration.linear = c * (cosine * piece.towards - sine * piece.along);
  }
  return y;
}

std::vector<double> PolylinePath::breaks() const {
  return {starts_.begin() + 1, starts_.end() - 1};
}

namespace {

void check_speed(double speed) {
  if (!(speed > 0) || !std::isfinite(speed))
    throw InputError(fmt::format("a path run through at {} m/s", speed), "a speed above zero");
}

}  // namespace

PathMotion constant_speed(PosePathPtr path, double speed, double ramp) {
  check_speed(speed);
  if (!(ramp >= 0) || !std::isfinite(ramp))
    throw InputError(fmt::format("a ramp of {} s", ramp), "zero or more");
  if (!path->sharp_corners().empty())
    throw InputError(fmt::format("constant speed round a sharp corner, {} m along the path",
                                 path->sharp_corners().front()),
                     "corners with a blend, or stops in them");
  const double length = path->length(), cruise = length / speed - ramp;
  if (ramp == 0) return {path, std::make_shared<ConstantRate>(0, length, length / speed)};
  if (!(cruise > 0))
    throw InputError(fmt::format("ramps of {} s on a way of {} s", ramp, length / speed),
                     "ramps that fit");
  // Over each ramp the speed rises as 3 x^2 - 2 x^3 of x = t/ramp; the way is half of speed * ramp.
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(5, 3);
  const double r = ramp, way = speed * ramp / 2;
  c.col(0) << 0, 0, 0, speed / (r * r), -speed / (2 * r * r * r);
  c.col(1) << way, speed, 0, 0, 0;
  c.col(2) << way + speed * cruise, speed, 0, -speed / (r * r), speed / (2 * r * r * r);
  return {path, std::make_shared<PiecewisePolynomial>(
                    std::vector<double>{0, r, r + cruise, 2 * r + cruise}, c)};
}

namespace {

std::vector<double> stops_of(const PolylinePath& path) {
  std::vector<double> stops{0};
  stops.insert(stops.end(), path.corners().begin(), path.corners().end());
  stops.push_back(path.length());
  return stops;
}

/// From rest to rest with constant acceleration, constant speed, constant deceleration; without the
/// second on a way too short to reach the speed.
ScalarMotionPtr trapezoid(double from, double to, double speed, double acceleration) {
  const double way = to - from;
  const double peak = std::min(speed, std::sqrt(acceleration * way)), rise = peak / acceleration;
  const double cruise = way / peak - rise;
  std::vector<double> times{0, rise};
  Eigen::MatrixXd c(3, 3);
  c.col(0) << from, 0, acceleration / 2;
  c.col(1) << from + peak * rise / 2, peak, 0;
  c.col(2) << to - peak * rise / 2, peak, -acceleration / 2;
  const bool flat = cruise > 1e-9 * rise;
  if (flat) times.push_back(rise + cruise);
  times.push_back(times.back() + rise);
  if (!flat) c = c(Eigen::all, std::vector<int>{0, 2}).eval();
  return std::make_shared<PiecewisePolynomial>(times, c);
}

}  // namespace

PathMotion trapezoids_between_corners(std::shared_ptr<const PolylinePath> path, double speed,
                                      double ramp) {
  check_speed(speed);
  if (!(ramp > 0) || !std::isfinite(ramp))
    throw InputError(fmt::format("a ramp of {} s", ramp), "above zero where the path has corners",
                     "blend rounds them");
  const std::vector<double> stops = stops_of(*path);
  std::vector<ScalarMotionPtr> legs;
  for (std::size_t k = 0; k + 1 < stops.size(); ++k)
    legs.push_back(trapezoid(stops[k], stops[k + 1], speed, speed / ramp));
  return {path, std::make_shared<SequenceMotion>(std::move(legs))};
}

PathMotion stop_at_corners(std::shared_ptr<const PolylinePath> path, double speed,
                           const std::string& program) {
  check_speed(speed);
  const std::vector<double> stops = stops_of(*path);
  std::vector<ScalarMotionPtr> legs;
  const double peak = program_named(program, 0, 1, 1)->peak_factors().velocity;
  for (std::size_t k = 0; k + 1 < stops.size(); ++k)
    legs.push_back(
        program_named(program, stops[k], stops[k + 1], peak * (stops[k + 1] - stops[k]) / speed));
  return {path, std::make_shared<SequenceMotion>(std::move(legs))};
}

}  // namespace ulna
