#pragma once
// Kinetic and potential energy for any scalar. On dual numbers that move along v and a their dual
// part is the power of everything that is not conservative.

#include <span>

#include "ulna/kinematics/kernels/forward_kinematics.hpp"
#include "ulna/model/kernels/spring.hpp"

namespace ulna {

/// A node's velocities, its angular momentum about its origin and its linear momentum, in its axes.
template <class S>
struct NodeMomentum {
  Vec3<S> w, v, angular, linear;
};

template <class S>
NodeMomentum<S> node_momentum(const NodeParameters<Parameter<S>>& par, const NodePose<S>& X,
                              const NodeMotion<S>& motion) {
  const Vec3<S> w = transposed_times(X.R, motion.w), v = transposed_times(X.R, motion.v);
  const Vec3<Parameter<S>> h = vec3(par.first_moment);
  const Parameter<S>* s = par.second_moment;
  const Sym3<Parameter<S>> Sigma{s[0], s[1], s[2], s[3], s[4], s[5]};
  const Parameter<S> trace = s[0] + s[1] + s[2];
  return {w, v, scaled(trace, w) - Sigma * w + cross(h, v), scaled(par.mass, v) + cross(w, h)};
}

/// Of bodies and rotors; poses and velocities must be in `work`.
template <class S>
S kinetic_energy(const TreeView<S>& tree, const ScratchView<S>& work, const S* v) {
  S twice(0);
  for (int i = 1; i < tree.size; ++i) {
    const NodeMomentum<S> m = node_momentum(tree.parameters[i], work.pose[i], work.motion[i]);
    twice += dot(m.w, m.angular) + dot(m.v, m.linear);
  }
  for (int k = 0; k < tree.speeds; ++k) twice += tree.armature[k] * v[k] * v[k];
  return twice * 0.5;
}

/// Of gravity, zero at the world's origin, and of springs; poses must be in `work`.
template <class S>
S potential_energy(const TreeView<S>& tree, const ScratchView<S>& work,
                   std::span<const DegreeTerms> terms, const S* q) {
  S sum(0);
  for (int i = 0; i < tree.size; ++i) {
    const NodeParameters<Parameter<S>>& par = tree.parameters[i];
    const NodePose<S>& X = work.pose[i];
    sum -= dot(scaled(par.mass, X.p) + X.R * vec3(par.first_moment), vec3(tree.gravity));
  }
  for (const DegreeTerms& t : terms) {
    if (t.has_spring()) sum += spring_energy(t, spring_stretch(t, q));
  }
  return sum;
}

}  // namespace ulna
