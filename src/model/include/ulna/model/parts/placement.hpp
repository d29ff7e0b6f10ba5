#pragma once
// Ways to say where a joint is. Each gives the joint frame F on the parent and the child's body
// frame in the moving joint frame M; the joint acts about z of F.

#include "ulna/scalar/parts/export.hpp"
#include "ulna/spatial/pose.hpp"

namespace ulna {

struct Placement {
  Pose<double> X_PF;
  Pose<double> X_MC;
};

/// The shortest turn that brings z onto the given direction (of unit length); half a turn about x
/// for -z. Directions along the axes give entries 0 and +-1 exactly.
ULNA_API Matrix3<double> axes_along(const Vector3<double>& direction);

/// Standard Denavit-Hartenberg: Rz(theta + q) Tz(d) Tx(a) Rx(alpha). The joint acts about z of the
/// parent frame; the child frame sits at the far end of the link. A prismatic joint adds q to d.
ULNA_API Placement standard_dh(double theta, double d, double a, double alpha);

/// Modified (Craig) Denavit-Hartenberg: Rx(alpha) Tx(a) Rz(theta + q) Tz(d). The joint acts about z
/// of the child frame.
ULNA_API Placement modified_dh(double theta, double d, double a, double alpha);

/// Extended form with a shift b along y before the twist: Rz(theta + q) Tz(d) Tx(a) Ty(b)
/// Rx(alpha).
ULNA_API Placement extended_dh(double theta, double d, double b, double a, double alpha);

/// A screw axis given in the base frame (at q = 0): a direction and a point on it. `X_WP` and
/// `X_WC` are the poses of parent and child at q = 0.
ULNA_API Placement screw_axis(const Vector3<double>& direction, const Vector3<double>& point,
                              const Pose<double>& X_WP, const Pose<double>& X_WC);

}  // namespace ulna
