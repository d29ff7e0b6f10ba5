#pragma once
// Newton-Euler with as few operations as possible: docs/theory/compact-newton-euler.md, eq. 7-12.
//
// Two things are done that the plain recursion (newton_euler.hpp) leaves undone: the tree is
// prepared so that as many parameters as possible vanish (compact_tree.hpp), and what need not be
// turned is not. The vectors of a body may stay in the axes its joint had before turning (eq. 7);
// the third column of U = skew(dw) + skew(w)^2 is then the parent's, and its third row follows from
// it. For parallel axes the angles add up before their sine and cosine are taken.
//
// Written to be traced on the symbolic scalar, which drops what no effort needs.

#include <cmath>

#include "ulna/dynamics/kernels/compact_tree.hpp"
#include "ulna/dynamics/kernels/newton_euler.hpp"

namespace ulna {

/// Sine and cosine that are exact for quarter turns.
inline double exact_sine(double angle) {
  const double s = std::sin(angle);
  return std::abs(s) < 1e-15 ? 0.0 : std::abs(std::abs(s) - 1) < 1e-15 ? std::copysign(1.0, s) : s;
}
inline double exact_cosine(double angle) { return exact_sine(angle + M_PI_2); }

/// A turn about z.
template <class S>
struct PlaneTurn {
  S c = S(1), s = S(0);
  bool none = true;

  PlaneTurn() = default;
  PlaneTurn(const S& angle, bool is_none) : none(is_none) {
    if (!none) sincos(angle, s, c);
  }
  Vec3<S> into(const Vec3<S>& v) const {
    if (none) return v;
    return {c * v.x + s * v.y, c * v.y - s * v.x, v.z};
  }
  Vec3<S> out_of(const Vec3<S>& v) const {
    if (none) return v;
    return {c * v.x - s * v.y, s * v.x + c * v.y, v.z};
  }
};

/// Into axes turned about x.
template <class S>
Vec3<S> turn_x(double c, double s, const Vec3<S>& v) {
  return {v.x, c * v.y + s * v.z, c * v.z - s * v.y};
}

/// How one body moves, in the axes its vectors are in.
template <class S>
struct CompactMotion {
  Vec3<S> w = Vec3<S>::zero(), dw = Vec3<S>::zero(), a = Vec3<S>::zero();
  Mat3<S> U = Mat3<S>::zero();
  S angle = S(0);     ///< about z, from these axes to the link's
  PlaneTurn<S> link;  ///< the same
  PlaneTurn<S> before,
      after;  ///< from the parent's axes: about z, then alpha about x, then z again
  Vec3<S> arm = Vec3<S>::zero();   ///< from the parent's origin, in the parent's axes
  Vec3<S> step = Vec3<S>::zero();  ///< U arm, of the parent, in the unit of accelerations
  Vec3<S> f = Vec3<S>::zero(), n = Vec3<S>::zero();

