#include "mesh/mesh_mass.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace ulna {
namespace {

using MeshPoint = Vector3<double>;

struct MeshTriangle {
  MeshPoint a, b, c;
  MeshTriangle(const Triangles& all, std::size_t k, const MeshPoint& origin)
      : a(MeshPoint(all[9 * k], all[9 * k + 1], all[9 * k + 2]) - origin),
        b(MeshPoint(all[9 * k + 3], all[9 * k + 4], all[9 * k + 5]) - origin),
        c(MeshPoint(all[9 * k + 6], all[9 * k + 7], all[9 * k + 8]) - origin) {}
  double area() const { return (b - a).cross(c - a).norm() / 2; }
  double volume(MeshVolume rule) const {
    if (rule == MeshVolume::shell) return area();
    const double v = a.dot(b.cross(c)) / 6;
    return rule == MeshVolume::absolute ? std::abs(v) : v;
  }
};

/// The mean of the triangles' centres, weighted by their areas.
MeshPoint centre_of_faces(const Triangles& triangles) {
  double area = 0;
  MeshPoint sum = MeshPoint::Zero();
  for (std::size_t k = 0; k < triangles.size() / 9; ++k) {
    const MeshTriangle t(triangles, k, MeshPoint::Zero());
    sum += t.area() * (t.a + t.b + t.c) / 3;
    area += t.area();
  }
  return area > 0 ? MeshPoint(sum / area) : MeshPoint::Zero();
}

}  // namespace

MeshMass mass_of_mesh(const Triangles& triangles, MeshVolume rule) {
  MeshMass mass;
  const std::size_t count = triangles.size() / 9;
  // Of a tetrahedron with its fourth corner at the origin, or of a triangle.
  const bool shell = rule == MeshVolume::shell;
  const double corners = shell ? 3 : 4, second_moment = shell ? 12 : 20;
  const MeshPoint origin = centre_of_faces(triangles);
  MeshPoint moment = MeshPoint::Zero();
  for (std::size_t k = 0; k < count; ++k) {
    const MeshTriangle t(triangles, k, origin);
    const double v = t.volume(rule);
    mass.volume += v;
    moment += v * (t.a + t.b + t.c) / corners;
  }
  if (!(mass.volume > 0)) return mass;
  mass.centre = origin + moment / mass.volume;
  // Absolute volumes depend on the common point: those about the centre count in the end.
  mass.volume = 0;
  Matrix3<double> second = Matrix3<double>::Zero();
  for (std::size_t k = 0; k < count; ++k) {
    const MeshTriangle t(triangles, k, mass.centre);
    const MeshPoint s = t.a + t.b + t.c;
    const double v = t.volume(rule);
    mass.volume += v;
    second +=
        v / second_moment *
        (t.a * t.a.transpose() + t.b * t.b.transpose() + t.c * t.c.transpose() + s * s.transpose());
  }
  mass.inertia = second.trace() * Matrix3<double>::Identity() - second;
  return mass;
}

Triangles scaled(Triangles triangles, const Vector3<double>& scale) {
  for (std::size_t k = 0; k < triangles.size(); ++k)
    triangles[k] = static_cast<float>(triangles[k] * scale[static_cast<Eigen::Index>(k % 3)]);
  if (scale.prod() < 0)
    for (std::size_t k = 0; k + 9 <= triangles.size(); k += 9)
      std::swap_ranges(triangles.begin() + static_cast<std::ptrdiff_t>(k),
                       triangles.begin() + static_cast<std::ptrdiff_t>(k) + 3,
                       triangles.begin() + static_cast<std::ptrdiff_t>(k) + 3);
  return triangles;
}

}  // namespace ulna
