#include "ulna/dynamics/energy_rate.hpp"

#include <cmath>

#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/check_size.hpp"
#include "ulna/model/spring.hpp"

namespace ulna {

EnergyRate energy_rate(const Model& model, Workspace& work, const VectorRef& q, const VectorRef& v,
                       const VectorRef& a) {
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
  return rate;
}

double dissipated_power(const Model& model, const VectorRef& v) {
  check_size(model, v, model.speeds(), "v");
  double power = 0;
  for (const DegreeTerms& t : model.degree_terms()) {
    const double rate = t.multiplier * v(t.v);
    power += t.damping * rate * rate + t.friction * std::abs(rate);
  }
  return power;
}

double external_power(const Model& model, Workspace& work, const VectorRef& q, const VectorRef& v,
                      ExternalWrenches wrenches) {
  if (wrenches.empty()) return 0;
  update_motions(model, work, q, v, work.zero());
  double power = 0;
  for (const ExternalWrench& wrench : wrenches) {
    // The frames of the bodies come first among the frames.
    const Twist<double> twist = frame_velocity(model, work, wrench.body);
    const Matrix3<double> R_WB = frame_pose(model, work, wrench.body).rotation;
    const Matrix3<double> R_WE = frame_pose(model, work, wrench.expressed_in).rotation;
    const Vector3<double> arm = R_WB * wrench.point;
    power += (R_WE * wrench.force).dot(twist.linear + twist.angular.cross(arm)) +
             (R_WE * wrench.moment).dot(twist.angular);
  }
  return power;
}

}  // namespace ulna
