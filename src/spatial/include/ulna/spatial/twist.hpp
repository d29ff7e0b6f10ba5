#pragma once
// A twist: the velocity of a rigid motion, as the angular velocity and the velocity of the material
// point that passes the frame's origin, both in the axes of one frame. A twist V_A says the same as
// V_B for another frame B; with X_AB = (R, p):
//
//   operation                 formula                          function
//   V_A from V_B              (R w, R v + p x R w)             transform(X_AB, V_B)
//   V_B from V_A              (R'w, R'(v - p x w))             transform_inverse(X_AB, V_A)
//   the same as a matrix      [R 0; [p]R R]                    adjoint(X_AB)
//   V1 x V2, motion bracket   (w1 x w2, w1 x v2 + v1 x w2)     cross(V1, V2)
//   velocity of a point r     v + w x r                        V.at(r)
//   six numbers and back      (w, v), rotation first           V.vector(), Twist::from_vector(x)
//
// The products with wrenches and inertias are in wrench.hpp.

#include <Eigen/Geometry>

#include "ulna/spatial/pose.hpp"

namespace ulna {

template <class S>
struct Twist {
  Vector3<S> angular = Vector3<S>::Zero();
  Vector3<S> linear = Vector3<S>::Zero();

  static Twist from_vector(const Vector6<S>& x) {
    return {x.template head<3>(), x.template tail<3>()};
  }
  Vector6<S> vector() const {
    Vector6<S> x;
    x.template head<3>() = angular;
    x.template tail<3>() = linear;
    return x;
  }

  /// The velocity of the material point at r.
  Vector3<S> at(const Vector3<S>& r) const { return linear + angular.cross(r); }

  Twist& operator+=(const Twist& other) {
    angular += other.angular;
    linear += other.linear;
    return *this;
  }
  Twist& operator-=(const Twist& other) {
    angular -= other.angular;
    linear -= other.linear;
    return *this;
  }
  Twist& operator*=(const S& factor) {
    angular *= factor;
    linear *= factor;
    return *this;
  }

  friend Twist operator+(Twist a, const Twist& b) { return a += b; }
  friend Twist operator-(Twist a, const Twist& b) { return a -= b; }
  friend Twist operator-(const Twist& a) { return {-a.angular, -a.linear}; }
  friend Twist operator*(Twist a, const S& factor) { return a *= factor; }
  friend Twist operator*(const S& factor, Twist a) { return a *= factor; }
};

/// The twist seen from frame A, given it in frame B and X_AB.
template <class S>
Twist<S> transform(const Pose<S>& X_AB, const Twist<S>& V_B) {
  const Vector3<S> w = X_AB.rotation * V_B.angular;
  return {w, X_AB.rotation * V_B.linear + X_AB.position.cross(w)};
}

/// The twist seen from frame B, given it in frame A and X_AB.
template <class S>
Twist<S> transform_inverse(const Pose<S>& X_AB, const Twist<S>& V_A) {
  const Vector3<S> v = V_A.linear - X_AB.position.cross(V_A.angular);
  return {X_AB.rotation.transpose() * V_A.angular, X_AB.rotation.transpose() * v};
}

/// The 6x6 matrix of transform(X_AB, twist). Its transpose takes wrenches from A to B.
template <class S>
Matrix6<S> adjoint(const Pose<S>& X_AB) {
  Matrix6<S> m = Matrix6<S>::Zero();
  m.template topLeftCorner<3, 3>() = X_AB.rotation;
  m.template bottomLeftCorner<3, 3>() = skew(X_AB.position) * X_AB.rotation;
  m.template bottomRightCorner<3, 3>() = X_AB.rotation;
  return m;
}

/// The rate of V2 when it is carried along by the motion V1.
template <class S>
Twist<S> cross(const Twist<S>& V1, const Twist<S>& V2) {
  return {V1.angular.cross(V2.angular), V1.angular.cross(V2.linear) + V1.linear.cross(V2.angular)};
}

}  // namespace ulna
