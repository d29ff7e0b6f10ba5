// A geometrically exact beam: elements along the axis whose strains are coordinates.
// docs/theory/geometrically-exact.md, eq. 1-5, 12-14.

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "modal_body/modal_parts.hpp"
#include "modal_body/strain_elements.hpp"
#include "ulna/elastic/modal_body.hpp"

namespace ulna {
namespace {

/// The six strains: turns about x, y, z and displacements along them, each per length.
constexpr const char* strain_names[] = {"tx", "ty", "tz", "dx", "dy", "dz"};

/// What a strain of a section is: how many functions it has in an element, its stiffness and its
/// damping as a time by which the rate of strain counts.
struct StrainKind {
  int functions;
  double stiffness, time;
};

/// eq. 14: a ratio of critical damping of the first mode of a kind (bending_y, bending_z, torsion,
/// axial), or Rayleigh's factors there.
double damping_time(const FlexibleData& f, int kind, double omega) {
  const int counts[] = {f.bending_y, f.bending_z, f.torsion, f.axial};
  if (counts[kind] == 0) return 0;
  if (f.rayleigh) return f.rayleigh->first / (omega * omega) + f.rayleigh->second;
  if (f.damping.empty()) return 0;
  std::size_t first = 0;
  for (int k = 0; k < kind; ++k) first += static_cast<std::size_t>(counts[k]);
  return 2 * (f.damping.size() == 1 ? f.damping[0] : f.damping.at(first)) / omega;
}

std::array<StrainKind, 6> kinds_of(const BeamData& beam, int element) {
  const FlexibleData& f = *beam.flexible;
  const BeamProperties p = properties_of(beam, element), root = properties_of(beam, 0);
  const double l = beam.length();
  const auto bending = [&](double EI) {
    return 3.5160152685 / (l * l) * std::sqrt(EI / root.mass);
  };
  const auto along = [&](double stiff, double inertia) {
    return 0.5 * M_PI / l * std::sqrt(stiff / inertia);
  };
  const double y = damping_time(f, 0, bending(root.EIz)), z = damping_time(f, 1, bending(root.EIy)),
               twist = damping_time(f, 2, along(root.GJ, root.polar_inertia)),
               stretch = damping_time(f, 3, along(root.EA, root.mass));
  const bool shears_y = f.bending_y > 0 && root.kGAy > 0 && root.rotatory_inertia_z > 0,
             shears_z = f.bending_z > 0 && root.kGAz > 0 && root.rotatory_inertia_y > 0;
  return {{{f.torsion, p.GJ, twist},
           {f.bending_z, p.EIy, z},
           {f.bending_y, p.EIz, y},
           {f.axial, p.EA, stretch},
           {shears_y ? f.axial : 0, p.kGAy, y},
           {shears_z ? f.axial : 0, p.kGAz, z}}};
}

/// What a beam must have for the strains that are asked for.
void check_properties(const BeamData& beam, const std::string& element, int e) {
  constexpr const char* needs[] = {"GJ (torsion)",          "EIy (bending along z)",
                                   "EIz (bending along y)", "EA (stretching)",
                                   "kGAy (shear along y)",  "kGAz (shear along z)"};
  const std::array<StrainKind, 6> kinds = kinds_of(beam, e);
  for (std::size_t i = 0; i < 6; ++i)
    if (kinds[i].functions > 0 && !(kinds[i].stiffness > 0))
      refuse_beam(beam, element, fmt::format("flexible, but {} is not given", needs[i]),
                  fmt::format("a positive {}", needs[i]));
  const BeamProperties p = properties_of(beam, e);
  if (!(p.mass > 0))
    refuse_beam(beam, element, "flexible, but without mass per length", "a positive mass");
  if (kinds[0].functions > 0 && !(p.polar_inertia > 0))
    refuse_beam(beam, element, "torsion, but its sections have no polar inertia",
                "a section, or EA beside EIy and EIz", "torsion: 0 leaves twisting out");
}

/// Coordinates of one element: which strain, and which function of it.
std::vector<int> strains_of(const std::array<StrainKind, 6>& kinds) {
  std::vector<int> strains;
  for (int i = 0; i < 6; ++i)
    for (int function = 0; function < kinds[i].functions; ++function)
      strains.push_back(i + 6 * function);
  return strains;
}

/// eq. 5: the factors of the screw at s from the start of an element of length h.
ModalStation strain_station(const std::vector<int>& strains, double start, double h, double s) {
  ModalStation out;
  out.x = start + s;
  out.position = {s, s * s / h - s, s * s * s / (6 * h), 1 / h};
  out.angles.assign(strains.begin(), strains.end());
  return out;
}

/// A point of a rule of quadrature on the element from 0 to 1.
struct RulePoint {
  double place, weight;
};

/// eq. 12: Simpson's rule. Its points move across as the element's two functions of curvature do,
/// but not also as the joint at the start of the beam does: the first element has Lobatto's rule of
/// four points, or a hinge before a slender beam would turn no inertia but that of the sections.
std::vector<RulePoint> mass_rule(bool first) {
  if (!first) return {{0, 1.0 / 6}, {0.5, 4.0 / 6}, {1, 1.0 / 6}};
  const double inner = 0.5 / std::sqrt(5.0);
  return {{0, 1.0 / 12}, {0.5 - inner, 5.0 / 12}, {0.5 + inner, 5.0 / 12}, {1, 1.0 / 12}};
}

std::vector<BeamSlice> slices_of(const BeamProperties& p, double h, bool first) {
  std::vector<BeamSlice> slices;
  for (const auto& [place, weight] : mass_rule(first)) {
    BeamSlice slice;
    slice.x = place * h;
    slice.inertial.mass = weight * h * p.mass;
    slice.inertial.inertia =
        Vector3<double>(p.polar_inertia, p.rotatory_inertia_y, p.rotatory_inertia_z).asDiagonal();
    slice.inertial.inertia *= weight * h;
    slices.push_back(slice);
  }
  return slices;
}

BeamElements::Element strain_element(const BeamData& beam, int e) {
  const double h = beam.length() / beam.elements;
  const std::array<StrainKind, 6> kinds = kinds_of(beam, e);
  const std::vector<int> strains = strains_of(kinds);
  const double start = h * e;
  ModalBody out;
  const int k = out.modes = static_cast<int>(strains.size());
  out.length = h;
  out.stiffness.assign(static_cast<std::size_t>(k) * k, 0), out.damping = out.stiffness;
  for (int j = 0; j < k; ++j) {
    const StrainKind& kind = kinds[strains[j] % 6];
    // eq. 13: the integral over the element of 1 or of (2 s / h - 1)^2, by coordinates of h strain.
    const double stiff = kind.stiffness / (strains[j] < 6 ? h : 3 * h);
    out.stiffness[j * k + j] = stiff;
    out.damping[j * k + j] = kind.time * stiff;
    out.names.push_back(
        fmt::format("{}{}{}", strain_names[strains[j] % 6], e + 1, strains[j] < 6 ? "" : "s"));
  }
  out.station_at = [strains, start, h](double s) { return strain_station(strains, start, h, s); };
  return {std::make_shared<ModalBody>(std::move(out)), start,
          slices_of(properties_of(beam, e), h, e == 0)};
}

/// 3 x k: twisting and bending moments at x by the coordinates of the whole beam.
std::vector<double> section_moments(const BeamData& beam, std::size_t k, double x) {
  const double h = beam.length() / beam.elements;
  const int e = std::min(beam.elements - 1, std::max(0, static_cast<int>(x / h)));
  const std::array<StrainKind, 6> kinds = kinds_of(beam, e);
  const std::vector<int> strains = strains_of(kinds);
  const std::size_t first = strains.size() * static_cast<std::size_t>(e);
  std::vector<double> rows(3 * k, 0.0);
  for (std::size_t j = 0; j < strains.size(); ++j) {
    const int i = strains[j] % 6;
    if (i < 3)
      rows[i * k + first + j] =
          kinds[i].stiffness / h * (strains[j] < 6 ? 1 : 2 * (x - h * e) / h - 1);
  }
  return rows;
}

}  // namespace

ModalBody geometrically_exact_body(const BeamData& beam, const std::string& element) {
  ModalBody whole;
  whole.length = beam.length();
  whole.X_BR = {section_axes(beam), beam.from};
  auto elements = std::make_shared<BeamElements>();
  for (int e = 0; e < beam.elements; ++e) {
    check_properties(beam, element, e);
    elements->list.push_back(strain_element(beam, e));
    const ModalBody& part = *elements->list.back().body;
    whole.modes += part.modes;
    whole.names.insert(whole.names.end(), part.names.begin(), part.names.end());
  }
  const auto k = static_cast<std::size_t>(whole.modes);
  whole.stiffness.assign(k * k, 0), whole.damping = whole.stiffness;
  whole.frequencies.assign(k, 0.0);
  std::size_t first = 0;
  for (const BeamElements::Element& part : elements->list) {
    const auto own = static_cast<std::size_t>(part.body->modes);
    for (std::size_t j = 0; j < own; ++j) {
      const std::size_t at = (first + j) * (k + 1);
      whole.stiffness[at] = part.body->stiffness[j * (own + 1)];
      whole.damping[at] = part.body->damping[j * (own + 1)];
    }
    first += own;
  }
  whole.moments = [beam, modes = k](double x) { return section_moments(beam, modes, x); };
  whole.elements = std::move(elements);
  return whole;
}

}  // namespace ulna
