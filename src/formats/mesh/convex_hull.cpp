#include "mesh/convex_hull.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace ulna {
namespace {

using HullPoints = std::vector<Vector3<double>>;
using HullFace = std::array<int, 3>;
constexpr std::size_t most_points = 20'000;

/// The point for which `measure` is largest, and how large it is.
template <class Measure>
std::pair<int, double> farthest(const HullPoints& points, const Measure& measure) {
  std::pair<int, double> best{0, -1};
  for (int k = 0; k < static_cast<int>(points.size()); ++k)
    if (const double m = measure(points[static_cast<std::size_t>(k)]); m > best.second)
      best = {k, m};
  return best;
}

class Hull {
 public:
  explicit Hull(const HullPoints& points) : points_(points) {}

  std::vector<HullFace> run() {
    if (points_.size() < 4 || !begin()) return {};
    for (int k = 0; k < static_cast<int>(points_.size()); ++k) add(k);
    return faces_;
  }

 private:
  const Vector3<double>& at(int k) const { return points_[static_cast<std::size_t>(k)]; }

  /// Six times the volume between a face and a point outside of it; negative inside.
  double height(const HullFace& f, const Vector3<double>& p) const {
    return (at(f[1]) - at(f[0])).cross(at(f[2]) - at(f[0])).dot(p - at(f[0]));
  }

  /// A tetrahedron as large as can be had at once. False where all points are in a plane.
  bool begin() {
    const Vector3<double> first = at(0);
    const int a = farthest(points_, [&](const auto& p) { return (p - first).norm(); }).first;
    const auto [b, length] = farthest(points_, [&](const auto& p) { return (p - at(a)).norm(); });
    const Vector3<double> along = at(b) - at(a);
    const int c =
        farthest(points_, [&](const auto& p) { return along.cross(p - at(a)).norm(); }).first;
    const auto [d, volume] = farthest(points_, [&](const auto& p) {
      return std::abs(height({a, b, c}, p));
    });
    // Corners of meshes are kept in single precision; what is flatter than that is flat.
    tolerance_ = 1e-7 * length * length * length;
    if (!(volume > tolerance_)) return false;
    tolerance_ *= 1e-5;  // rounding of a determinant in double precision, with room
    for (HullFace face : {HullFace{a, b, c}, {a, b, d}, {a, c, d}, {b, c, d}}) {
      const int other = a + b + c + d - face[0] - face[1] - face[2];
      if (height(face, at(other)) > 0) std::swap(face[1], face[2]);
      faces_.push_back(face);
    }
    return true;
  }

  void add(int k) {
    const auto hidden = std::partition(faces_.begin(), faces_.end(), [&](const HullFace& f) {
      return height(f, at(k)) <= tolerance_;
    });
    if (hidden == faces_.end()) return;
    std::set<std::pair<int, int>> edges;
    for (auto f = hidden; f != faces_.end(); ++f)
      for (std::size_t i = 0; i < 3; ++i) edges.insert({(*f)[i], (*f)[(i + 1) % 3]});
    faces_.erase(hidden, faces_.end());
    for (const auto& [from, to] : edges)
      if (!edges.count({to, from})) faces_.push_back({from, to, k});
  }

  const HullPoints& points_;
  std::vector<HullFace> faces_;
  double tolerance_ = 0;
};

}  // namespace

Triangles convex_hull(const std::vector<Vector3<double>>& points) {
  if (points.size() > most_points)
    throw InputError(fmt::format("a convex hull of {} points", points.size()),
                     fmt::format("at most {} points, or faces", most_points), {});
  Triangles triangles;
  for (const HullFace& face : Hull(points).run())
    for (const int k : face)
      for (int i = 0; i < 3; ++i)
        triangles.push_back(static_cast<float>(points[static_cast<std::size_t>(k)](i)));
  return triangles;
}

}  // namespace ulna
