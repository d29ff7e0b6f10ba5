#pragma once
// How M, W, L and J of a body change with time and with a coordinate (docs/theory/homogeneous.md,
// eq. 11-16). All matrices are in frame 0; body h hangs on joint m, whose screw is L_m; for bodies
// not behind joint m the derivatives with respect to q_m are zero.
//
//   quantity   rate of time         derivative by q_m            function
//   M_0h       W M                  L_m M                        position_rate, position_by
//   M_0h^-1    -M^-1 W              -M^-1 L_m                    inverse_position_rate, ..._by
//   L_i        W L - L W            L_m L_i - L_i L_m            screw_rate, screw_by
//   W_0h       H - W^2              L_m W_mh - W_mh L_m          AccelerationMatrix::rate,
//                                                                velocity_by
//   J_h        W J + J W'           L_m J + J L_m'               inertia_rate, inertia_by

#include "ulna/spatial/homogeneous.hpp"

namespace ulna {

/// X Y - Y X.
template <class S>
Matrix4<S> commutator(const Matrix4<S>& X, const Matrix4<S>& Y) {
  return X * Y - Y * X;
}

template <class S>
Matrix4<S> position_rate(const VelocityMatrix<S>& W, const PositionMatrix<S>& M) {
  return W.matrix * M.matrix;
}
template <class S>
Matrix4<S> position_by(const ScrewMatrix<S>& L_m, const PositionMatrix<S>& M) {
  return L_m.matrix * M.matrix;
}

template <class S>
Matrix4<S> inverse_position_rate(const VelocityMatrix<S>& W, const PositionMatrix<S>& M) {
  return -(M.inverse().matrix * W.matrix);
}
template <class S>
Matrix4<S> inverse_position_by(const ScrewMatrix<S>& L_m, const PositionMatrix<S>& M) {
  return -(M.inverse().matrix * L_m.matrix);
}

/// W is that of a body in which the axis of the joint is at rest.
template <class S>
Matrix4<S> screw_rate(const VelocityMatrix<S>& W, const ScrewMatrix<S>& L_i) {
  return commutator<S>(W.matrix, L_i.matrix);
}
/// For m before i.
template <class S>
Matrix4<S> screw_by(const ScrewMatrix<S>& L_m, const ScrewMatrix<S>& L_i) {
  return commutator<S>(L_m.matrix, L_i.matrix);
}

/// W_mh is the velocity of body h against the body that joint m carries.
template <class S>
Matrix4<S> velocity_by(const ScrewMatrix<S>& L_m, const VelocityMatrix<S>& W_mh) {
  return commutator<S>(L_m.matrix, W_mh.matrix);
}

template <class S>
Matrix4<S> inertia_rate(const VelocityMatrix<S>& W, const InertiaMatrix<S>& J) {
  return W.matrix * J.matrix + J.matrix * W.matrix.transpose();
}
template <class S>
Matrix4<S> inertia_by(const ScrewMatrix<S>& L_m, const InertiaMatrix<S>& J) {
  return L_m.matrix * J.matrix + J.matrix * L_m.matrix.transpose();
}

}  // namespace ulna
