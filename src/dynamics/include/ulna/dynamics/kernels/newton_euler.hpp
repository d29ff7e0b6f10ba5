#pragma once
// Inverse dynamics by the recursive Newton-Euler method: the efforts that produce given
// accelerations. docs/theory/newton-euler.md, eq. 1-8. One pass out (velocities, accelerations,
// inertia wrenches), one pass back (wrenches through the joints). Cost for n general screws: about
// 92 n multiplications and 80 n additions.
//
// Everything is in the nodes' own axes. U = skew(dw) + skew(w)^2 gives the acceleration of every
// point of a body, a + U r, and with the inertia its moment (eq. 5) at nearly no further cost.

#include "ulna/model/kernels/joint_angles.hpp"

namespace ulna {

/// eq. 3: U = skew(dw) + skew(w)^2.
template <class S>
[[gnu::always_inline]] inline Mat3<S> acceleration_matrix(const Vec3<S>& w, const Vec3<S>& dw) {
  const S xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const S xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return {-(yy + zz), xy - dw.z, xz + dw.y, xy + dw.z, -(xx + zz),
          yz - dw.x,  xz - dw.y, yz + dw.x, -(xx + yy)};
}

/// eq. 5: the moment of the inertia forces about the origin while it does not accelerate,
/// I dw + w x (I w): twice the skew part of U Sigma, with Sigma the second moments.
template <class S>
[[gnu::always_inline]] inline Vec3<S> inertia_moment(const Parameter<S>* Sigma, const Mat3<S>& U) {
  enum { xx, yy, zz, xy, xz, yz };
  return {Sigma[yy] * U.zy - Sigma[zz] * U.yz + Sigma[xy] * U.zx - Sigma[xz] * U.yx +
              Sigma[yz] * (U.zz - U.yy),
          Sigma[zz] * U.xz - Sigma[xx] * U.zx + Sigma[yz] * U.xy - Sigma[xy] * U.zy +
              Sigma[xz] * (U.xx - U.zz),
          Sigma[xx] * U.yx - Sigma[yy] * U.xy + Sigma[xz] * U.yz - Sigma[yz] * U.xz +
              Sigma[xy] * (U.yy - U.xx)};
}

/// eq. 5, 6: the wrench about its node's origin that makes a body move so, in the node's axes.
template <class S>
[[gnu::always_inline]] inline NodeWrench<S> inertia_wrench(const NodeParameters<Parameter<S>>& body,
                                                           const BodyMotion<S>& now) {
  const Vec3<Parameter<S>> h = vec3(body.first_moment);
  const Vec3<S> f = scaled(body.mass, now.a) + now.U * h;
  return {inertia_moment<S>(body.second_moment, now.U) + cross(h, now.a), f};
}

/// eq. 1, 2, 4: what a screw joint adds to the motion handed over by the parent.
template <class S>
[[gnu::always_inline]] inline void add_screw_motion(BodyMotion<S>& now, const TreeNode& node,
                                                    const S& speed, const S& acceleration) {
  const S turn = node.sigma * speed, slide = node.h * speed;
  now.dw.x += now.w.y * turn;
  now.dw.y -= now.w.x * turn;
  now.dw.z += node.sigma * acceleration;
  const S twice = slide + slide;
  now.a.x += now.w.y * twice;
  now.a.y -= now.w.x * twice;
  now.a.z += node.h * acceleration;
  now.w.z += turn;
}

/// The same for spherical and free nodes, whose speeds are in the node's own axes.
template <class S>
[[gnu::always_inline]] inline void add_block_motion(BodyMotion<S>& now, const TreeNode& node,
                                                    const S* v, const S* a) {
  const Vec3<S> turn = vec3(v + node.v);
  if (node.kind == NodeKind::free) {
    const Vec3<S> slide = vec3(v + node.v + 3);
    now.a += vec3(a + node.v + 3) + cross(now.w + now.w + turn, slide);
  }
  now.dw += vec3(a + node.v) + cross(now.w, turn);
  now.w += turn;
}

template <class S>
[[gnu::always_inline]] inline void newton_euler_outward(const TreeView<S>& tree,
                                                        const ScratchView<S>& work, const S* q,
                                                        const S* v, const S* a,
                                                        const NodeWrench<S>* external) {
  NewtonEulerNode<S>* const nodes = work.newton_euler;
  BodyMotion<S> now{Vec3<S>::zero(),
                    Vec3<S>::zero(),
                    {S(-tree.gravity[0]), S(-tree.gravity[1]), S(-tree.gravity[2])},
                    Mat3<S>::zero()};
  nodes[0] = {now, Vec3<S>::zero(), Vec3<S>::zero()};
  for (int i = 1; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    const NodeParameters<Parameter<S>>& par = tree.parameters[i];
    if (!node.follows) now = nodes[node.parent].motion;
    with_turn<S>(
        node, par, joint_state(node, work, i, q),
        q, [&](const auto& turn) __attribute__((always_inline)) {
          now.a = turn.to_child(now.a + now.U * turn.arm());
          now.w = turn.to_child(now.w);
          now.dw = turn.to_child(now.dw);
        });
    if (node.kind == NodeKind::screw) [[likely]]
      add_screw_motion(now, node, v[node.v], a[node.v]);
    else
      add_block_motion(now, node, v, a);
    now.U = acceleration_matrix(now.w, now.dw);
    NodeWrench<S> F = inertia_wrench<S>(par, now);
    if (external) {
      F.f -= external[i].f;
      F.n -= external[i].n;
    }
    nodes[i].f = F.f;
    nodes[i].n = F.n;
    if (node.branches) nodes[i].motion = now;
  }
}

/// eq. 7: what a wrench through the joint needs along its axes, added to tau.
template <class S>
[[gnu::always_inline]] inline void add_joint_effort(const TreeNode& node, const NodeWrench<S>& F,
                                                    S* tau) {
  if (node.kind == NodeKind::screw) [[likely]] {
    tau[node.v] += node.sigma * F.n.z + node.h * F.f.z;
    return;
  }
  S* own = tau + node.v;
  store(vec3(own) + F.n, own);
  if (node.kind == NodeKind::free) store(vec3(own + 3) + F.f, own + 3);
}

/// eq. 7, 8: efforts, and wrenches handed to the parents. Added to tau: mimic joints share one.
template <class S>
[[gnu::always_inline]] inline void newton_euler_inward(const TreeView<S>& tree,
                                                       const ScratchView<S>& work, const S* q,
                                                       S* tau) {
  NewtonEulerNode<S>* const nodes = work.newton_euler;
  Vec3<S> n = nodes[tree.size - 1].n, f = nodes[tree.size - 1].f;
  for (int i = tree.size - 1; i > 0; --i) {
    const TreeNode& node = tree.nodes[i];
    add_joint_effort<S>(node, {n, f}, tau);
    with_turn<S>(
        node, tree.parameters[i], joint_state(node, work, i, q),
        q, [&](const auto& turn) __attribute__((always_inline)) {
          f = turn.child_to_middle(f);
          n = turn.child_to_middle(n) + turn.middle_moment(f);
          f = turn.out_of_middle(f);
          n = turn.out_of_middle(n);
        });
    if (node.follows) [[likely]] {
      n += nodes[i - 1].n;
      f += nodes[i - 1].f;
      continue;
    }
    nodes[node.parent].n += n;
    nodes[node.parent].f += f;
    n = nodes[i - 1].n;
    f = nodes[i - 1].f;
  }
}

/// Efforts tau (length tree.speeds) for q, v, a. External wrenches act on the nodes, about their
/// origins in their own axes; null when there are none.
template <class S>
[[gnu::always_inline]] inline void newton_euler(const TreeView<S>& tree, const ScratchView<S>& work,
                                                const S* q, const S* v, const S* a,
                                                const NodeWrench<S>* external, S* tau) {
  joint_angles(tree, work, q);
  newton_euler_outward(tree, work, q, v, a, external);
  for (int k = 0; k < tree.speeds; ++k) tau[k] = tree.armature[k] * a[k];
  newton_euler_inward(tree, work, q, tau);
}

}  // namespace ulna
