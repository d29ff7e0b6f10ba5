#include "yaml/yaml_solid.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <filesystem>

#include "mesh/mesh_mass.hpp"
#include "mesh/solid.hpp"
#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/model/parts/placement.hpp"
#include "ulna/spatial/inertia.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

using Shape = Geometry::Shape;

/// Of unit density, in the axes of the shape.
Inertia<double> solid_inertia(const std::string& type, const Vector3<double>& size) {
  const Solid solid = solid_of(type, size);
  Inertia<double> out;
  out.mass = solid.volume;
  out.first_moment = Vector3<double>::Zero();
  out.about_origin = (solid.volume * solid.moments).asDiagonal();
  return out;
}

std::string mesh_file(const YamlContext& context, const std::string& mesh) {
  const std::filesystem::path path(mesh);
  return path.is_absolute() ? mesh
                            : (std::filesystem::path(context.file).parent_path() / path).string();
}

/// How much of the surface is missing: the vector areas of a closed mesh cancel.
double opening(const Triangles& t) {
  Vector3<double> sum = Vector3<double>::Zero();
  double area = 0;
  for (std::size_t k = 0; k + 9 <= t.size(); k += 9) {
    const Vector3<double> a(t[k], t[k + 1], t[k + 2]), b(t[k + 3], t[k + 4], t[k + 5]),
        c(t[k + 6], t[k + 7], t[k + 8]), normal = (b - a).cross(c - a) / 2;
    sum += normal;
    area += normal.norm();
  }
  return area > 0 ? sum.norm() / area : 1;
}

Inertia<double> mesh_inertia(YamlContext& context, const Geometry& shape) {
  const Triangles triangles = scaled(read_mesh(mesh_file(context, shape.mesh)), shape.scale);
  const MeshMass mass = mass_of_mesh(triangles, MeshVolume::exact);
  constexpr double closed = 1e-3;
  if (!(mass.volume > 0) || opening(triangles) > closed)
    throw InputError(fmt::format("mesh {} encloses no volume: it is open, or its triangles face "
                                 "inwards",
                                 in_quotes(shape.mesh)),
                     "a closed mesh");
  Inertia<double> out;
  out.mass = mass.volume;
  out.first_moment = mass.volume * mass.centre;
  out.about_origin = mass.inertia + Inertia<double>::parallel_axis(mass.volume, mass.centre);
  return out;
}

Inertia<double> shape_inertia(YamlContext& context, const Geometry& shape) {
  const Vector3<double>& s = shape.size;
  switch (shape.shape) {
    case Shape::box:
      return solid_inertia("box", s / 2);
    case Shape::sphere:
      return solid_inertia("sphere", s);
    case Shape::cylinder:
    case Shape::capsule:
      return solid_inertia(shape.shape == Shape::cylinder ? "cylinder" : "capsule",
                           {s.x(), s.y() / 2, 0});
    case Shape::mesh:
      break;
  }
  return mesh_inertia(context, shape);
}

}  // namespace

bool takes_inertia_from_geometry(const YamlMap& body) {
  const YamlNode* inertia = body.find("inertia");
  return body.has("density") ||
         (inertia && inertia->kind == YamlNode::Kind::scalar && inertia->text == "from-geometry");
}

void inertia_from_geometry(YamlContext& context, const YamlMap& map, BodyData& body) {
  const YamlNode* inertia = map.find("inertia");
  if (inertia && (inertia->kind != YamlNode::Kind::scalar || inertia->text != "from-geometry"))
    return map.complain("density", "given together with an inertia",
                        "inertia: from-geometry, or none");
  if (map.has("centre"))
    return map.complain("centre", "given together with an inertia from the shapes",
                        "no centre: it follows from the shapes");
  if (map.has("mass") == map.has("density"))
    return map.complain("inertia",
                        map.has("mass") ? "both mass and density are given"
                                        : "from-geometry without mass or density",
                        "one of mass: 2.5 and density: 2700");
  const bool visual = std::ranges::any_of(
      body.geometry, [](const Geometry& g) { return g.use == Geometry::Use::visual; });
  Inertia<double> sum;
  sum.mass = 0, sum.first_moment.setZero(), sum.about_origin.setZero();
  try {
    for (const Geometry& shape : body.geometry)
      if ((shape.use == Geometry::Use::visual) == visual)
        sum += transform(shape.X_BG, shape_inertia(context, shape));
  } catch (const InputError& error) {
    for (const Problem& p : error.problems())
      context.problems.add(map.mark(), map.element() + ", inertia", p.message, p.expectation,
                           p.hint);
    return;
  }
  if (!(sum.mass > 0))
    return map.complain("inertia", "the body has no shape with a volume", "shapes under geometry");
  const double density = map.has("density") ? map.number("density", quantity::density, 0)
                                            : map.number("mass", quantity::mass, 0) / sum.mass;
  if (!(density > 0) || !std::isfinite(density))
    return map.complain(map.has("density") ? "density" : "mass", "it is not above zero",
                        "a positive number");
  body.inertial.mass = density * sum.mass;
  body.inertial.centre = sum.first_moment / sum.mass;
  body.inertial.inertia =
      density * (sum.about_origin - Inertia<double>::parallel_axis(sum.mass, body.inertial.centre));
}

namespace {

bool turns_z_only(const Matrix3<double>& R) { return std::abs(std::abs(R(2, 2)) - 1) < 1e-9; }

/// Whether a joint keeps the z axes of its bodies parallel.
bool moves_in_plane(const JointData& joint) {
  if (!turns_z_only(joint.X_PF.rotation) || !turns_z_only(joint.X_MC.rotation)) return false;
  const double along = std::abs(joint.axis.normalized().z());
  const std::span<const Degree> speeds = traits_of(joint.type).speeds;
  if (speeds.empty()) return true;
  if (speeds.size() == 1)
    return speeds[0].dimension == ulna::Dimension::length ? along < 1e-9 : along > 1 - 1e-9;
  return joint.type == JointType::planar && along > 1 - 1e-9;
}

}  // namespace

void complete_planar(YamlContext& context, const YamlMap& map, Robot& robot) {
  const std::string word = map.text("planar");
  if (word != "true" && word != "false")
    return map.complain("planar", "found " + in_quotes(word), "true or false");
  if (word == "false") return;
  for (const JointData& joint : robot.joints)
    if (!moves_in_plane(joint))
      context.problems.add(joint.mark, "joint " + in_quotes(joint.name),
                           "it does not move in the plane z = 0 of a planar robot",
                           "turns about z, slides along x and y, frames turned about z",
                           "without planar: true robots move in space");
  const auto complete = [](Inertial& inertial) {
    Matrix3<double>& I = inertial.inertia;
    if (I(0, 0) == 0 && I(1, 1) == 0 && I(2, 2) > 0) I(0, 0) = I(1, 1) = I(2, 2) / 2;
  };
  for (BodyData& body : robot.bodies) complete(body.inertial);
  for (PayloadData& payload : robot.payloads) complete(payload.inertial);
}

}  // namespace ulna
