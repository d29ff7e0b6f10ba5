#pragma once
// Mechanics in 4x4 matrices (Legnani, Righettini, Zappa, Casolo 1996; docs/theory/homogeneous.md).
// Every quantity of a rigid body is one matrix, and there are two rules for seeing it from another
// frame. The rule belongs to the type, so the wrong one cannot be applied:
//
//   type                 symbol  layout                      rule, with M = M_rs
//   PositionMatrix       M       [R t; 0 1]                  M_rt = M_rs M_st
//   VelocityMatrix       W       [[w] v; 0 0] = M' M^-1      mixed: M X M^-1
//   AccelerationMatrix   H       [G a; 0 0] = M'' M^-1       mixed;  G = [w'] + [w]^2
//   ScrewMatrix          L       [[u] b; 0 0], W = L q'      mixed
//   ActionMatrix         Phi     [[c] f; -f' 0]              contravariant: M X M'
//   MomentumMatrix       Gamma   [[g] r; -r' 0]              contravariant
//   InertiaMatrix        J       integral of P P' dm         contravariant
//
// v and a are those of the body's point that passes the origin of the frame of expression; couples
// and angular momenta are about that origin. A twist, a wrench and an inertia say the same in
// other numbers, and each type converts to and from its own:
//
//   operation                     formula                    function
//   X in frame r from frame s     the rule of its type       transform(M_rs, X), transform_inverse
//   X - X', the skew operator     on products such as H J    skew(X)
//   force times motion            c.w + f.v                  pseudo_product(Phi, W), (Phi, L)
//   joint motion                  L q', L q'' + L^2 q'^2     velocity(L, qd), acceleration(L, ...)
//   composition                   W + W, H + H + 2 W W       compose(W, W), compose(H, W, H, W)
//   momentum, its rate, weight    skew(W J), skew(H J)       momentum(W, J), action(H, J)
//   energies                      tr(W J W')/2, -tr(Hg J)    kinetic_energy, potential_energy
//   trace form                    tr(L1 J L2')               trace_product(L1, J, L2)

#include <string>

#include "ulna/spatial/rotation.hpp"
#include "ulna/spatial/wrench.hpp"

namespace ulna {

/// X - X', for products such as W J and H J.
template <class S>
Matrix4<S> skew(const Matrix4<S>& X) {
  return X - X.transpose();
}

/// The vector w of the skew part of a 3x3 matrix: vee([w] + symmetric) = w.
template <class S>
Vector3<S> vee(const Matrix3<S>& X) {
  const S half(0.5);
  return {(X(2, 1) - X(1, 2)) * half, (X(0, 2) - X(2, 0)) * half, (X(1, 0) - X(0, 1)) * half};
}

/// M: where one frame stands in another.
template <class S>
struct PositionMatrix {
  Matrix4<S> matrix = Matrix4<S>::Identity();

  PositionMatrix() = default;
  explicit PositionMatrix(const Matrix4<S>& M) : matrix(M) {}
  explicit PositionMatrix(const Pose<S>& X) : matrix(X.matrix()) {}

  /// Extended Denavit-Hartenberg: Rz(theta) T(a, b, d) Rx(alpha).
  static PositionMatrix extended_dh(const S& theta, const S& d, const S& b, const S& a,
                                    const S& alpha) {
    const Matrix3<S> Rz = rotation_z(theta);
    return PositionMatrix(Pose<S>{Matrix3<S>(Rz * rotation_x(alpha)), Rz * Vector3<S>(a, b, d)});
  }

  Matrix3<S> rotation() const { return matrix.template topLeftCorner<3, 3>(); }
  Vector3<S> origin() const { return matrix.template topRightCorner<3, 1>(); }
  Pose<S> pose() const { return {rotation(), origin()}; }
  /// By transposition of the rotation.
  PositionMatrix inverse() const { return PositionMatrix(pose().inverse()); }

  friend PositionMatrix operator*(const PositionMatrix& M_rs, const PositionMatrix& M_st) {
    return PositionMatrix(Matrix4<S>(M_rs.matrix * M_st.matrix));
  }
};

/// What every kind of matrix that adds has in common.
template <class Kind, class S>
struct AdditiveMatrix {
  Matrix4<S> matrix = Matrix4<S>::Zero();

  AdditiveMatrix() = default;
  explicit AdditiveMatrix(const Matrix4<S>& X) : matrix(X) {}

