#include "ulna/model/parts/beam.hpp"

#include <Eigen/Geometry>

#include "ulna/model/robot.hpp"

namespace ulna {
namespace {

double shear_modulus(double E, double nu) { return E / (2 * (1 + nu)); }

struct NamedMaterial {
  const char* name;
  double E, nu, density;
};
constexpr NamedMaterial materials[] = {
    {"steel", 2.0e11, 0.3, 7800},      {"aluminium", 6.894e10, 0.3, 2700},
    {"titanium", 1.1e11, 0.34, 4430},  {"magnesium", 4.5e10, 0.29, 1770},
    {"cast-iron", 1.1e11, 0.26, 7200}, {"brass", 1.0e11, 0.34, 8500},
    {"acrylic", 3.0e9, 0.37, 1180},
};

Inertia<double> rod(const BeamData& beam) {
  const Matrix3<double> R = section_axes(beam);
  const int pieces = std::max<int>(1, static_cast<int>(beam.sections.size()));
  const Vector3<double> step = (beam.to - beam.from) / pieces;
  const double length = step.norm();
  Inertia<double> sum;
  for (int k = 0; k < pieces; ++k) {
    const BeamProperties p = properties_of(beam, k);
    const double slender = p.mass * length * length * length / 12;
    const Vector3<double> diagonal(p.polar_inertia * length,
                                   slender + p.rotatory_inertia_y * length,
                                   slender + p.rotatory_inertia_z * length);
    sum += Inertia<double>::from_centre(p.mass * length, beam.from + (k + 0.5) * step,
                                        R * diagonal.asDiagonal() * R.transpose());
  }
  return sum;
}

Inertial as_inertial(const Inertia<double>& I) {
  Inertial inertial;
  inertial.mass = I.mass;
  if (I.mass > 0) inertial.centre = I.first_moment / I.mass;
  inertial.inertia = I.about_origin - Inertia<double>::parallel_axis(I.mass, inertial.centre);
  return inertial;
}

Inertia<double> with_attached(const BeamData& beam) {
  Inertia<double> sum = rod(beam);
  for (const AttachedBody& body : beam.attached)
    sum += Inertia<double>::from_centre(
        body.inertial.mass, beam.from + body.station * (beam.to - beam.from) + body.inertial.centre,
        body.inertial.inertia);
  return sum;
}

}  // namespace

std::optional<Material> material_named(const std::string& name) {
  for (const NamedMaterial& m : materials)
    if (name == m.name) return Material{m.name, m.E, shear_modulus(m.E, m.nu), m.density};
  return std::nullopt;
}

std::vector<std::string> material_names() {
  std::vector<std::string> names;
  for (const NamedMaterial& m : materials) names.emplace_back(m.name);
  return names;
}

BeamProperties properties_of(const BeamData& beam, int element) {
  if (beam.products) return *beam.products;
  if (!beam.material || beam.sections.empty()) return {};
  const Material& m = *beam.material;
  const std::size_t k = beam.sections.size() == 1 ? 0 : static_cast<std::size_t>(element);
  const Section s = numbers_of(beam.sections.at(k), m.E / (2 * m.G) - 1);
  BeamProperties p;
  p.EA = m.E * s.A.value_or(0);
  p.EIy = m.E * s.Iy.value_or(0);
  p.EIz = m.E * s.Iz.value_or(0);
  p.GJ = m.G * s.J.value_or(0);
  p.kGAy = s.ky.value_or(0) * m.G * s.A.value_or(0);
  p.kGAz = s.kz.value_or(0) * m.G * s.A.value_or(0);
  p.mass = m.density * s.A.value_or(0);
  p.polar_inertia = m.density * s.Ip.value_or(0);
  p.rotatory_inertia_y = m.density * s.Iy.value_or(0);
  p.rotatory_inertia_z = m.density * s.Iz.value_or(0);
  return p;
}

Matrix3<double> section_axes(const BeamData& beam) {
  const Vector3<double> x = (beam.to - beam.from).normalized();
  Vector3<double> v = beam.reference.value_or(Vector3<double>::UnitY());
  if (!beam.reference && x.cross(v).norm() < 1e-3) v = Vector3<double>::UnitZ();
  const Vector3<double> z = x.cross(v).normalized();
  Matrix3<double> R;
  R << x, z.cross(x), z;
  return R;
}

Inertial inertial_of(const BeamData& beam) { return as_inertial(with_attached(beam)); }

Inertial inertial_of(const BodyData& body) {
  if (body.beams.empty()) return body.inertial;
  Inertia<double> sum;
  for (const BeamData& beam : body.beams) sum += with_attached(beam);
  return as_inertial(sum);
}

const char* name_of(ModeFamily family) {
  switch (family) {
    case ModeFamily::clamped_free:
      return "clamped-free";
    case ModeFamily::clamped_tip_body:
      return "clamped-tip-body";
    case ModeFamily::pinned_pinned:
      return "pinned-pinned";
    case ModeFamily::clamped_clamped:
      return "clamped-clamped";
    case ModeFamily::finite_element:
      return "finite-element";
    case ModeFamily::geometrically_exact:
      return "geometrically-exact";
  }
  return "";
}

}  // namespace ulna
