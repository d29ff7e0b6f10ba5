#include "timing/half_planes.hpp"

#include <algorithm>
#include <cmath>

namespace ulna {
namespace {

/// In units of the scaled plane, of which the answer is about 1; grows with far corners.
constexpr double tolerance = 1e-13;

}  // namespace

HalfPlane HalfPlane::unit(double a, double b, double c) {
  const double n = std::hypot(a, b);
  return {a / n, b / n, c / n};
}

Polygon::Polygon(double size, double low, double high)
    : corners_{{-size, low, {0, -1, -low}},
               {size, low, {1, 0, size}},
               {size, high, {0, 1, high}},
               {-size, high, {-1, 0, size}}} {}

/// Where the edge that leaves `from` meets the cutting line: from the two lines themselves, since
/// interpolating between far corners would lose digits.
Polygon::Corner Polygon::crossing(const Corner& from, const Corner& to, const HalfPlane& cut,
                                  double d_from, double d_to) {
  const HalfPlane& edge = from.next;
  const double det = edge.a * cut.b - edge.b * cut.a;
  if (std::abs(det) < 1e-9) {  // nearly parallel: both corners are near the line
    const double part = d_from / (d_from - d_to);
    return {from.u + part * (to.u - from.u), from.x + part * (to.x - from.x), edge};
  }
  return {(edge.c * cut.b - edge.b * cut.c) / det, (edge.a * cut.c - edge.c * cut.a) / det, edge};
}

void Polygon::cut(const HalfPlane& h) {
  const auto distance = [&](const Corner& p) {
    const double d = h.a * p.u + h.b * p.x - h.c;
    return std::abs(d) <= tolerance * (1 + std::abs(h.a * p.u) + std::abs(h.b * p.x)) ? 0 : d;
  };
  scratch_.clear();
  for (std::size_t k = 0; k < corners_.size(); ++k) {
    const Corner& here = corners_[k];
    const Corner& next = corners_[(k + 1) % corners_.size()];
    const double d = distance(here), e = distance(next);
    if (d <= 0) scratch_.push_back(here);
    if (d < 0 && e > 0) {  // leaves: from here on along the cut
      scratch_.push_back(crossing(here, next, h, d, e));
      scratch_.back().next = h;
    } else if (d == 0 && e > 0) {
      scratch_.back().next = h;
    } else if (d > 0 && e < 0) {  // comes back
      scratch_.push_back(crossing(here, next, h, d, e));
    }
  }
  corners_.swap(scratch_);
}

Polygon::Range Polygon::range(double p, double q) const {
  Range range{INFINITY, -INFINITY};
  for (const Corner& corner : corners_) {
    const double y = p * corner.u + q * corner.x;
    range.low = std::min(range.low, y);
    range.high = std::max(range.high, y);
  }
  return range;
}

}  // namespace ulna