  Kind& operator+=(const Kind& other) { return matrix += other.matrix, static_cast<Kind&>(*this); }
  Kind& operator-=(const Kind& other) { return matrix -= other.matrix, static_cast<Kind&>(*this); }
  Kind& operator*=(const S& factor) { return matrix *= factor, static_cast<Kind&>(*this); }
  friend Kind operator+(Kind a, const Kind& b) { return a += b; }
  friend Kind operator-(Kind a, const Kind& b) { return a -= b; }
  friend Kind operator-(const Kind& a) { return Kind(Matrix4<S>(-a.matrix)); }
  friend Kind operator*(Kind a, const S& factor) { return a *= factor; }
  friend Kind operator*(const S& factor, Kind a) { return a *= factor; }
};

/// Motions: seen from frame r as M_rs X M_rs^-1.
template <class Kind, class S>
struct MixedMatrix : AdditiveMatrix<Kind, S> {
  using AdditiveMatrix<Kind, S>::AdditiveMatrix;

  friend Kind transform(const PositionMatrix<S>& M_rs, const Kind& X_s) {
    return Kind(Matrix4<S>(M_rs.matrix * X_s.matrix * M_rs.inverse().matrix));
  }
  friend Kind transform_inverse(const PositionMatrix<S>& M_rs, const Kind& X_r) {
    return Kind(Matrix4<S>(M_rs.inverse().matrix * X_r.matrix * M_rs.matrix));
  }
};

/// Actions, momenta and inertias: seen from frame r as M_rs X M_rs'.
template <class Kind, class S>
struct ContravariantMatrix : AdditiveMatrix<Kind, S> {
  using AdditiveMatrix<Kind, S>::AdditiveMatrix;

  friend Kind transform(const PositionMatrix<S>& M_rs, const Kind& X_s) {
    return Kind(Matrix4<S>(M_rs.matrix * X_s.matrix * M_rs.matrix.transpose()));
  }
  friend Kind transform_inverse(const PositionMatrix<S>& M_rs, const Kind& X_r) {
    const Matrix4<S> M_sr = M_rs.inverse().matrix;
    return Kind(Matrix4<S>(M_sr * X_r.matrix * M_sr.transpose()));
  }
};

/// [[angular] linear; 0 0].
template <class S>
Matrix4<S> motion_matrix(const Vector3<S>& angular, const Vector3<S>& linear) {
  Matrix4<S> X = Matrix4<S>::Zero();
  X.template topLeftCorner<3, 3>() = skew(angular);
  X.template topRightCorner<3, 1>() = linear;
  return X;
}

/// W: the velocity of a body. The velocity of its point P is W P.
template <class S>
struct VelocityMatrix : MixedMatrix<VelocityMatrix<S>, S> {
  using MixedMatrix<VelocityMatrix<S>, S>::MixedMatrix;
  VelocityMatrix() = default;
  explicit VelocityMatrix(const Twist<S>& V)
      : VelocityMatrix(motion_matrix<S>(V.angular, V.linear)) {}

  Vector3<S> angular_velocity() const {
    return vee<S>(this->matrix.template topLeftCorner<3, 3>());
  }
  /// Of the body's point at the origin.
  Vector3<S> pole_velocity() const { return this->matrix.template topRightCorner<3, 1>(); }
  Twist<S> twist() const { return {angular_velocity(), pole_velocity()}; }
  Vector3<S> at(const Vector3<S>& point) const { return twist().at(point); }
};

/// H: the acceleration of a body, centripetal terms included. The acceleration of its point P is
/// H P. H = A + W^2 with A the rate of W; only with W it can be composed.
template <class S>
struct AccelerationMatrix : MixedMatrix<AccelerationMatrix<S>, S> {
  using MixedMatrix<AccelerationMatrix<S>, S>::MixedMatrix;
  AccelerationMatrix() = default;
  /// From the velocity and its rate, both in one frame.
  AccelerationMatrix(const Twist<S>& V, const Twist<S>& rate) {
    const Matrix4<S> W = motion_matrix<S>(V.angular, V.linear);
    this->matrix = motion_matrix<S>(rate.angular, rate.linear) + W * W;
  }
  /// Hg: every point falls with the acceleration g.
  static AccelerationMatrix gravity(const Vector3<S>& g) {
    return AccelerationMatrix(motion_matrix<S>(Vector3<S>::Zero(), g));
  }

