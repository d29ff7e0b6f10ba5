#pragma once
// The axes of a member from A to B whose local x-y plane holds a reference point P: five ways
// (docs/theory/structure.md, eqs. 1-6). Columns of the result are the member's x, y, z in global
// axes; P has a positive local y. All agree; the cross products are the ones that never fail while
// A, B, P are not in line, and assembly uses them.

#include <string>
#include <vector>

#include "ulna/scalar/parts/export.hpp"
#include "ulna/spatial/parts/types.hpp"

namespace ulna::elastic {

using Vec3 = Vector3<double>;

/// z normal to the member and to the reference, by cross products (eq. 2). Throws InputError when
/// A = B or P lies on the member.
ULNA_API Matrix3<double> member_axes(const Vec3& A, const Vec3& B, const Vec3& P);

/// Rotations about y, z and x in turn (eq. 3); a member along global y is a case of its own.
ULNA_API Matrix3<double> member_axes_euler(const Vec3& A, const Vec3& B, const Vec3& P);

/// One rotation that lays the global axes on the member's (eq. 4), found from two chords.
ULNA_API Matrix3<double> member_axes_one_rotation(const Vec3& A, const Vec3& B, const Vec3& P);

/// z by solving z.x = 0, z.v = 0, |z| = 1 (eq. 5).
ULNA_API Matrix3<double> member_axes_orthogonality(const Vec3& A, const Vec3& B, const Vec3& P);

/// y by solving y.x = 0, y.v = |v| sin(angle of v and x) (eq. 6).
ULNA_API Matrix3<double> member_axes_angle(const Vec3& A, const Vec3& B, const Vec3& P);

/// z as the normal of the plane through A, B and P, from the minors of its determinant (eq. 7).
ULNA_API Matrix3<double> member_axes_plane(const Vec3& A, const Vec3& B, const Vec3& P);

/// By name, the way of assembly first: cross-product, euler-angles, one-rotation, orthogonality,
/// angle, plane.
ULNA_API std::vector<std::string> member_axes_methods();
ULNA_API Matrix3<double> member_axes(const std::string& method, const Vec3& A, const Vec3& B,
                                     const Vec3& P);

/// Axis and angle (0..pi) of the rotation that lays the global axes on the member's.
struct RotationAxis {
  Vec3 axis;
  double angle;
};
ULNA_API RotationAxis rotation_axis(const Vec3& A, const Vec3& B, const Vec3& P);

}  // namespace ulna::elastic
