#pragma once
// Points, lines, planes and the frames one lays through them. Directions and normals are of unit
// length. What does not exist (the line through a point and itself, the cut of parallel planes) is
// a ComputationError; "the same" and "parallel" mean within 1e-12 of the sizes given.

#include "ulna/scalar/parts/export.hpp"
#include "ulna/spatial/homogeneous.hpp"

namespace ulna {

struct Line {
  Vector3<double> point = Vector3<double>::Zero();
  Vector3<double> direction = Vector3<double>::UnitX();
};

/// All x with normal.x = offset.
struct Plane {
  Vector3<double> normal = Vector3<double>::UnitZ();
  double offset = 0;
};

ULNA_API Line line_through(const Vector3<double>& a, const Vector3<double>& b);
ULNA_API Line line_along(const Vector3<double>& point, const Vector3<double>& direction);
/// Normal along (b - a) x (c - a).
ULNA_API Plane plane_through(const Vector3<double>& a, const Vector3<double>& b,
                             const Vector3<double>& c);
ULNA_API Plane plane_across(const Vector3<double>& point, const Vector3<double>& normal);

/// In 0..pi, accurate also near both ends.
ULNA_API double angle_between(const Vector3<double>& a, const Vector3<double>& b);
/// a for share 0, b for share 1.
ULNA_API Vector3<double> point_between(const Vector3<double>& a, const Vector3<double>& b,
                                       double share = 0.5);

ULNA_API Vector3<double> project(const Vector3<double>& point, const Line& line);
ULNA_API Vector3<double> project(const Vector3<double>& point, const Plane& plane);
ULNA_API double distance(const Vector3<double>& point, const Line& line);
/// Positive on the side of the normal.
ULNA_API double distance(const Vector3<double>& point, const Plane& plane);

ULNA_API Vector3<double> intersection(const Line& line, const Plane& plane);
/// Along the cross product of the normals, its point nearest the origin.
ULNA_API Line intersection(const Plane& a, const Plane& b);

/// How two lines stand to each other.
enum class LinePair { skew, crossing, parallel, same };
struct CommonNormal {
  LinePair kind = LinePair::skew;
  Vector3<double> foot_a = Vector3<double>::Zero();  ///< parallel: the point of line a
  Vector3<double> foot_b = Vector3<double>::Zero();
  /// From a to b; for crossing lines along a x b, for the same line across it.
  Vector3<double> direction = Vector3<double>::UnitX();
  double distance = 0;
};
ULNA_API CommonNormal common_normal(const Line& a, const Line& b);

/// Which axes of a frame its two vectors are: the first exactly, the second within their plane and
/// on its side.
struct FrameAxes {
  char first = 'x', second = 'y';
};
ULNA_API PositionMatrix<double> frame_from_vectors(const Vector3<double>& origin,
                                                   const Vector3<double>& first,
                                                   const Vector3<double>& second,
                                                   FrameAxes axes = {});
/// Origin in `origin`, first axis towards a, second towards b.
ULNA_API PositionMatrix<double> frame_from_points(const Vector3<double>& origin,
                                                  const Vector3<double>& a,
                                                  const Vector3<double>& b, FrameAxes axes = {});

}  // namespace ulna
