#include "modal_body/beam_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ulna {
namespace {

/// Where shapes or sections may have corners.
std::vector<double> cuts_of(const BeamData& beam, const ModeTable* table) {
  const double l = beam.length();
  if (table) return table->nodes;
  const bool cut = beam.sections.size() > 1 || beam.flexible->family == ModeFamily::finite_element;
  const int pieces = cut ? beam.elements : 1;
  std::vector<double> cuts;
  for (int c = 0; c <= pieces; ++c) cuts.push_back(l * c / pieces);
  return cuts;
}

}  // namespace

BeamSamples::BeamSamples(const BeamData& beam, const std::string& element, const ModeTable* table)
    : shapes(table ? shapes_of(*table) : shapes_of(beam)) {
  const double l = beam.length();
  double largest = 0;
  for (const BeamShape& s : shapes)
    for (const ModeShape& part : s.part) largest = std::max(largest, part.lambda);
  const std::vector<double> cuts = cuts_of(beam, table);
  const int pieces = static_cast<int>(cuts.size()) - 1;
  points = panel_quadrature(cuts, table ? 1 : 2 + static_cast<int>(largest) / (3 * pieces));
  const auto n = static_cast<long>(points.x.size());
  for (Eigen::VectorXd* v : {&root_rho, &root_spin, &EIy, &EIz, &GJ, &EA}) v->resize(n);
  for (long p = 0; p < n; ++p) {
    const int e = std::min(beam.elements - 1, static_cast<int>(points.x[p] / l * beam.elements));
    const BeamProperties at = properties_of(beam, e);
    root_rho(p) = std::sqrt(points.w[p] * at.mass);
    root_spin(p) = std::sqrt(points.w[p] * at.polar_inertia);
    EIy(p) = points.w[p] * at.EIy;
    EIz(p) = points.w[p] * at.EIz;
    GJ(p) = points.w[p] * at.GJ;
    EA(p) = points.w[p] * at.EA;
  }
  for (const ShapePart part : shape_parts) {
    for (auto* m : {&values, &slopes, &curvatures}) (*m)[part].setZero(n, modes());
    for (int i = 0; i < modes(); ++i)
      for (long p = 0; p < n && shapes[i].has(part); ++p) {
        const ShapeValue v = shapes[i].at(part, points.x[p]);
        values[part](p, i) = v.value, slopes[part](p, i) = v.slope;
        curvatures[part](p, i) = v.curvature;
      }
  }
  const auto need = [&](ShapePart part, const Eigen::VectorXd& stiff, const char* what) {
    if (any(part) && !table && !(stiff.minCoeff() > 0))
      refuse_beam(beam, element, fmt::format("flexible, but {} is not given", what),
                  fmt::format("a positive {}", what));
  };
  need(across_y, EIz, "EIz (bending along y)");
  need(across_z, EIy, "EIy (bending along z)");
  need(twisting, GJ, "GJ (torsion)");
  need(stretching, EA, "EA (stretching)");
  if (!(root_rho.minCoeff() > 0))
    refuse_beam(beam, element, "flexible, but without mass per length", "a positive mass");
}

bool BeamSamples::any(ShapePart part) const {
  return std::any_of(shapes.begin(), shapes.end(), [=](const BeamShape& s) { return s.has(part); });
}

Eigen::VectorXd BeamSamples::shortening(int i, int j) const {
  const long n = root_rho.size();
  Eigen::VectorXd out = Eigen::VectorXd::Zero(n);
  for (const ShapePart part : {across_y, across_z}) {
    if (!shapes[i].has(part) || !shapes[j].has(part)) continue;
    double before = 0, panel = 0;
    for (long p = 0; p < n; ++p) {
      const double start = points.panel_start[p];
      if (p > 0 && start != points.panel_start[p - 1]) before += panel, panel = 0;
      const ModeShape &a = shapes[i].part[part], &b = shapes[j].part[part];
      out(p) += before + integral([&](double x) { return a.at(x).slope * b.at(x).slope; }, start,
                                  points.x[p]);
      panel += points.w[p] * slopes[part](p, i) * slopes[part](p, j);
    }
  }
  return out;
}

Eigen::MatrixXd BeamSamples::stiffness(bool with_bending) const {
  const auto form = [](const Eigen::VectorXd& weight, const Eigen::MatrixXd& rows) {
    return Eigen::MatrixXd(rows.transpose() * weight.asDiagonal() * rows);
  };
  Eigen::MatrixXd K = form(GJ, slopes[twisting]) + form(EA, slopes[stretching]);
  if (with_bending) K += form(EIz, curvatures[across_y]) + form(EIy, curvatures[across_z]);
  return K;
}

}  // namespace ulna
