#include "page/plate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ulna {
namespace {

using Point = Vector3<double>;
using Flat = Eigen::Vector2d;

/// Axes of the plane that the points span: along the longest distance, across it, and the normal.
struct Plane {
  Point origin;
  Matrix3<double> axes;  ///< columns
  double length = 0, width = 0, off = 0;
};

Plane plane_of(const std::vector<Point>& points) {
  Plane plane{points[0], Matrix3<double>::Identity()};
  Point far = points[0];
  for (const Point& a : points)
    for (const Point& b : points)
      if (const double d = (b - a).norm(); d > plane.length)
        plane.length = d, plane.origin = a, far = b;
  if (!(plane.length > 0)) return plane;
  const Point along = (far - plane.origin) / plane.length;
  Point across = Point::Zero();
  for (const Point& p : points) {
    const Point d = p - plane.origin, away = d - along * along.dot(d);
    if (away.norm() > plane.width) plane.width = away.norm(), across = away / plane.width;
  }
  if (!(plane.width > 0)) return plane;
  plane.axes << along, across, along.cross(across);
  for (const Point& p : points)
    plane.off = std::max(plane.off, std::abs(plane.axes.col(2).dot(p - plane.origin)));
  return plane;
}

double turn(const Flat& a, const Flat& b, const Flat& c) {
  return (b - a).x() * (c - a).y() - (b - a).y() * (c - a).x();
}

/// Counter-clockwise, by Andrew's chains of the points sorted along x.
std::vector<Flat> hull_of(std::vector<Flat> points) {
  std::sort(points.begin(), points.end(), [](const Flat& a, const Flat& b) {
    return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y());
  });
  std::vector<Flat> hull;
  for (int side = 0; side < 2; ++side) {
    const std::size_t first = hull.size();
    for (const Flat& p : points) {
      while (hull.size() >= first + 2 && turn(hull[hull.size() - 2], hull.back(), p) <= 0)
        hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();  // it begins the other chain
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

Triangles extruded(const std::vector<Flat>& hull, const Plane& plane, double thickness) {
  Triangles out;
  const auto corner = [&](const Flat& p, double side) {
    return Point(plane.origin + plane.axes * Point(p.x(), p.y(), side * thickness / 2));
  };
  const auto add = [&](const Point& a, const Point& b, const Point& c) {
    for (const Point* p : {&a, &b, &c})
      for (const double x : *p) out.push_back(static_cast<float>(x));
  };
  const std::size_t n = hull.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Flat &a = hull[k], &b = hull[(k + 1) % n];
    if (k > 0 && k + 1 < n) {
      add(corner(hull[0], 1), corner(a, 1), corner(b, 1));
      add(corner(hull[0], -1), corner(b, -1), corner(a, -1));
    }
    add(corner(a, -1), corner(b, -1), corner(b, 1));
    add(corner(a, -1), corner(b, 1), corner(a, 1));
  }
  return out;
}

}  // namespace

std::optional<Plate> plate_through(const std::vector<Point>& points, double rim, double thickness) {
  if (points.size() < 3) return {};
  const Plane plane = plane_of(points);
  // Slender bodies look better as links, and those that are no plate as a star of links.
  constexpr double slender = 0.3, uneven = 0.15;
  if (!(plane.width > slender * plane.length) || plane.off > uneven * plane.length) return {};
  constexpr int corners = 16;
  std::vector<Flat> places;
  for (const Point& p : points) {
    const Point d = plane.axes.transpose() * (p - plane.origin);
    for (int k = 0; k < corners; ++k) {
      const double angle = 2 * std::numbers::pi * k / corners;
      places.emplace_back(d.x() + rim * std::cos(angle), d.y() + rim * std::sin(angle));
    }
  }
  return Plate{extruded(hull_of(std::move(places)), plane, thickness), plane.axes.col(2)};
}

}  // namespace ulna
