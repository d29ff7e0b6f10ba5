#pragma once
// The torque regressor Y: efforts are linear in the inertial parameters of the bodies,
// tau = Y(q, v, a) p. docs/theory/regressor.md, eq. 1-6. Ten columns a body, in the body's own
// frame and about its origin:
//
//   m, m cx, m cy, m cz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz
//
// where Ixy etc. are entries of the inertia matrix (minus the products of inertia). A row is what
// the inertia wrench of a unit parameter does along the partial velocity of its speed. Cost: about
// 75 multiplications for every pair of a body and a joint that carries it.

#include "ulna/dynamics/kernels/newton_euler.hpp"
#include "ulna/kinematics/kernels/forward_kinematics.hpp"

namespace ulna {

constexpr int parameters_per_body = 10;

/// Where a user's body frame is on its node.
struct BodyPlace {
  int node;
  Mat3<double> R;
  Vec3<double> p;
};

/// The motion of a body's frame in its own axes, and where it is in the world.
template <class S>
struct BodyFrameMotion {
  Mat3<S> R_WB;
  Vec3<S> p_WB;
  Vec3<S> w, v, dw, a;  ///< a: acceleration of the origin, less gravity
};

/// From poses and motions of the nodes, left in `work` by node_poses and node_motions.
template <class S>
[[gnu::always_inline]] inline BodyFrameMotion<S> body_frame_motion(const TreeView<S>& tree,
                                                                   const ScratchView<S>& work,
                                                                   const BodyPlace& body) {
  const NodePose<S>& pose = work.pose[body.node];
  const NodeMotion<S>& m = work.motion[body.node];
  const Vec3<S> g{S(tree.gravity[0]), S(tree.gravity[1]), S(tree.gravity[2])};
  const Vec3<S> r = pose.R * body.p, arm_rate = cross(m.w, r);
  BodyFrameMotion<S> out;
  out.R_WB = pose.R * body.R;
  out.p_WB = pose.p + r;
  out.w = transposed_times(out.R_WB, m.w);
  out.v = transposed_times(out.R_WB, m.v + arm_rate);
  out.dw = transposed_times(out.R_WB, m.dw);
  out.a = transposed_times(out.R_WB, m.dv + cross(m.dw, r) + cross(m.w, arm_rate) - g);
  return out;
}

/// eq. 5: the entries I_xx, I_xy, ... of s . (I d) for a symmetric I, added to six numbers that are
/// `step` apart.
template <class S>
[[gnu::always_inline]] inline void add_symmetric(const Vec3<S>& s, const Vec3<S>& d, long step,
                                                 S* y) {
  y[0] += s.x * d.x;
  y[step] += s.x * d.y + s.y * d.x;
  y[2 * step] += s.x * d.z + s.z * d.x;
  y[3 * step] += s.y * d.y;
  y[4 * step] += s.y * d.z + s.z * d.y;
  y[5 * step] += s.z * d.z;
}

/// eq. 3-5: one speed's ten entries, `step` apart, from its partial velocities (w_r, v_r) in the
/// axes of the body.
template <class S>
[[gnu::always_inline]] inline void regressor_row(const BodyFrameMotion<S>& body, const Mat3<S>& U,
                                                 const Vec3<S>& w_r, const Vec3<S>& v_r, long step,
                                                 S* y) {
  const Vec3<S> h = transposed_times(U, v_r) + cross(body.a, w_r);
  y[0] = dot(v_r, body.a);
  y[step] = h.x;
  y[2 * step] = h.y;
  y[3 * step] = h.z;
  for (int k = 4; k < parameters_per_body; ++k) y[k * step] = S(0);
  add_symmetric(w_r, body.dw, step, y + 4 * step);
  add_symmetric(cross(w_r, body.w), body.w, step, y + 4 * step);
}

/// Y is speeds x 10 bodies, column major; J is room for 6 x speeds. Poses and motions of the nodes
/// must be in `work`.
template <class S>
[[gnu::always_inline]] inline void torque_regressor(const TreeView<S>& tree,
                                                    const ScratchView<S>& work,
                                                    const BodyPlace* bodies, int count, S* J,
                                                    S* Y) {
  const long n = tree.speeds;
  for (long k = 0; k < n * count * parameters_per_body; ++k) Y[k] = S(0);
  for (int b = 0; b < count; ++b, Y += n * parameters_per_body) {
    const BodyFrameMotion<S> body = body_frame_motion(tree, work, bodies[b]);
    const Mat3<S> U = acceleration_matrix(body.w, body.dw);
    for (long k = 0; k < 6 * n; ++k) J[k] = S(0);
    point_jacobian(tree, work, bodies[b].node, body.p_WB, J);
    // Mimic joints on one path come to the same column again, and to the same result.
    for (int i = bodies[b].node; i > 0; i = tree.nodes[i].parent) {
      const TreeNode& node = tree.nodes[i];
      for (int k = node.v; k < node.v + speeds_of(node.kind); ++k)
        regressor_row(body, U, transposed_times(body.R_WB, vec3(J + 6 * k)),
                      transposed_times(body.R_WB, vec3(J + 6 * k + 3)), n, Y + k);
    }
  }
}

/// eq. 6: kinetic and potential energy are linear in the same parameters; ten entries a body each.
template <class S>
[[gnu::always_inline]] inline void energy_regressor(const TreeView<S>& tree,
                                                    const ScratchView<S>& work,
                                                    const BodyPlace* bodies, int count, S* kinetic,
                                                    S* potential) {
  const Vec3<S> g{S(tree.gravity[0]), S(tree.gravity[1]), S(tree.gravity[2])};
  for (int b = 0; b < count; ++b) {
    const BodyFrameMotion<S> body = body_frame_motion(tree, work, bodies[b]);
    S *T = kinetic + parameters_per_body * b, *V = potential + parameters_per_body * b;
    const S half = S(0.5);
    for (int k = 4; k < parameters_per_body; ++k) T[k] = V[k] = S(0);
    T[0] = half * dot(body.v, body.v);
    store(cross(body.v, body.w), T + 1);
    add_symmetric(scaled(half, body.w), body.w, 1, T + 4);
    V[0] = -dot(g, body.p_WB);
    store(-transposed_times(body.R_WB, g), V + 1);
  }
}

}  // namespace ulna
