#pragma once
// A pose X_AB: where frame B stands in frame A. Columns of the rotation are the axes of B seen in
// A, the position is the origin of B measured from the origin of A, in axes of A.

#include "ulna/spatial/parts/types.hpp"

namespace ulna {

template <class S>
struct Pose {
  Matrix3<S> rotation = Matrix3<S>::Identity();
  Vector3<S> position = Vector3<S>::Zero();

  static Pose identity() { return {}; }
  static Pose translation(const Vector3<S>& p) { return {Matrix3<S>::Identity(), p}; }
  static Pose turn(const Matrix3<S>& R) { return {R, Vector3<S>::Zero()}; }

  /// X_BA from X_AB.
  Pose inverse() const {
    return {rotation.transpose(), Vector3<S>(-(rotation.transpose() * position))};
  }

  /// A point given in B, as seen from A.
  Vector3<S> operator*(const Vector3<S>& point_B) const { return rotation * point_B + position; }

  Matrix4<S> matrix() const {
    Matrix4<S> m = Matrix4<S>::Identity();
    m.template topLeftCorner<3, 3>() = rotation;
    m.template topRightCorner<3, 1>() = position;
    return m;
  }
};

/// X_AC = X_AB X_BC.
template <class S>
Pose<S> operator*(const Pose<S>& X_AB, const Pose<S>& X_BC) {
  return {Matrix3<S>(X_AB.rotation * X_BC.rotation),
          Vector3<S>(X_AB.rotation * X_BC.position + X_AB.position)};
}

}  // namespace ulna
