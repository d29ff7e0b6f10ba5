#pragma once
// The motion of one node against its parent, ready for the kernels: constant turn, joint turn and
// where the node's origin is. Three shapes of the same thing, so that a kernel body is written once
// and compiled for each:
//
//   PlainTurn   Rx(alpha) Rz(theta), position without y: 8 mul + 4 add a vector
//   TurnedTurn  Rz(phi) Rx(alpha) Rz(theta): not the principal child of its parent
//   DenseTurn   any rotation: spherical and free nodes
//
// `with_turn` picks the shape of a node once and hands it to the body.

#include "ulna/model/kernels/topology.hpp"
#include "ulna/scalar/parts/scalar.hpp"
#include "ulna/spatial/kernels/vec3.hpp"

namespace ulna {

/// Sine and cosine of a screw's angle, or the rotation of a block; and the joint's shift.
template <class S>
struct JointState {
  S sine, cosine, shift;
};

template <class S>
struct PlainTurn {
  double ca, sa;
  S c, s;
  Vec3<S> p;  ///< origin of the node after the constant turn; y is zero

  [[gnu::always_inline]] Vec3<S> out_of_middle(const Vec3<S>& v) const {
    return {v.x, ca * v.y - sa * v.z, sa * v.y + ca * v.z};
  }
  [[gnu::always_inline]] Vec3<S> into_middle(const Vec3<S>& v) const {
    return {v.x, ca * v.y + sa * v.z, ca * v.z - sa * v.y};
  }
  [[gnu::always_inline]] Vec3<S> middle_to_child(const Vec3<S>& v) const {
    return {c * v.x + s * v.y, c * v.y - s * v.x, v.z};
  }
  [[gnu::always_inline]] Vec3<S> child_to_middle(const Vec3<S>& v) const {
    return {c * v.x - s * v.y, s * v.x + c * v.y, v.z};
  }
  [[gnu::always_inline]] Vec3<S> to_child(const Vec3<S>& v) const {
    return middle_to_child(into_middle(v));
  }
  [[gnu::always_inline]] Vec3<S> to_parent(const Vec3<S>& v) const {
    return out_of_middle(child_to_middle(v));
  }
  /// Origin of the node in the parent's axes.
  [[gnu::always_inline]] Vec3<S> arm() const { return {p.x, -sa * p.z, ca * p.z}; }
  /// p x f in the middle axes.
  [[gnu::always_inline]] Vec3<S> middle_moment(const Vec3<S>& f) const {
    return {-(p.z * f.y), p.z * f.x - p.x * f.z, p.x * f.y};
  }
};

template <class S>
struct TurnedTurn : PlainTurn<S> {
  double cf, sf;

  [[gnu::always_inline]] Vec3<S> out_of_middle(const Vec3<S>& v) const {
    const Vec3<S> u = PlainTurn<S>::out_of_middle(v);
    return {cf * u.x - sf * u.y, sf * u.x + cf * u.y, u.z};
  }
  [[gnu::always_inline]] Vec3<S> into_middle(const Vec3<S>& v) const {
    return PlainTurn<S>::into_middle({cf * v.x + sf * v.y, cf * v.y - sf * v.x, v.z});
  }
  [[gnu::always_inline]] Vec3<S> to_child(const Vec3<S>& v) const {
    return this->middle_to_child(into_middle(v));
  }
  [[gnu::always_inline]] Vec3<S> to_parent(const Vec3<S>& v) const {
    return out_of_middle(this->child_to_middle(v));
  }
  [[gnu::always_inline]] Vec3<S> arm() const { return out_of_middle(this->p); }
  [[gnu::always_inline]] Vec3<S> middle_moment(const Vec3<S>& f) const { return cross(this->p, f); }
};

/// Its middle axes are the parent's.
template <class S>
struct DenseTurn {
  Mat3<S> R;
  Vec3<S> p;

  [[gnu::always_inline]] Vec3<S> out_of_middle(const Vec3<S>& v) const { return v; }
  [[gnu::always_inline]] Vec3<S> into_middle(const Vec3<S>& v) const { return v; }
  [[gnu::always_inline]] Vec3<S> middle_to_child(const Vec3<S>& v) const {
    return transposed_times(R, v);
  }
  [[gnu::always_inline]] Vec3<S> child_to_middle(const Vec3<S>& v) const { return R * v; }
  [[gnu::always_inline]] Vec3<S> to_child(const Vec3<S>& v) const { return transposed_times(R, v); }
  [[gnu::always_inline]] Vec3<S> to_parent(const Vec3<S>& v) const { return R * v; }
  [[gnu::always_inline]] Vec3<S> arm() const { return p; }
  [[gnu::always_inline]] Vec3<S> middle_moment(const Vec3<S>& f) const { return cross(p, f); }
};

/// The rotation of a unit quaternion (w, x, y, z).
template <class S>
[[gnu::always_inline]] inline Mat3<S> rotation_of_quaternion(const S* q) {
  const S x2 = q[1] + q[1], y2 = q[2] + q[2], z2 = q[3] + q[3];
  const S wx = q[0] * x2, wy = q[0] * y2, wz = q[0] * z2;
  const S xx = q[1] * x2, xy = q[1] * y2, xz = q[1] * z2;
  const S yy = q[2] * y2, yz = q[2] * z2, zz = q[3] * z2;
  return {S(1) - (yy + zz), xy - wz, xz + wy, xy + wz,         S(1) - (xx + zz),
          yz - wx,          xz - wy, yz + wx, S(1) - (xx + yy)};
}

template <class S>
[[gnu::always_inline]] inline DenseTurn<S> dense_turn(const TreeNode& node,
                                                      const NodeParameters<Parameter<S>>& par,
                                                      const S* q) {
  const double* r = node.rotation;
  const Mat3<double> R_PF{r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]};
  DenseTurn<S> turn{R_PF * rotation_of_quaternion(q + node.q),
                    {S(par.position[0]), S(par.position[1]), S(par.position[2])}};
  if (node.kind == NodeKind::free) turn.p += R_PF * vec3(q + node.q + 4);
  return turn;
}

/// Calls body(turn) with the shape that fits the node.
template <class S, class Body>
[[gnu::always_inline]] inline void with_turn(const TreeNode& node,
                                             const NodeParameters<Parameter<S>>& par,
                                             const JointState<S>& joint, const S* q, Body&& body) {
  if (node.kind != NodeKind::screw) [[unlikely]] {
    body(dense_turn<S>(node, par, q));
    return;
  }
  PlainTurn<S> plain{node.cos_alpha,
                     node.sin_alpha,
                     joint.cosine,
                     joint.sine,
                     {S(par.position[0]), S(par.position[1]), par.position[2] + joint.shift}};
  if (node.turned) [[unlikely]]
    body(TurnedTurn<S>{plain, node.cos_phi, node.sin_phi});
  else
    body(plain);
}

}  // namespace ulna
