#pragma once
// Follows a solution of the line quadrics while the constants of the lines go along a straight way
// from one set of complex numbers to another: a predictor of fourth order and Newton's method, with
// steps that are halved where Newton does not converge at once. docs/theory/platforms.md, eq. 27.

#include "platform/line_quadrics.hpp"

namespace ulna {

struct TrackedPoint {
  ComplexVector x;       ///< of unit norm
  bool arrived = false;  ///< false: at a singular solution, or one at infinity
  double left = 0;       ///< the part of the way that was not gone
};

class PathTracker {
 public:
  explicit PathTracker(const LineQuadrics& quadrics);
  /// From constants `from`, of which x is a solution, to `to`. `longest` is the largest step, as a
  /// part of the way.
  TrackedPoint follow(const ComplexVector& x, const ComplexVector& from, const ComplexVector& to,
                      double longest = 0.1);
  /// Newton's method at fixed constants; false where it does not converge to `tolerance`.
  bool refine(ComplexVector& x, const ComplexVector& s, double tolerance, int most);
  /// Newton's method from anywhere, with steps of limited length; false where it does not converge.
  bool search(ComplexVector& x, const ComplexVector& s);

 private:
  /// dx/dt at fixed patch.
  bool tangent(const ComplexVector& x, const ComplexVector& s, ComplexVector& dx);
  bool solve(ComplexVector& right);

  const LineQuadrics& quadrics_;
  ComplexVector ds_, f_, patch_;
  ComplexMatrix J_, lu_;
};

}  // namespace ulna
