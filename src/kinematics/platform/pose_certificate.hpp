#pragma once
// Proofs about solutions of the line quadrics by Krawczyk's operator in interval arithmetic: a box
// about an approximate solution contains exactly one solution. A box about a real point is its own
// conjugate, so that the solution in it is real. docs/theory/platforms.md, eq. 28.
// What is proven holds for the ends and lengths of the lines as they are stored.

#include <optional>
#include <vector>

#include "platform/line_quadrics.hpp"
#include "ulna/numerics/internal/interval.hpp"

namespace ulna {

struct SolutionBox {
  std::vector<ComplexInterval> x;  ///< all unknowns; the one of `chart` is 1
  ComplexVector middle;
  int chart = 0;
  double radius = 0;  ///< half the sides
  bool real = false;
};

class PoseCertifier {
 public:
  PoseCertifier(const LineQuadrics& quadrics, const std::vector<double>& lengths);
  /// A box about x with exactly one solution, of which e'e is not zero. None where this is not
  /// proven: near singular solutions.
  std::optional<SolutionBox> certify(const ComplexVector& x) const;
  /// Whether the solutions in two boxes are different for sure.
  static bool distinct(const SolutionBox& a, const SolutionBox& b);

 private:
  using Row = std::array<ComplexInterval, most_unknowns>;
  std::optional<SolutionBox> proven(const ComplexVector& y, int chart, bool real) const;
  ComplexInterval value(int equation, const std::vector<ComplexInterval>& x) const;
  ComplexInterval slope(int equation, int unknown, const std::vector<ComplexInterval>& x) const;

  const LineQuadrics& quadrics_;
  std::vector<std::array<std::array<Interval, most_unknowns>, most_unknowns>> Q_;
};

}  // namespace ulna