  Vector3<S> angular_acceleration() const {
    return vee<S>(this->matrix.template topLeftCorner<3, 3>());
  }
  /// Of the body's point at the origin.
  Vector3<S> pole_acceleration() const { return this->matrix.template topRightCorner<3, 1>(); }
  Vector3<S> at(const Vector3<S>& point) const {
    return this->matrix.template topLeftCorner<3, 3>() * point + pole_acceleration();
  }
  /// The rate of W: H - W^2.
  Twist<S> rate(const VelocityMatrix<S>& W) const {
    return VelocityMatrix<S>(Matrix4<S>(this->matrix - W.matrix * W.matrix)).twist();
  }
};

/// L: the motion a joint allows, per unit of its coordinate.
template <class S>
struct ScrewMatrix : MixedMatrix<ScrewMatrix<S>, S> {
  using MixedMatrix<ScrewMatrix<S>, S>::MixedMatrix;
  ScrewMatrix() = default;
  explicit ScrewMatrix(const Twist<S>& unit) : ScrewMatrix(VelocityMatrix<S>(unit).matrix) {}

  /// About the unit vector u through a point, advancing by pitch (metres per radian) along it.
  static ScrewMatrix screw(const Vector3<S>& u, const Vector3<S>& point, const S& pitch) {
    return ScrewMatrix(Twist<S>{u, Vector3<S>(point.cross(u) + u * pitch)});
  }
  static ScrewMatrix revolute(const Vector3<S>& u, const Vector3<S>& point) {
    return ScrewMatrix(Twist<S>{u, Vector3<S>(point.cross(u))});
  }
  static ScrewMatrix prismatic(const Vector3<S>& u) {
    return ScrewMatrix(Twist<S>{Vector3<S>::Zero(), u});
  }
  Twist<S> twist() const { return VelocityMatrix<S>(this->matrix).twist(); }
};

/// [[moment] force; -force' 0].
template <class S>
Matrix4<S> action_matrix(const Wrench<S>& F) {
  Matrix4<S> X = motion_matrix<S>(F.moment, F.force);
  X.template bottomLeftCorner<1, 3>() = -F.force.transpose();
  return X;
}

/// Phi: a force and a couple on a body.
template <class S>
struct ActionMatrix : ContravariantMatrix<ActionMatrix<S>, S> {
  using ContravariantMatrix<ActionMatrix<S>, S>::ContravariantMatrix;
  ActionMatrix() = default;
  explicit ActionMatrix(const Wrench<S>& F) : ActionMatrix(action_matrix(F)) {}
  Wrench<S> wrench() const {
    return {vee<S>(this->matrix.template topLeftCorner<3, 3>()),
            this->matrix.template topRightCorner<3, 1>()};
  }
};

/// Gamma: angular and linear momentum of a body.
template <class S>
struct MomentumMatrix : ContravariantMatrix<MomentumMatrix<S>, S> {
  using ContravariantMatrix<MomentumMatrix<S>, S>::ContravariantMatrix;
  MomentumMatrix() = default;
  explicit MomentumMatrix(const Wrench<S>& h) : MomentumMatrix(action_matrix(h)) {}
  Wrench<S> momentum() const { return ActionMatrix<S>(this->matrix).wrench(); }
};

/// J: mass, first and second moments of a body. Bodies in the same frame add. The body is possible
/// when J is positive semi-definite: why_impossible(J) of a J of doubles is empty then.
template <class S>
struct InertiaMatrix : ContravariantMatrix<InertiaMatrix<S>, S> {
  using ContravariantMatrix<InertiaMatrix<S>, S>::ContravariantMatrix;
  InertiaMatrix() = default;
  explicit InertiaMatrix(const Inertia<S>& I) : InertiaMatrix(I.pseudo()) {}
  static InertiaMatrix from_centre(const S& mass, const Vector3<S>& centre,
                                   const Matrix3<S>& about_centre) {
    return InertiaMatrix(Inertia<S>::from_centre(mass, centre, about_centre));
  }

