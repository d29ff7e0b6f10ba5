#include <algorithm>

#include "modal_body/modal_parts.hpp"
#include "ulna/elastic/modal_body.hpp"

namespace ulna {
namespace {

/// What sections need of the beam after it has been built.
struct Sections {
  BeamData beam;
  std::vector<BeamShape> shapes;
  std::vector<double> cuts;  ///< where panels of the quadrature start
  double length;
  std::shared_ptr<const ModeTable> table;  ///< that the shapes come from, if any

  /// The integral of the product of two functions of shapes, from the root to x.
  template <class F>
  double up_to(double x, const F& f) const {
    double sum = 0;
    for (std::size_t c = 0; c < cuts.size() && cuts[c] < x; ++c)
      sum += integral(f, cuts[c], std::min(x, c + 1 < cuts.size() ? cuts[c + 1] : length));
    return sum;
  }

  ModalStation station(double x) const {
    const int k = static_cast<int>(shapes.size());
    ModalStation s;
    s.x = x;
    s.position.assign(3 * k, 0), s.angles.assign(3 * k, 0);
    s.shortening.assign(k * k, 0), s.twist_coupling.assign(k * k, 0);
    for (int i = 0; i < k; ++i) {
      const BeamShape& a = shapes[i];
      const ShapeValue v = a.at(across_y, x), w = a.at(across_z, x);
      s.position[i] = a.at(stretching, x).value;
      s.position[k + i] = v.value;
      s.position[2 * k + i] = w.value;
      s.angles[i] = a.at(twisting, x).value;
      s.angles[k + i] = -w.slope;
      s.angles[2 * k + i] = v.slope;
      for (int j = 0; j < k; ++j) s.shortening[i * k + j] = -slopes(x, a, shapes[j]);
      // a = twist - int v'' w': docs/theory/flexible.md, eq. 6.
      for (int j = i; j < k; ++j)
        s.twist_coupling[i * k + j] = s.twist_coupling[j * k + i] =
            -turning(x, a, shapes[j]) - turning(x, shapes[j], a);
    }
    return s;
  }

  double slopes(double x, const BeamShape& a, const BeamShape& b) const {
    double sum = 0;
    for (const ShapePart p : {across_y, across_z})
      if (a.has(p) && b.has(p))
        sum += up_to(x, [&](double u) { return a.at(p, u).slope * b.at(p, u).slope; });
    return sum;
  }
  double turning(double x, const BeamShape& a, const BeamShape& b) const {
    if (!a.has(across_y) || !b.has(across_z)) return 0;
    return up_to(x,
                 [&](double u) { return a.at(across_y, u).curvature * b.at(across_z, u).slope; });
  }

  std::vector<double> moments(double x) const {
    const int k = static_cast<int>(shapes.size());
    const int e = std::min(beam.elements - 1, static_cast<int>(x / length * beam.elements));
    const BeamProperties at = properties_of(beam, e);
    std::vector<double> m;
    for (const BeamShape& s : shapes) m.push_back(at.GJ * s.at(twisting, x).slope);
    for (const BeamShape& s : shapes) m.push_back(-at.EIy * s.at(across_z, x).curvature);
    for (const BeamShape& s : shapes) m.push_back(at.EIz * s.at(across_y, x).curvature);
    m.resize(3 * k);
    return m;
  }
};

/// A named function object, so that the table can be asked for again.
struct StationAt {
  std::shared_ptr<const Sections> sections;
  ModalStation operator()(double x) const { return sections->station(x); }
};

}  // namespace

void fill_sections(const BeamData& beam, const BeamSamples& samples,
                   std::shared_ptr<const ModeTable> table, ModalBody& body) {
  auto sections = std::make_shared<Sections>(
      Sections{beam, samples.shapes, {}, beam.length(), std::move(table)});
  for (std::size_t p = 0; p < samples.points.panel_start.size(); p += 20)
    sections->cuts.push_back(samples.points.panel_start[p]);
  body.station_at = StationAt{sections};
  body.moments = [sections](double x) { return sections->moments(x); };
}

std::shared_ptr<const ModeTable> mode_table_of(const ModalBody& body) {
  const StationAt* made = body.station_at.target<StationAt>();
  return made ? made->sections->table : nullptr;
}

}  // namespace ulna
