#pragma once
// Convex polygons as intersections of half planes a u + b x <= c, cut down one by one. A polygon
// may shrink to a segment or a point; `tolerance` decides what counts as on a line.

#include <vector>

namespace ulna {

struct HalfPlane {
  double a, b, c;
  /// Scaled to a^2 + b^2 = 1. Both must not be zero.
  static HalfPlane unit(double a, double b, double c);
};

class Polygon {
 public:
  /// The box |u| <= size, low <= x <= high.
  Polygon(double size, double low, double high);

  /// Keeps the part in the half plane.
  void cut(const HalfPlane& h);
  void cut(const std::vector<HalfPlane>& all) {
    for (const HalfPlane& h : all) cut(h);
  }
  bool empty() const { return corners_.empty(); }

  struct Range {
    double low, high;
  };
  /// The values of p u + q x in it; must not be empty.
  Range range(double p, double q) const;

 private:
  struct Corner {
    double u, x;
    HalfPlane next;  ///< the line to the next corner
  };
  static Corner crossing(const Corner& from, const Corner& to, const HalfPlane& cut, double d_from,
                         double d_to);
  std::vector<Corner> corners_, scratch_;
};

}  // namespace ulna
