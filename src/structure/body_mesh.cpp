#include "body_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using Vec = Vector3<double>;

class Mesher {
 public:
  Mesher(const BodyData& body, const std::vector<Vec>& points) : body_(body), points_(points) {
    for (const BeamData& beam : body.beams) {
      size_ = std::max({size_, beam.from.norm(), beam.to.norm(), beam.length()});
      points_.push_back(beam.from);
      points_.push_back(beam.to);
      for (const AttachedBody& part : beam.attached)
        points_.push_back(beam.from + part.station * (beam.to - beam.from));
    }
  }

  BodyMesh run() {
    if (body_.beams.empty()) {
      mesh_.nodes.push_back(points_.empty() ? Vec::Zero() : points_[0]);
      return std::move(mesh_);
    }
    for (int b = 0; b < static_cast<int>(body_.beams.size()); ++b) cut(b);
    require_connected();
    return std::move(mesh_);
  }

 private:
  double tolerance() const { return 1e-9 * size_; }

  int node_at(const Vec& point) {
    for (std::size_t k = 0; k < mesh_.nodes.size(); ++k)
      if ((mesh_.nodes[k] - point).norm() < tolerance()) return static_cast<int>(k);
    mesh_.nodes.push_back(point);
    return static_cast<int>(mesh_.nodes.size()) - 1;
  }

  void cut(int b) {
    const BeamData& beam = body_.beams[b];
    const double length = beam.length();
    const Vec x = (beam.to - beam.from) / length;
    std::vector<double> stations;
    for (int k = 0; k <= beam.elements; ++k) stations.push_back(length * k / beam.elements);
    for (const Vec& point : points_) {
      const double s = (point - beam.from).dot(x);
      const bool on_axis = s > 0 && s < length && (point - beam.from - s * x).norm() < tolerance();
      const bool there = std::any_of(stations.begin(), stations.end(), [&](double other) {
        return std::abs(other - s) < tolerance();
      });
      if (on_axis && !there) stations.push_back(s);
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
    for (const MeshElement& e : mesh_.elements) {
      const int from = group[e.end], to = group[e.start];
      for (int& g : group)
        if (g == from) g = to;
    }
    for (const MeshElement& e : mesh_.elements)
      if (group[e.start] != group[mesh_.elements[0].start]) {
        const BeamData& beam = body_.beams[e.beam];
        throw InputError({beam.mark,
                          fmt::format("body '{}', beam '{}'", body_.name, beam.name),
                          "touches no other beam of its body",
                          "an end on the axis of another beam",
                          {}});
      }
  }

  const BodyData& body_;
  std::vector<Vec> points_;
  double size_ = 0;
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