  S mass() const { return this->matrix(3, 3); }
  Inertia<S> inertia() const {
    const Matrix4<S>& J = this->matrix;
    Inertia<S> I;
    I.mass = J(3, 3);
    I.first_moment = J.template topRightCorner<3, 1>();
    I.about_origin = Matrix3<S>::Identity() * S(J(0, 0) + J(1, 1) + J(2, 2));
    I.about_origin -= J.template topLeftCorner<3, 3>();
    return I;
  }
};

inline std::string why_impossible(const InertiaMatrix<double>& J) {
  return why_impossible(J.inertia());
}

// -- motion --------------------------------------------------------------------------------------

template <class S>
VelocityMatrix<S> velocity(const ScrewMatrix<S>& L, const std::type_identity_t<S>& qd) {
  return VelocityMatrix<S>(Matrix4<S>(L.matrix * qd));
}

template <class S>
AccelerationMatrix<S> acceleration(const ScrewMatrix<S>& L, const std::type_identity_t<S>& qd,
                                   const std::type_identity_t<S>& qdd) {
  return AccelerationMatrix<S>(Matrix4<S>(L.matrix * qdd + L.matrix * L.matrix * S(qd * qd)));
}

/// W_ik, all in the same frame.
template <class S>
VelocityMatrix<S> compose(const VelocityMatrix<S>& W_ij, const VelocityMatrix<S>& W_jk) {
  return W_ij + W_jk;
}

/// H_ik with the term of Coriolis, all in the same frame.
template <class S>
AccelerationMatrix<S> compose(const AccelerationMatrix<S>& H_ij, const VelocityMatrix<S>& W_ij,
                              const AccelerationMatrix<S>& H_jk, const VelocityMatrix<S>& W_jk) {
  return AccelerationMatrix<S>(
      Matrix4<S>(H_ij.matrix + H_jk.matrix + W_ij.matrix * W_jk.matrix * S(2)));
}

/// H_jk from H_ik: what compose() undoes.
template <class S>
AccelerationMatrix<S> relative(const AccelerationMatrix<S>& H_ik, const VelocityMatrix<S>& W_ik,
                               const AccelerationMatrix<S>& H_ij, const VelocityMatrix<S>& W_ij) {
  const Matrix4<S> W_jk = W_ik.matrix - W_ij.matrix;
  return AccelerationMatrix<S>(Matrix4<S>(H_ik.matrix - H_ij.matrix - W_ij.matrix * W_jk * S(2)));
}

// -- force and energy ----------------------------------------------------------------------------

/// c.w + f.v from the entries 32, 13, 21, 14, 24, 34; the same in every frame.
template <class S>
S pseudo_product(const Matrix4<S>& A, const Matrix4<S>& B) {
  return A(2, 1) * B(2, 1) + A(0, 2) * B(0, 2) + A(1, 0) * B(1, 0) + A(0, 3) * B(0, 3) +
         A(1, 3) * B(1, 3) + A(2, 3) * B(2, 3);
}
template <class S>
S pseudo_product(const ActionMatrix<S>& Phi, const VelocityMatrix<S>& W) {
  return pseudo_product<S>(Phi.matrix, W.matrix);
}
template <class S>
S pseudo_product(const ActionMatrix<S>& Phi, const ScrewMatrix<S>& L) {
  return pseudo_product<S>(Phi.matrix, L.matrix);
}

template <class S>
MomentumMatrix<S> momentum(const VelocityMatrix<S>& W, const InertiaMatrix<S>& J) {
  return MomentumMatrix<S>(skew<S>(Matrix4<S>(W.matrix * J.matrix)));
}

/// skew(H J): with the acceleration H of the body the action it needs; with Hg its weight.
template <class S>
ActionMatrix<S> action(const AccelerationMatrix<S>& H, const InertiaMatrix<S>& J) {
  return ActionMatrix<S>(skew<S>(Matrix4<S>(H.matrix * J.matrix)));
}

/// tr(X Y'), the sum over all products of entries.
template <class S>
S trace_of_product(const Matrix4<S>& X, const Matrix4<S>& Y) {
  S sum(0);
  for (int c = 0; c < 4; ++c)
    for (int r = 0; r < 4; ++r) sum += X(r, c) * Y(r, c);
  return sum;
}

/// tr(L1 J L2').
template <class S>
S trace_product(const ScrewMatrix<S>& L1, const InertiaMatrix<S>& J, const ScrewMatrix<S>& L2) {
  return trace_of_product<S>(Matrix4<S>(L1.matrix * J.matrix), L2.matrix);
}

template <class S>
S kinetic_energy(const VelocityMatrix<S>& W, const InertiaMatrix<S>& J) {
  return trace_of_product<S>(Matrix4<S>(W.matrix * J.matrix), W.matrix) * S(0.5);
}

/// Zero when the centre of mass is at the origin.
template <class S>
S potential_energy(const AccelerationMatrix<S>& Hg, const InertiaMatrix<S>& J) {
  return -trace_of_product<S>(Hg.matrix, J.matrix);  // J is symmetric
}

}  // namespace ulna
