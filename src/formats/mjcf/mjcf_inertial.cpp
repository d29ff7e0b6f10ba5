// Masses of the bodies of a MuJoCo model: <inertial>, or the sum of the geoms.

#include <fmt/format.h>

#include "mjcf/mjcf_parts.hpp"
#include "ulna/numerics/dense.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

Inertial given_inertial(MjcfContext& context, pugi::xml_node node, const Pose<double>& X_BF) {
  const XmlElement element = context.element(node);
  context.account(element, node, with_pose({"mass", "diaginertia", "fullinertia"}));
  Inertial result;
  result.mass = element.needed_number("mass");
  const Pose<double> X = X_BF * mjcf_pose(context, element);
  result.centre = X.position;
  if (element.has("fullinertia")) {
    const std::vector<double> m = element.numbers("fullinertia", 6);
    Matrix3<double> full;
    full << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
    // In the axes of the body, or of the frame.
    for (const char* turn : {"quat", "axisangle", "euler", "xyaxes", "zaxis"})
      if (element.has(turn))
        element.complain(fmt::format("both fullinertia and {} are given", turn),
                         "diaginertia with an orientation, or fullinertia in the body's axes");
    result.inertia = X_BF.rotation * full * X_BF.rotation.transpose();
  } else {
    const Vector3<double> diagonal = element.vector("diaginertia", Vector3<double>::Zero());
    result.inertia = X.rotation * diagonal.asDiagonal() * X.rotation.transpose();
  }
  return result;
}

/// Adds the masses of meshes; returns a sentence about the first that could not be had.
std::string add_meshes(MjcfContext& context, MjcfMasses& masses) {
  std::string missing;
  for (const MjcfMeshGeom& geom : masses.meshes) {
    std::string complaint;
    const std::optional<MeshMass> solid = mjcf_mesh_mass(context, geom.mesh, complaint);
    if (!solid) {
      if (missing.empty())
        missing =
            fmt::format("the mass of mesh {} is not known ({})", in_quotes(geom.mesh), complaint);
      continue;
    }
    Inertia<double> about;
    about.mass = geom.mass ? *geom.mass : geom.density * solid->volume;
    about.first_moment = about.mass * solid->centre;
    about.about_origin = about.mass / solid->volume * solid->inertia +
                         Inertia<double>::parallel_axis(about.mass, solid->centre);
    masses.sum += transform(geom.X_BG, about);
    masses.any = masses.any || about.mass > 0;
  }
  return missing;
}

/// boundmass, boundinertia, balanceinertia: what MuJoCo's compiler does to keep models usable.
Inertial bounded(const MjcfSettings& s, Inertial inertial, const XmlElement& body) {
  if (inertial.mass < s.least_mass) {
    body.note_changed(fmt::format("mass raised to boundmass, {}", s.least_mass));
    inertial.mass = s.least_mass;
  }
  if (s.least_inertia <= 0 && !s.balance) return inertial;
  const dense::SymmetricEigen principal = dense::eigen_symmetric(inertial.inertia);
  Vector3<double> moments = principal.values;
  const Vector3<double> before = moments;
  moments = moments.cwiseMax(s.least_inertia);
  if (s.balance && moments(0) + moments(1) < moments(2)) moments.setConstant(moments.mean());
  if (moments == before) return inertial;
  inertial.inertia = principal.vectors * moments.asDiagonal() * principal.vectors.transpose();
  body.note_changed("moments of inertia changed by boundinertia or balanceinertia");
  return inertial;
}

}  // namespace

Inertial mjcf_inertial(MjcfContext& context, const XmlElement& body, pugi::xml_node given,
                       const Pose<double>& X_BF, MjcfMasses masses) {
  using FromGeoms = MjcfSettings::FromGeoms;
  const FromGeoms rule = context.settings.inertia;
  Inertial result;
  const bool geoms = masses.any || !masses.meshes.empty();
  if (given && (rule != FromGeoms::always || !geoms)) {
    result = given_inertial(context, given, X_BF);
  } else if (rule != FromGeoms::never) {
    if (const std::string missing = add_meshes(context, masses); !missing.empty())
      body.note_changed(fmt::format("no <inertial>, and {}: the body has {}", missing,
                                    masses.any ? "the mass of its other geoms" : "no mass"));
    if (masses.any) {
      const Inertia<double>& sum = masses.sum;
      result.mass = sum.mass;
      result.centre = sum.first_moment / sum.mass;
      result.inertia = sum.about_origin - Inertia<double>::parallel_axis(sum.mass, result.centre);
      body.note_used("mass and inertia from its geoms");
    }
  }
  return bounded(context.settings, result, body);
}

}  // namespace ulna
