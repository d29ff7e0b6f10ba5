#pragma once
// The pose of M in F of a closing joint, and how far it is from what a joint allows: the pieces
// that the rows of all types are made of (docs/theory/closed-loops.md, table 1 and eq. 2-5). One
// text for every scalar: on doubles the residual, on dual numbers its Jacobian, on Taylor its
// accelerations, on expressions its formulas.
//
// Turns are measured by 2 sin(angle / 2) about their axis: near closure that is the logarithm of
// SE(3), it needs no comparison, and unlike sin(angle) it does not vanish at half a turn.

#include "ulna/scalar/parts/scalar.hpp"
#include "ulna/spatial/kernels/vec3.hpp"

namespace ulna {

/// X_FM of a loop.
template <class S>
struct RelativePose {
  Mat3<S> R;
  Vec3<S> p;
};

/// From the poses of the two frames in the world, eq. 1.
template <class S>
RelativePose<S> relative_pose(const Mat3<S>& R_WF, const Vec3<S>& p_WF, const Mat3<S>& R_WM,
                              const Vec3<S>& p_WM) {
  const Mat3<S> R_FW{R_WF.xx, R_WF.yx, R_WF.zx, R_WF.xy, R_WF.yy,
                     R_WF.zy, R_WF.xz, R_WF.yz, R_WF.zz};
  return {R_FW * R_WM, R_FW * (p_WM - p_WF)};
}

/// Keeps the square roots below differentiable at half a turn.
inline constexpr double half_turn_guard = 1e-30;

/// eq. 3: twice the vector part of the quaternion of R.
template <class S>
Vec3<S> turn_error(const Mat3<S>& R) {
  const S twice_cosine = sqrt(S(1) + R.xx + R.yy + R.zz + S(half_turn_guard));
  const S share = S(1) / twice_cosine;
  return {(R.zy - R.yz) * share, (R.xz - R.zx) * share, (R.yx - R.xy) * share};
}

/// eq. 4: how far z of M is tilted from z of F, along x and y of F.
template <class S>
void tilt_error(const Mat3<S>& R, S* r) {
  const S share = S(1) / sqrt(S(0.5) * (S(1) + R.zz) + S(half_turn_guard));
  r[0] = R.xz * share;
  r[1] = R.yz * share;
}

/// eq. 5: the turn about z that the advance of a screw does not account for, times its pitch. Slips
/// by whole turns of the thread close as well: a screw that closes a loop does not know how often
/// it went round.
template <class S>
S thread_error(const Mat3<S>& R, const Vec3<S>& p, double pitch) {
  if (pitch == 0) return p.z;
  S s, c;
  sincos(S(p.z * S(1 / pitch)), s, c);
  const S sine = s * R.xx - c * R.yx, cosine = c * R.xx + s * R.yx;
  return S(pitch) * sine / sqrt(S(0.5) * (S(1) + cosine) + S(half_turn_guard));
}

}  // namespace ulna
