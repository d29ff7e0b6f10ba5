#pragma once
// The inertia of a rigid body: mass, first moment (mass times centre) and the inertia matrix about
// the frame's origin, all in the axes of one frame. Inertias about the same frame add. This is the
// type for building and asking; the kernels hold ten numbers a body (NodeParameters) and turn and
// shift them by hand-tuned products (composite_body.hpp).

#include <string>

#include "ulna/scalar/parts/export.hpp"
#include "ulna/spatial/pose.hpp"

namespace ulna {

template <class S>
struct Inertia {
  S mass = S(0);
  Vector3<S> first_moment = Vector3<S>::Zero();
  Matrix3<S> about_origin = Matrix3<S>::Zero();  ///< symmetric

  /// From the centre of mass and the inertia about it.
  static Inertia from_centre(const S& mass, const Vector3<S>& centre,
                             const Matrix3<S>& about_centre) {
    Inertia inertia;
    inertia.mass = mass;
    inertia.first_moment = centre * mass;
    inertia.about_origin = about_centre + parallel_axis(mass, centre);
    return inertia;
  }

  /// m (c.c 1 - c c'), the inertia of a point mass.
  static Matrix3<S> parallel_axis(const S& mass, const Vector3<S>& c) {
    const S xx = c.x() * c.x(), yy = c.y() * c.y(), zz = c.z() * c.z();
    const S xy = -c.x() * c.y(), xz = -c.x() * c.z(), yz = -c.y() * c.z();
    Matrix3<S> m;
    m << yy + zz, xy, xz, xy, xx + zz, yz, xz, yz, xx + yy;
    return m * mass;
  }

  Inertia& operator+=(const Inertia& other) {
    mass += other.mass;
    first_moment += other.first_moment;
    about_origin += other.about_origin;
    return *this;
  }

  /// The 6x6 matrix acting on twists, rotation first.
  Matrix6<S> matrix() const {
    Matrix6<S> m;
    const Matrix3<S> h = skew(first_moment);
    m.template topLeftCorner<3, 3>() = about_origin;
    m.template topRightCorner<3, 3>() = h;
    m.template bottomLeftCorner<3, 3>() = -h;
    m.template bottomRightCorner<3, 3>() = Matrix3<S>::Identity() * mass;
    return m;
  }

  /// The 4x4 pseudo-inertia [[Sigma, h], [h', m]] with Sigma = integral of r r' dm.
  Matrix4<S> pseudo() const {
    const S half_trace = (about_origin(0, 0) + about_origin(1, 1) + about_origin(2, 2)) * S(0.5);
    Matrix4<S> m;
    m.template topLeftCorner<3, 3>() = Matrix3<S>::Identity() * half_trace - about_origin;
    m.template topRightCorner<3, 1>() = first_moment;
    m.template bottomLeftCorner<1, 3>() = first_moment.transpose();
    m(3, 3) = mass;
    return m;
  }
};

/// The inertia seen from frame A, given it in frame B and X_AB.
template <class S>
Inertia<S> transform(const Pose<S>& X_AB, const Inertia<S>& I_B) {
  Inertia<S> I_A;
  const Vector3<S> h = X_AB.rotation * I_B.first_moment;
  const Vector3<S>& p = X_AB.position;
  // I_A = R I_B R' + m (p.p 1 - p p') + 2 (p.h) 1 - p h' - h p'
  const S ph = p.dot(h);
  I_A.mass = I_B.mass;
  I_A.first_moment = h + p * I_B.mass;
  I_A.about_origin = X_AB.rotation * I_B.about_origin * X_AB.rotation.transpose() +
                     Inertia<S>::parallel_axis(I_B.mass, p) + Matrix3<S>::Identity() * (ph + ph) -
                     p * h.transpose() - h * p.transpose();
  return I_A;
}

/// Why no distribution of mass can have this inertia, or an empty text when one can. The
/// pseudo-inertia must be positive semi-definite; eigenvalues down to -1e-9 of its trace pass,
/// because published and exported numbers are rounded. Massless bodies, points, rods and laminas
/// are possible.
ULNA_API std::string why_impossible(double mass, const Matrix3<double>& inertia_about_centre);

/// Whether no motion of the body has negative energy: what computations need. A real body keeps to
/// the triangle inequality of its principal moments as well.
ULNA_API bool has_positive_energy(double mass, const Matrix3<double>& inertia_about_centre);

/// why_impossible for an inertia about any point.
ULNA_API std::string why_impossible(const Inertia<double>& inertia);

}  // namespace ulna
