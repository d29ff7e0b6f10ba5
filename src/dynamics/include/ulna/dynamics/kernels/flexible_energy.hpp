#pragma once
// Energy and momentum of trees with flexible bodies, for any scalar. docs/theory/flexible.md,
// eq. 7, 9, 10. Poses and motions must be in `work` (flexible_kinematics.hpp).

#include "ulna/dynamics/kernels/energy.hpp"
#include "ulna/dynamics/kernels/flexible_inertia.hpp"

namespace ulna {

/// A beam's momentum about its root and twice its kinetic energy, in root axes.
template <class S>
struct BeamMomentum {
  Vec3<S> angular, linear, first_moment;
  S mass, twice_energy;
};

template <class S>
BeamMomentum<S> beam_momentum(const ModalBody& body, const NodePose<S>& X,
                              const NodeMotion<S>& motion, const S* eta, const S* rate,
                              Vec3<S>* J) {
  const int k = body.modes;
  const Vec3<S> w = transposed_times(X.R, motion.w), v = transposed_times(X.R, motion.v);
  BeamMomentum<S> out{Vec3<S>::zero(), Vec3<S>::zero(), Vec3<S>::zero(), S(0), S(0)};
  for (int g = 0; g < body.points; ++g) {
    const ModalPoint<S> p = modal_point(body.place[g], body.linear.data() + 3 * g * k,
                                        body.quadratic.data() + g * k * k, k, eta, rate, J);
    const Vec3<S> u = scaled(body.share[g], v) + cross(w, p.place) + p.rate;
    out.linear += scaled(body.share[g], u);
    out.angular += cross(p.place, u);
    out.first_moment += scaled(body.share[g], p.place);
    out.mass += S(body.share[g] * body.share[g]);
    out.twice_energy += dot(u, u);
  }
  for (int s = 0; s < body.spins; ++s) {
    const S spin = body.spin_share[s] * w.x + row_times(body.spin_linear.data() + s * k, rate, k);
    out.angular.x += body.spin_share[s] * spin;
    out.twice_energy += spin * spin;
  }
  return out;
}

/// Of rigid bodies, beams and rotors.
template <class S>
S flexible_kinetic_energy(const TreeView<S>& tree, const ScratchView<S>& work, const S* q,
                          const S* v) {
  S twice(0);
  for (int i = 1; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    if (node.kind == NodeKind::flexible)
      twice += beam_momentum(*node.modal, work.pose[i], work.motion[i], q + node.q, v + node.v,
                             work.modal[i].hinge)
                   .twice_energy;
  }
  return kinetic_energy(tree, work, v) + 0.5 * twice;
}

/// Of gravity, springs and bending.
template <class S>
S flexible_potential_energy(const TreeView<S>& tree, const ScratchView<S>& work,
                            std::span<const DegreeTerms> terms, const S* q, const S* v) {
  S sum = potential_energy(tree, work, terms, q);
  for (int i = 1; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    if (node.kind != NodeKind::flexible) continue;
    const NodePose<S>& X = work.pose[i];
    const BeamMomentum<S> m =
        beam_momentum(*node.modal, X, work.motion[i], q + node.q, v + node.v, work.modal[i].hinge);
    sum -= dot(scaled(m.mass, X.p) + X.R * m.first_moment, vec3(tree.gravity));
    sum += elastic_energy(*node.modal, q + node.q);
  }
  return sum;
}

}  // namespace ulna
