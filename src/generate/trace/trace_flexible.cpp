// Functions of robots with flexible bodies, traced: the kernels of the flexible dynamics on
// expressions. Modal data are numbers; modal coordinates come after those of the joints.

#include <fmt/format.h>

#include "trace/flexible_tracing.hpp"
#include "trace/formulation_route.hpp"
#include "ulna/dynamics/kernels/elements.hpp"
#include "ulna/dynamics/kernels/flexible_energy.hpp"
#include "ulna/kinematics/kernels/flexible_kinematics.hpp"

namespace ulna::generate {
namespace {

using E = Expression;

Expressions with_passive(const Tracing& t, Expressions tau, const Expressions& v, int sense) {
  traced_passive_efforts(t, v, sense, tau);
  return tau;
}

Expressions factorised_matrix_with_modes(const Tracing& t) {
  const Expressions bias = with_passive(t, flexible_efforts(t, t.v, zeros(t.speeds())), t.v, 1);
  Expressions a = t.tau;
  for (int k = 0; k < t.speeds(); ++k) a[k] -= bias[k];
  MassFactor(flexible_mass_matrix(t), t.speeds()).solve(a.data());
  return a;
}

Expressions frame_pose(const Tracing& t) {
  Scratch<E> scratch(t.model.topology());
  const Expressions still = zeros(t.speeds());
  flexible_poses(t.tree(), scratch.view(), t.q.data(), still.data());
  const Frame& frame = t.model.frames()[t.options.frame];
  const NodePose<E>& node = scratch.view().pose[frame.node];
  const Matrix3<double>& R = frame.X_NF.rotation;
  const Vector3<double>& p = frame.X_NF.position;
  const Mat3<E> turned = node.R * Mat3<E>{R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1),
                                          R(1, 2), R(2, 0), R(2, 1), R(2, 2)};
  const Vec3<E> at = node.p + node.R * Vec3<E>{p.x(), p.y(), p.z()};
  return {at.x,      at.y,      at.z,      turned.xx, turned.xy, turned.xz,
          turned.yx, turned.yy, turned.yz, turned.zx, turned.zy, turned.zz};
}

Expressions energies(const Tracing& t) {
  Scratch<E> scratch(t.model.topology());
  const Expressions zero = zeros(t.speeds());
  flexible_poses(t.tree(), scratch.view(), t.q.data(), t.v.data());
  flexible_motions(t.tree(), scratch.view(), t.v.data(), zero.data());
  return {flexible_kinetic_energy(t.tree(), scratch.view(), t.q.data(), t.v.data()),
          flexible_potential_energy<E>(t.tree(), scratch.view(), t.model.degree_terms(), t.q.data(),
                                       t.v.data()) +
              element_energy<E>(t.model.elements(), t.tree(), t.q.data(), t.v.data())};
}

}  // namespace

Traced trace_flexible(const Tracing& t, const std::string& function) {
  if (t.options.symbolic())
    throw InputError(
        fmt::format("robot '{}' has flexible bodies: their modal data are numbers", t.model.name()),
        "no symbolic parameters");
  const bool forward = function == "forward";
  if (!t.options.method.empty())
    chosen_formulation(t, forward              ? Question::forward
                          : function == "mass" ? Question::mass
                                               : Question::inverse);
  const std::string method = "Newton-Euler with flexible bodies";
  if (function == "inverse")
    return {with_passive(t, flexible_efforts(t, t.v, t.a), t.v, 1), method};
  if (function == "bias")
    return {with_passive(t, flexible_efforts(t, t.v, zeros(t.speeds())), t.v, 1), method};
  if (function == "gravity")
    return {flexible_efforts(t, zeros(t.speeds()), zeros(t.speeds())),
            method + "; stiffness included"};
  if (function == "mass") return {flexible_mass_matrix(t), "composite bodies with modes"};
  if (function == "energy") return {energies(t), "of rigid bodies, beams and bending"};
  if (function == "forward-kinematics")
    return {frame_pose(t), fmt::format("frame '{}'", t.model.frames()[t.options.frame].name)};
  if (forward) {
    const bool articulated = t.options.method == "articulated-body";
    std::vector<Traced> ways;
    if (!articulated)
      ways.push_back({factorised_matrix_with_modes(t), "factorised mass matrix with modes"});
    if (articulated || (t.options.method.empty() && !t.model.topology().shared_speeds))
      ways.push_back({flexible_accelerations(t, with_passive(t, t.tau, t.v, -1)),
                      "articulated bodies with modes"});
    return cheapest(std::move(ways));
  }
  t.model.require_rigid("generated " + function);
  return {};
}

}  // namespace ulna::generate
