#include "ulna/dynamics/internal/energy_rate.hpp"

#include <cmath>

#include "kernels/moving_tree.hpp"
#include "ulna/dynamics/elements.hpp"
#include "ulna/dynamics/kernels/elements.hpp"
#include "ulna/dynamics/kernels/flexible_energy.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/model/kernels/spring.hpp"

namespace ulna {
namespace {

/// The energies on numbers that carry their rates. Allocates.
EnergyRate flexible_energy_rate(const Model& model, const VectorRef& q, const VectorRef& v,
                                const VectorRef& a) {
  const MovingTree now(model, q, v, a);
  return {flexible_kinetic_energy(now.tree, now.work, now.q.data(), now.v.data()).d[0],
          flexible_potential_energy<MovingTree::D>(now.tree, now.work, model.degree_terms(),
                                                   now.q.data(), now.v.data())
                  .d[0] +
              element_energy<MovingTree::D>(model.elements(), now.tree, now.q.data(), now.v.data())
                  .d[0]};
}

}  // namespace

EnergyRate energy_rate(const Model& model, Workspace& work, const VectorRef& q, const VectorRef& v,
                       const VectorRef& a) {
  if (model.flexible()) return flexible_energy_rate(model, q, v, a);
  update_motions(model, work, q, v, a);
  EnergyRate rate{0, 0};
  const Vec3<double> g = vec3(model.parameters().gravity);
  for (int i = 1; i < work.nodes(); ++i) {
    const NodeParameters<double>& par = model.parameters().nodes[i];
    const NodePose<double>& X = work.view().pose[i];
    const NodeMotion<double>& m = work.view().motion[i];
    // In the node's axes, about its origin.
    const Vec3<double> w = transposed_times(X.R, m.w), u = transposed_times(X.R, m.v),
                       dw = transposed_times(X.R, m.dw), du = transposed_times(X.R, m.dv);
    const Vec3<double> h = vec3(par.first_moment);
    const double* s = par.second_moment;
    const Sym3<double> Sigma{s[0], s[1], s[2], s[3], s[4], s[5]};
    const double trace = s[0] + s[1] + s[2];
    const auto inertia_times = [&](const Vec3<double>& x) { return scaled(trace, x) - Sigma * x; };
    const Vec3<double> force = scaled(par.mass, du) + cross(dw, h) + cross(w, cross(w, h));
    const Vec3<double> moment = inertia_times(dw) + cross(w, inertia_times(w)) + cross(h, du);
    rate.kinetic += dot(force, u) + dot(moment, w);
    rate.potential -= dot(scaled(par.mass, m.v) + X.R * cross(w, h), g);
  }
  for (int k = 0; k < model.speeds(); ++k)
    rate.kinetic += model.parameters().armature[k] * v(k) * a(k);
  for (const DegreeTerms& t : model.degree_terms())
    if (t.has_spring())
      rate.potential += spring_effort(t, spring_stretch(t, q.data())) * t.multiplier * v(t.v);
  for (int k = 0; k < static_cast<int>(model.elements().size()); ++k) {
    const ElementReading reading = element_reading(model, k, q, v);
    rate.potential += reading.power - reading.dissipated;
  }
  return rate;
}

double dissipated_power(const Model& model, const VectorRef& q, const VectorRef& v) {
  check_size(model, v, model.speeds(), "v");
  double power = element_dissipation(model, q, v);
  for (const DegreeTerms& t : model.degree_terms()) {
    const double rate = t.multiplier * v(t.v);
    power += t.damping * rate * rate + t.friction * std::abs(rate);
  }
  for (const FlexibleLink& link : model.flexible_links())
    power += quadratic_form(link.modal->damping.data(), v.data() + link.v, v.data() + link.v,
                            link.modal->modes);
  return power;
}

double external_power(const Model& model, Workspace& work, const VectorRef& q, const VectorRef& v,
                      ExternalWrenches wrenches) {
  if (wrenches.empty()) return 0;
  update_motions(model, work, q, v, work.zero());
  double power = 0;
  for (const ExternalWrench& wrench : wrenches) {
    const Carrier at = model.carrier(wrench.body, wrench.point);
    const NodeMotion<double>& m = work.view().motion[at.node];
    const Vector3<double>& p = at.X_NF.position;
    const Vec3<double> arm = work.view().pose[at.node].R * Vec3<double>{p.x(), p.y(), p.z()};
    const Vec3<double> u = m.v + cross(m.w, arm);
    const Matrix3<double> R_WE = frame_pose(model, work, wrench.expressed_in).rotation;
    power += (R_WE * wrench.force).dot(Vector3<double>(u.x, u.y, u.z)) +
             (R_WE * wrench.moment).dot(Vector3<double>(m.w.x, m.w.y, m.w.z));
  }
  return power;
}

}  // namespace ulna
