#pragma once
// Shape functions along a beam, by the name of their family. docs/theory/flexible.md, eq. 1-4.
//
// The bending modes of uniform beams are written with decaying exponentials,
//
//   phi = c1 exp(z - lambda) + c2 exp(-z) + c3 cos z + c4 sin z,      z = lambda x / l,
//
// which keeps all digits at any mode; cosh z - sigma sinh z loses a digit with every 2.3 of lambda.
// Clamped modes have c3 = -1, so that clamped-free ones have int phi^2 dx = l and a tip of +-2.

#include <functional>
#include <vector>

#include "ulna/model/parts/beam.hpp"

namespace ulna {

/// A shape with its first two derivatives at a place.
struct ShapeValue {
  double value = 0, slope = 0, curvature = 0;
};

struct ModeShape {
  std::function<ShapeValue(double x)> at;
  double lambda = 0;  ///< wave number times length; 0 where there is none
};

/// Shapes along a beam of one length.
struct ModeSet {
  double length = 1;
  std::vector<ModeShape> modes;
};

/// What is clamped to the far end, as bending in one plane feels it, by mass and length of the
/// beam: mass / (rho l), offset / l, inertia about its own centre / (rho l^3).
struct TipBody {
  double mass = 0, offset = 0, inertia = 0;
};

/// The first `count` bending modes of a uniform beam. For `clamped_tip_body` those with the tip
/// body; for the other analytic families it is ignored.
ULNA_API ModeSet bending_modes(ModeFamily family, double length, int count, TipBody tip = {});

/// Sines, for torsion and stretching: clamped at the root, free at the tip; held at both ends for
/// pinned-pinned and clamped-clamped. With finite_element the straight line comes first.
ULNA_API ModeSet sine_modes(ModeFamily family, double length, int count);

/// Bending from Hermite elements, as Craig and Bampton reduce them to the root (clamped) and the
/// tip: a unit tip displacement, a unit tip slope, then modes with both ends clamped. `stiffness`
/// and `mass` are EI and rho of each element, all of equal length. A single mode is the shape under
/// a tip force.
ULNA_API ModeSet craig_bampton_modes(double length, const std::vector<double>& stiffness,
                                     const std::vector<double>& mass, int count);

}  // namespace ulna
