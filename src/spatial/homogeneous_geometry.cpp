#include "ulna/spatial/homogeneous_geometry.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

constexpr double tiny = 1e-12;

/// x / |x|, or a ComputationError when x is rounding of things of this size.
Vector3<double> unit(const Vector3<double>& x, double size, const char* complaint) {
  const double length = x.norm();
  if (!(length > tiny * size)) throw ComputationError(complaint, length);
  return x / length;
}

}  // namespace

Line line_through(const Vector3<double>& a, const Vector3<double>& b) {
  return {a, unit(b - a, std::max(a.norm(), b.norm()), "a line needs two different points")};
}

Line line_along(const Vector3<double>& point, const Vector3<double>& direction) {
  return {point, unit(direction, 0, "a line needs a direction that is not zero")};
}

Plane plane_through(const Vector3<double>& a, const Vector3<double>& b, const Vector3<double>& c) {
  const Vector3<double> ab = b - a, ac = c - a;
  const Vector3<double> normal = unit(ab.cross(ac), ab.norm() * ac.norm(),
                                      "a plane needs three points that are not on a line");
  return {normal, normal.dot(a)};
}

Plane plane_across(const Vector3<double>& point, const Vector3<double>& normal) {
  const Vector3<double> n = unit(normal, 0, "a plane needs a normal that is not zero");
  return {n, n.dot(point)};
}

double angle_between(const Vector3<double>& a, const Vector3<double>& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

Vector3<double> point_between(const Vector3<double>& a, const Vector3<double>& b, double share) {
  return a * (1 - share) + b * share;
}

Vector3<double> project(const Vector3<double>& point, const Line& line) {
  return line.point + line.direction * line.direction.dot(point - line.point);
}

Vector3<double> project(const Vector3<double>& point, const Plane& plane) {
  return point - plane.normal * distance(point, plane);
}

double distance(const Vector3<double>& point, const Line& line) {
  return line.direction.cross(point - line.point).norm();
}

double distance(const Vector3<double>& point, const Plane& plane) {
  return plane.normal.dot(point) - plane.offset;
}

Vector3<double> intersection(const Line& line, const Plane& plane) {
  const double slope = plane.normal.dot(line.direction);
  if (!(std::abs(slope) > tiny))
    throw ComputationError("a line parallel to a plane does not cut it in one point", slope);
  return line.point - line.direction * (distance(line.point, plane) / slope);
}

Line intersection(const Plane& a, const Plane& b) {
  const Vector3<double> cross = a.normal.cross(b.normal);
  const Vector3<double> direction = unit(cross, 1, "parallel planes have no line in common");
  // The point across the direction that lies on both planes.
  const Vector3<double> point =
      (b.normal.cross(direction) * a.offset + direction.cross(a.normal) * b.offset) / cross.norm();
  return {point, direction};
}

CommonNormal common_normal(const Line& a, const Line& b) {
  const Vector3<double> between = b.point - a.point;
  const Vector3<double> cross = a.direction.cross(b.direction);
  const double sine = cross.norm();
  const double size = 1 + a.point.norm() + b.point.norm();
  CommonNormal normal;
  if (!(sine > tiny)) {
    normal.foot_a = a.point;
    normal.foot_b = project(a.point, b);
    const Vector3<double> gap = normal.foot_b - normal.foot_a;
    normal.distance = gap.norm();
    normal.kind = normal.distance > tiny * size ? LinePair::parallel : LinePair::same;
    normal.direction = normal.kind == LinePair::parallel ? Vector3<double>(gap / normal.distance)
                                                         : a.direction.unitOrthogonal();
    return normal;
  }
  const Vector3<double> n = cross / sine;
  normal.foot_a = a.point + a.direction * (between.cross(b.direction).dot(n) / sine);
  normal.foot_b = b.point + b.direction * (between.cross(a.direction).dot(n) / sine);
  const double gap = n.dot(between);
  normal.distance = std::abs(gap);
  normal.kind = normal.distance > tiny * size ? LinePair::skew : LinePair::crossing;
  normal.direction = normal.kind == LinePair::skew && gap < 0 ? Vector3<double>(-n) : n;
  return normal;
}

PositionMatrix<double> frame_from_vectors(const Vector3<double>& origin,
                                          const Vector3<double>& first,
                                          const Vector3<double>& second, FrameAxes axes) {
  const int i = axes.first - 'x', j = axes.second - 'x';
  if (i < 0 || i > 2 || j < 0 || j > 2 || i == j)
    throw InputError(fmt::format("axes '{}' and '{}' of a frame", axes.first, axes.second),
                     "two different letters of x, y, z");
  const Vector3<double> a = unit(first, 0, "the first axis of a frame is zero");
  const Vector3<double> across =
      unit(a.cross(second), second.norm(), "the two vectors of a frame are parallel");
  Matrix3<double> R;
  R.col(i) = a;
  R.col(j) = across.cross(a);
  R.col(3 - i - j) = (j - i + 3) % 3 == 1 ? across : Vector3<double>(-across);
  return PositionMatrix<double>(Pose<double>{R, origin});
}

PositionMatrix<double> frame_from_points(const Vector3<double>& origin, const Vector3<double>& a,
                                         const Vector3<double>& b, FrameAxes axes) {
  return frame_from_vectors(origin, a - origin, b - origin, axes);
}

}  // namespace ulna