  Vec3<S> into(const CompactNode<Parameter<S>>& node, const Vec3<S>& v) const {
    return after.into(turn_x(node.cos_alpha, node.sin_alpha, before.into(v)));
  }
  Vec3<S> out_of(const CompactNode<Parameter<S>>& node, const Vec3<S>& v) const {
    return before.out_of(turn_x(node.cos_alpha, -node.sin_alpha, after.out_of(v)));
  }
};

/// eq. 8: U of a body from that of one which does not turn with its joint, in common axes.
template <class S>
Mat3<S> added_spin(const Mat3<S>& U, const Vec3<S>& w, const S& turn, const S& acceleration) {
  const S wz = w.z + turn, zz = wz * wz;
  return {-(w.y * w.y + zz),       U.xy - acceleration,     U.xz,
          U.yx + acceleration,     -(w.x * w.x + zz),       U.yz,
          2.0 * (w.x * wz) - U.xz, 2.0 * (w.y * wz) - U.yz, U.zz};
}

/// eq. 7: which axes the body's vectors are in, and the turns that lead there.
template <class S>
void choose_axes(const CompactNode<Parameter<S>>& node, const CompactMotion<S>& parent,
                 const S& theta, CompactMotion<S>& now) {
  const bool still = node.sigma == 0 && node.offset == 0;
  const bool straight = parent.link.none && node.phi == 0;
  const S reached = parent.angle + node.phi;
  if (!node.parallel()) {
    now.before = PlaneTurn<S>(reached, straight);
    if (node.turns)
      now.after = PlaneTurn<S>(theta, still);
    else
      now.angle = theta, now.link = PlaneTurn<S>(theta, still);
  } else if (node.turns) {
    now.before = PlaneTurn<S>(reached + node.cos_alpha * theta, straight && still);
  } else {
    now.angle = node.cos_alpha * reached + theta;
    now.link = PlaneTurn<S>(now.angle, straight && still);
  }
}

/// eq. 9: velocity, acceleration and U.
template <class S>
void compact_motion(const CompactNode<Parameter<S>>& node, const CompactMotion<S>& parent,
                    const Parameter<S>& unit, const S* q, const S* v, const S* a,
                    CompactMotion<S>& now) {
  const S theta = node.sigma != 0 ? S(node.sigma * q[node.q] + node.offset) : S(node.offset);
  const S turn = node.sigma * v[node.v], spin = node.sigma * a[node.v];
  choose_axes(node, parent, theta, now);
  const Parameter<S>* p = node.position;
  now.arm = parent.link.out_of({S(p[0]), S(p[1]), S(p[2])});
  now.step = parent.U * parent.link.out_of({S(p[0] / unit), S(p[1] / unit), S(p[2] / unit)});
  now.a = now.into(node, parent.a + now.step);
  now.w = now.into(node, parent.w);
  now.dw = now.into(node, parent.dw);
  const S wz = now.w.z + turn;
  if (node.turns) {
    now.dw.x += now.w.y * turn;
    now.dw.y -= now.w.x * turn;
    now.dw.z += spin;
    now.U = acceleration_matrix<S>({now.w.x, now.w.y, wz}, now.dw);
  } else {
    now.U = acceleration_matrix<S>(now.w, now.dw);
    if (node.parallel()) {  // the parent's, or that turned over: nothing to compute again
      const double c = node.cos_alpha;
      const Mat3<S>& U = parent.U;
      now.U = {U.xx, c * U.xy, c * U.xz, c * U.yx, U.yy, U.yz, c * U.zx, U.zy, U.zz};
    }
    if (node.sigma != 0) {
      now.U = added_spin(now.U, now.w, turn, spin);
      now.dw = {now.w.y * wz - now.U.yz, now.U.xz - now.w.x * wz, now.dw.z + spin};
    }
  }
  if (node.h != 0) {
    const Parameter<S> h = node.h / unit;
    const S shift = h * q[node.q], slide = h * v[node.v], twice = slide + slide;
    now.a.x += now.U.xz * shift + now.w.y * twice;
    now.a.y += now.U.yz * shift - now.w.x * twice;
    now.a.z += now.U.zz * shift + h * a[node.v];
  }
  now.w.z = wz;
}

/// Second moments from link axes into those of the body's vectors.
template <class S>
void turn_second_moment(const CompactMotion<S>& now, S* Sigma) {
  enum { xx, yy, zz, xy, xz, yz };
  const Vec3<S> skew = now.link.out_of({Sigma[xz], Sigma[yz], S(0)});
  Sigma[xz] = skew.x, Sigma[yz] = skew.y;
  const S mean = 0.5 * (Sigma[xx] + Sigma[yy]), half = 0.5 * (Sigma[xx] - Sigma[yy]);
  S sine, cosine;
  sincos(S(now.angle + now.angle), sine, cosine);
  const S turned = half * cosine - Sigma[xy] * sine;
  Sigma[xy] = half * sine + Sigma[xy] * cosine;
  Sigma[xx] = mean + turned, Sigma[yy] = mean - turned;
}

/// eq. 10: inertia force and moment about the origin.
template <class S>
void compact_wrench(const CompactNode<Parameter<S>>& node, const Parameter<S>& unit,
                    CompactMotion<S>& now) {
  const Parameter<S>* h0 = node.first_moment;
  const Vec3<S> h = now.link.out_of({S(h0[0]), S(h0[1]), S(h0[2])});
  const Vec3<S> weight = now.link.out_of({S(h0[0] * unit), S(h0[1] * unit), S(h0[2] * unit)});
  S Sigma[6];
  for (int k = 0; k < 6; ++k) Sigma[k] = S(node.second_moment[k]);
  if (!now.link.none) turn_second_moment(now, Sigma);
  now.f = scaled(node.mass * unit, now.a) + now.U * h;
  now.n = inertia_moment<S>(Sigma, now.U) + cross(weight, now.a);
}

/// Efforts tau for q, v, a. `work` has one entry per node.
template <class S>
void compact_newton_euler(const CompactTree<Parameter<S>>& tree, CompactMotion<S>* work, const S* q,
                          const S* v, const S* a, S* tau) {
  const int size = static_cast<int>(tree.nodes.size());
  work[0] = {};
  const Parameter<S>& unit = tree.unit;
  work[0].a = {S(-tree.gravity[0] / unit), S(-tree.gravity[1] / unit), S(-tree.gravity[2] / unit)};
  for (int i = 1; i < size; ++i) {
    work[i] = {};
    compact_motion(tree.nodes[i], work[tree.nodes[i].parent], unit, q, v, a, work[i]);
    compact_wrench(tree.nodes[i], unit, work[i]);
  }
  for (int k = 0; k < tree.speeds; ++k) tau[k] = tree.armature[k] * a[k];
  for (int i = size - 1; i > 0; --i) {  // eq. 11, 12
    const CompactNode<Parameter<S>>& node = tree.nodes[i];
    CompactMotion<S>& now = work[i];
    CompactMotion<S>& parent = work[node.parent];
    tau[node.v] += node.sigma * now.n.z + node.h * now.f.z;
    if (node.h != 0) {
      const S shift = node.h * q[node.q];
      now.n.x -= shift * now.f.y;
      now.n.y += shift * now.f.x;
    }
    const Vec3<S> f = now.out_of(node, now.f);
    parent.f += f;
    const Vec3<S> through_arm = f + scaled(tree.nodes[node.parent].rod * unit, now.step);
    parent.n += now.out_of(node, now.n) + cross(now.arm, through_arm);
  }
}

}  // namespace ulna
