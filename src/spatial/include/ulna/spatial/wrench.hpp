#pragma once
// A wrench: the moment about the frame's origin and the force, both in the axes of one frame.
// Momentum has the same form (angular about the origin, linear) and the same rules.
// With X_AB = (R, p), and mass M, first moment h, second moments I of an inertia J:
//
//   operation                 formula                          function
//   F_A from F_B              (R m + p x R f, R f)             transform(X_AB, F_B)
//   F_B from F_A              (R'(m - p x f), R'f)             transform_inverse(X_AB, F_A)
//   V x* F                    (w x m + v x f, w x f)           cross_dual(V, F)
//   power                     w.m + v.f, the same everywhere   dot(V, F)
//   momentum                  (I w + h x v, M v - h x w)       J * V
//   a force f at the point r  (r x f, f)                       Wrench::force_at(r, f)
//   six numbers and back      (m, f), rotation first           F.vector(), Wrench::from_vector(x)

#include "ulna/spatial/inertia.hpp"
#include "ulna/spatial/twist.hpp"

namespace ulna {

template <class S>
struct Wrench {
  Vector3<S> moment = Vector3<S>::Zero();
  Vector3<S> force = Vector3<S>::Zero();

  static Wrench from_vector(const Vector6<S>& x) {
    return {x.template head<3>(), x.template tail<3>()};
  }
  static Wrench force_at(const Vector3<S>& point, const Vector3<S>& force) {
    return {point.cross(force), force};
  }
  Vector6<S> vector() const {
    Vector6<S> x;
    x.template head<3>() = moment;
    x.template tail<3>() = force;
    return x;
  }

  Wrench& operator+=(const Wrench& other) {
    moment += other.moment;
    force += other.force;
    return *this;
  }
  Wrench& operator-=(const Wrench& other) {
    moment -= other.moment;
    force -= other.force;
    return *this;
  }
  Wrench& operator*=(const S& factor) {
    moment *= factor;
    force *= factor;
    return *this;
  }

  friend Wrench operator+(Wrench a, const Wrench& b) { return a += b; }
  friend Wrench operator-(Wrench a, const Wrench& b) { return a -= b; }
  friend Wrench operator-(const Wrench& a) { return {-a.moment, -a.force}; }
  friend Wrench operator*(Wrench a, const S& factor) { return a *= factor; }
  friend Wrench operator*(const S& factor, Wrench a) { return a *= factor; }
};

/// The wrench seen from frame A, given it in frame B and X_AB.
template <class S>
Wrench<S> transform(const Pose<S>& X_AB, const Wrench<S>& F_B) {
  const Vector3<S> f = X_AB.rotation * F_B.force;
  return {X_AB.rotation * F_B.moment + X_AB.position.cross(f), f};
}

/// The wrench seen from frame B, given it in frame A and X_AB.
template <class S>
Wrench<S> transform_inverse(const Pose<S>& X_AB, const Wrench<S>& F_A) {
  const Vector3<S> m = F_A.moment - X_AB.position.cross(F_A.force);
  return {X_AB.rotation.transpose() * m, X_AB.rotation.transpose() * F_A.force};
}

/// The rate of F when it is carried along by the motion V.
template <class S>
Wrench<S> cross_dual(const Twist<S>& V, const Wrench<S>& F) {
  return {V.angular.cross(F.moment) + V.linear.cross(F.force), V.angular.cross(F.force)};
}

/// The power of a wrench on a body that moves with the twist, both in the same frame.
template <class S>
S dot(const Twist<S>& V, const Wrench<S>& F) {
  return V.angular.dot(F.moment) + V.linear.dot(F.force);
}

/// The momentum of a body with this inertia and twist, both in the same frame. P is S, or the type
/// of its parameters (double for packs).
template <class P, class S>
Wrench<S> operator*(const Inertia<P>& J, const Twist<S>& V) {
  const Vector3<P>& h = J.first_moment;
  return {J.about_origin * V.angular + h.cross(V.linear), V.linear * J.mass - h.cross(V.angular)};
}

}  // namespace ulna
