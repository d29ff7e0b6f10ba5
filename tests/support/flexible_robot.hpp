#pragma once
// Flexible robots for tests: random trees of any joints with beams in them, and planar arms.

#include "support/random_robot.hpp"
#include "ulna/elastic/modal_body.hpp"

namespace ulna::testing {

struct BeamRecipe {
  int bending_y = 2, bending_z = 0, torsion = 0, axial = 0;
  ModeFamily family = ModeFamily::clamped_free;
  double damping = 0;
};

inline BeamData uniform_beam(double length, double EIz, double mass, const BeamRecipe& recipe) {
  BeamData beam;
  beam.to = {length, 0, 0};
  BeamProperties p;
  p.EIz = EIz;
  p.EIy = 1.3 * EIz;
  p.GJ = 0.8 * EIz;
  p.EA = 4000 * EIz;
  p.mass = mass;
  p.polar_inertia = 1e-3 * mass;
  beam.products = p;
  beam.elements = 8;
  FlexibleData f;
  f.bending_y = recipe.bending_y, f.bending_z = recipe.bending_z;
  f.torsion = recipe.torsion, f.axial = recipe.axial;
  f.family = recipe.family;
  f.damping = {recipe.damping};
  beam.flexible = f;
  return beam;
}

/// Every second body of a random tree becomes a beam that its joint holds at one end (or, where
/// `turned`, at the far end); what it carries stands anywhere along it and beyond.
inline Robot random_flexible_robot(Generator& g, RobotRecipe recipe, const BeamRecipe& beams,
                                   bool turned = false) {
  Robot robot = random_robot(g, recipe);
  for (std::size_t i = 0; i < robot.bodies.size(); i += 2) {
    BodyData& body = robot.bodies[i];
    const double length = uniform(g, 0.5, 1);
    BeamData beam = uniform_beam(length, uniform(g, 20, 100), uniform(g, 0.5, 2), beams);
    const Matrix3<double> R = random_rotation(g);
    beam.from = random_vector(g, 0.2);
    beam.to = beam.from + R * Vector3<double>(length, 0, 0);
    beam.reference = Vector3<double>(R.col(1));
    beam.attached.push_back({1, random_inertial(g)});
    beam.attached.push_back({0.4, random_inertial(g)});
    body.inertial = {};
    for (JointData& joint : robot.joints)
      if (joint.child == body.name) {
        const Vector3<double> end = turned ? beam.to : beam.from;
        joint.X_MC.position = -(joint.X_MC.rotation * end);
      } else if (joint.parent == body.name) {
        const double x = uniform(g, 0.3, 1.2);
        joint.X_PF.position = beam.from + x * (beam.to - beam.from) + random_vector(g, 0.05);
      }
    body.beams = {beam};
  }
  make_flexible(robot);
  return robot;
}

}  // namespace ulna::testing
