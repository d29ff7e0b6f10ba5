#include "modal_body/beam_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "frame/hermite.hpp"
#include "ulna/elastic/modal_body.hpp"

namespace ulna {
namespace {

/// The rigid bodies at the end of the axis, as bending in one plane feels them. `across` is the
/// normal of the plane in body axes.
TipBody tip_of(const BeamData& beam, const Vector3<double>& along, const Vector3<double>& across) {
  const BeamProperties p = properties_of(beam);
  const double l = beam.length();
  double mass = 0, moment = 0, second = 0;
  for (const AttachedBody& body : beam.attached) {
    if (body.station < 1) continue;
    const double offset = body.inertial.centre.dot(along);
    mass += body.inertial.mass;
    moment += body.inertial.mass * offset;
    second += across.dot(body.inertial.inertia * across) + body.inertial.mass * offset * offset;
  }
  if (mass == 0) return {0, 0, second / (p.mass * l * l * l)};
  const double offset = moment / mass;
  return {mass / (p.mass * l), offset / l,
          (second - mass * offset * offset) / (p.mass * l * l * l)};
}

/// Between nodes: cubic where slopes are known, else straight.
struct TableShape {
  std::vector<double> nodes, values, slopes;  ///< slopes may be empty

  ShapeValue operator()(double x) const {
    const auto after = std::upper_bound(nodes.begin() + 1, nodes.end() - 1, x);
    const auto e = static_cast<std::size_t>(after - nodes.begin()) - 1;
    const double h = nodes[e + 1] - nodes[e], s = (x - nodes[e]) / h;
    const double a = values[e], c = values[e + 1];
    if (slopes.empty()) return {a + s * (c - a), (c - a) / h, 0};
    return elastic_detail::hermite(a, h * slopes[e], c, h * slopes[e + 1], s, h);
  }
};

}  // namespace

BeamModes modes_of(const BeamData& beam) {
  const FlexibleData& f = *beam.flexible;
  const double l = beam.length();
  BeamModes out;
  if (f.family == ModeFamily::finite_element) {
    std::vector<double> EIy, EIz, mass;
    for (int e = 0; e < beam.elements; ++e) {
      const BeamProperties p = properties_of(beam, e);
      EIy.push_back(p.EIy), EIz.push_back(p.EIz), mass.push_back(p.mass);
    }
    if (f.bending_y > 0) out.bending_y = craig_bampton_modes(l, EIz, mass, f.bending_y);
    if (f.bending_z > 0) out.bending_z = craig_bampton_modes(l, EIy, mass, f.bending_z);
  } else {
    const Matrix3<double> axes = section_axes(beam);
    const bool tip = f.family == ModeFamily::clamped_tip_body;
    if (f.bending_y > 0)
      out.bending_y = bending_modes(f.family, l, f.bending_y,
                                    tip ? tip_of(beam, axes.col(0), axes.col(2)) : TipBody{});
    if (f.bending_z > 0)
      out.bending_z = bending_modes(f.family, l, f.bending_z,
                                    tip ? tip_of(beam, axes.col(0), axes.col(1)) : TipBody{});
  }
  out.torsion = sine_modes(f.family, l, f.torsion);
  out.axial = sine_modes(f.family, l, f.axial);
  return out;
}

std::vector<BeamShape> shapes_of(const ModeTable& table) {
  std::vector<BeamShape> out(static_cast<std::size_t>(table.modes()));
  for (int m = 0; m < table.modes(); ++m) {
    BeamShape& shape = out[m];
    shape.name = table.names.empty() ? fmt::format("m{}", m + 1) : table.names[m];
    const auto row = [&](const Eigen::MatrixXd& rows, int axis, double sign) {
      std::vector<double> values;
      for (std::size_t i = 0; i < table.nodes.size(); ++i)
        values.push_back(sign * rows(3 * static_cast<long>(i) + axis, m));
      return values;
    };
    const auto add = [&](ShapePart part, std::vector<double> values, std::vector<double> slopes) {
      const auto moves = [](double x) { return x != 0; };
      if (std::any_of(values.begin(), values.end(), moves) ||
          std::any_of(slopes.begin(), slopes.end(), moves))
        shape.part[part].at = TableShape{table.nodes, std::move(values), std::move(slopes)};
    };
    // v' is the turn about z, w' the turn about -y.
    add(across_y, row(table.translations, 1, 1), row(table.rotations, 2, 1));
    add(across_z, row(table.translations, 2, 1), row(table.rotations, 1, -1));
    add(twisting, row(table.rotations, 0, 1), {});
    add(stretching, row(table.translations, 0, 1), {});
  }
  return out;
}

std::vector<BeamShape> shapes_of(const BeamData& beam) {
  const BeamModes modes = modes_of(beam);
  const ModeSet* sets[] = {&modes.bending_y, &modes.bending_z, &modes.torsion, &modes.axial};
  constexpr char letters[] = {'y', 'z', 't', 'x'};
  std::vector<BeamShape> out;
  for (const ShapePart p : shape_parts)
    for (std::size_t m = 0; m < sets[p]->modes.size(); ++m) {
      BeamShape shape;
      shape.name = fmt::format("{}{}", letters[p], m + 1);
      shape.part[p] = sets[p]->modes[m];
      out.push_back(std::move(shape));
    }
  return out;
}

void refuse_beam(const BeamData& beam, const std::string& element, const std::string& found,
                 const std::string& expected, const std::string& hint) {
  throw InputError(Problem{beam.mark, element, found, expected, hint});
}

}  // namespace ulna
