#include "body_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using Vec = Vector3<double>;

/// Finds points again that are near, in boxes of a grid.
class NearPoints {
 public:
  explicit NearPoints(double tolerance) : tolerance_(tolerance) {}

  /// The number of a point within the tolerance; -1 when there is none.
  int find(const Vec& p, const std::vector<Vec>& points) const {
    const Box box = box_of(p);
    for (long i = -1; i <= 1; ++i)
      for (long j = -1; j <= 1; ++j)
        for (long k = -1; k <= 1; ++k) {
          const auto there = boxes_.find({box[0] + i, box[1] + j, box[2] + k});
          if (there == boxes_.end()) continue;
          for (const int n : there->second)
            if ((points[static_cast<std::size_t>(n)] - p).norm() < tolerance_) return n;
        }
    return -1;
  }
  void add(const Vec& p, int number) { boxes_[box_of(p)].push_back(number); }

 private:
  using Box = std::array<long, 3>;
  Box box_of(const Vec& p) const {
    Box box;
    for (int k = 0; k < 3; ++k)
      box[static_cast<std::size_t>(k)] = std::lround(p(k) / (2 * tolerance_));
    return box;
  }
  double tolerance_;
  std::map<Box, std::vector<int>> boxes_;
};

class Mesher {
 public:
  Mesher(const BodyData& body, const std::vector<Vec>& points) : body_(body), points_(points) {
    for (const BeamData& beam : body.beams) {
      size_ = std::max({size_, beam.from.norm(), beam.to.norm(), beam.length()});
      ends_.push_back(beam.from);
      ends_.push_back(beam.to);
      for (const AttachedBody& part : beam.attached)
        points_.push_back(beam.from + part.station * (beam.to - beam.from));
    }
  }

  BodyMesh run() {
    if (body_.beams.empty()) {
      mesh_.nodes.push_back(points_.empty() ? Vec::Zero() : points_[0]);
      return std::move(mesh_);
    }
    for (std::vector<Vec>* list : {&points_, &ends_})
      std::sort(list->begin(), list->end(),
                [](const Vec& a, const Vec& b) { return a.x() < b.x(); });
    near_ = NearPoints(tolerance());
    for (int b = 0; b < static_cast<int>(body_.beams.size()); ++b) cut(b);
    require_connected();
    return std::move(mesh_);
  }

 private:
  double tolerance() const { return 1e-9 * size_; }

  int node_at(const Vec& point) {
    const int known = near_.find(point, mesh_.nodes);
    if (known >= 0) return known;
    mesh_.nodes.push_back(point);
    const int number = static_cast<int>(mesh_.nodes.size()) - 1;
    near_.add(point, number);
    return number;
  }

  /// Stations of the points on the axis that are not within `distance` of one that is there.
  void add_on_axis(const std::vector<Vec>& points, const BeamData& beam, double distance,
                   std::vector<double>& stations) const {
    const double length = beam.length();
    const Vec x = (beam.to - beam.from) / length;
    // Only points between the ends in x can lie on the beam.
    const double least = std::min(beam.from.x(), beam.to.x()) - tolerance();
    const double most = std::max(beam.from.x(), beam.to.x()) + tolerance();
    const auto first = std::lower_bound(points.begin(), points.end(), least,
                                        [](const Vec& p, double at) { return p.x() < at; });
    for (auto p = first; p != points.end() && p->x() <= most; ++p) {
      const double s = (*p - beam.from).dot(x);
      const bool on_axis = s > 0 && s < length && (*p - beam.from - s * x).norm() < tolerance();
      const bool there = std::any_of(stations.begin(), stations.end(),
                                     [&](double other) { return std::abs(other - s) < distance; });
      if (on_axis && !there) stations.push_back(s);
    }
  }

  void cut(int b) {
    const BeamData& beam = body_.beams[b];
    const double length = beam.length();
    const Vec x = (beam.to - beam.from) / length;
    // The ends of this beam and of others on its axis, points on it, and the rest of an even
    // division. Points closer than a thousandth of an element share a node, whose stiffness would
    // else be lost in rounding; where the section is one, divisions give way to points near them.
    const double step = length / beam.elements;
    std::vector<double> stations = {0, length};
    add_on_axis(ends_, beam, tolerance(), stations);
    add_on_axis(points_, beam, 1e-3 * step, stations);
    const double apart = beam.sections.size() > 1 ? 1e-3 * step : 0.05 * step;
    const std::vector<double> points = stations;
    for (int k = 1; k < beam.elements; ++k) {
      const double s = length * k / beam.elements;
      const bool close = points.size() > 2 &&
                         std::any_of(points.begin() + 2, points.end(),
                                     [&](double other) { return std::abs(other - s) < apart; });
      if (!close) stations.push_back(s);
    }
    std::sort(stations.begin(), stations.end());
    int last = node_at(beam.from);
    for (std::size_t k = 1; k < stations.size(); ++k) {
      const bool end = k + 1 == stations.size();
      const int next = node_at(end ? beam.to : Vec(beam.from + stations[k] * x));
      const double middle = (stations[k - 1] + stations[k]) / 2;
      const int section =
          std::min(static_cast<int>(middle / length * beam.elements), beam.elements - 1);
      mesh_.elements.push_back({last, next, b, section});
      last = next;
    }
  }

  void require_connected() const {
    std::vector<int> group(mesh_.nodes.size());
    for (std::size_t k = 0; k < group.size(); ++k) group[k] = static_cast<int>(k);
    const auto root = [&](int k) {
      while (group[k] != k) k = group[k] = group[group[k]];
      return k;
    };
    for (const MeshElement& e : mesh_.elements) group[root(e.end)] = root(e.start);
    for (const MeshElement& e : mesh_.elements)
      if (root(e.start) != root(mesh_.elements[0].start)) {
        const BeamData& beam = body_.beams[e.beam];
        throw InputError({beam.mark,
                          fmt::format("body '{}', beam '{}'", body_.name, beam.name),
                          "touches no other beam of its body",
                          "an end on the axis of another beam",
                          {}});
      }
  }

  const BodyData& body_;
  std::vector<Vec> points_, ends_;
  double size_ = 0;
  NearPoints near_{1};
  BodyMesh mesh_;
};

}  // namespace

int BodyMesh::nearest(const Vec& point) const {
  int best = 0;
  for (std::size_t k = 1; k < nodes.size(); ++k)
    if ((nodes[k] - point).norm() < (nodes[best] - point).norm()) best = static_cast<int>(k);
  return best;
}

BodyMesh mesh_of(const BodyData& body, const std::vector<Vec>& points) {
  return Mesher(body, points).run();
}

}  // namespace ulna
