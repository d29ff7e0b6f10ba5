#pragma once
// Paths of a frame: from pose to pose along a line or a screw, a circle, a polyline. The parameter
// of lines, circles and polylines is the arc length in metres (the angle, for a turn on the spot);
// that of a screw runs from 0 to 1. docs/theory/motions.md, eq. 21-25.

#include "ulna/motion/parts/pose_motion.hpp"

namespace ulna {

/// The position along a straight line, the rotation about one fixed axis by the shorter way
/// (slerp), both in proportion to s.
class ULNA_API LinePath final : public PosePath {
 public:
  /// InputError when the poses are equal, not rotations or not finite.
  LinePath(const Pose<double>& from, const Pose<double>& to);
  PoseMotionValue at(double s) const override;
  double length() const override { return length_; }

 private:
  Pose<double> from_;
  Vector3<double> way_, turn_;  ///< displacement; rotation vector in the axes of `from`
  double length_;
};

/// X(s) = X_from exp(s log(X_from^-1 X_to)), s in 0..1: one screw motion (Chasles). Independent of
/// the choice of world frame and of the point that is followed.
class ULNA_API ScrewPath final : public PosePath {
 public:
  ScrewPath(const Pose<double>& from, const Pose<double>& to);
  PoseMotionValue at(double s) const override;
  double length() const override { return 1; }

 private:
  Pose<double> from_;
  Vector6<double> screw_;  ///< in the axes of `from`
};

/// The origin on a circle about an axis, from the pose `from`, by `angle` (more than 2 pi: several
/// turns; negative: the other way round).
class ULNA_API CirclePath final : public PosePath {
 public:
  enum class Rotation {
    fixed,
    turning
  };  ///< the frame keeps its rotation, or turns with the circle
  /// InputError when the axis is zero or the origin of `from` lies on it.
  CirclePath(const Pose<double>& from, const Vector3<double>& centre, const Vector3<double>& axis,
             double angle, Rotation rotation = Rotation::fixed);
  PoseMotionValue at(double s) const override;
  double length() const override { return length_; }

 private:
  Pose<double> from_;
  Vector3<double> centre_, axis_, arm_;  ///< foot of the arm on the axis; unit; from foot to origin
  double angle_, length_;
  bool turning_;
};

/// Straight legs between points, the frame's rotation fixed. Corners are rounded by arcs that touch
/// both legs, `blend` metres before and behind the corner (less where a leg is short: at most half
/// of it); 0 leaves them sharp.
class ULNA_API PolylinePath final : public PosePath {
 public:
  /// InputError for fewer than two points, equal neighbours, a corner that turns back, or a
  /// negative blend.
  PolylinePath(const std::vector<Vector3<double>>& points, const Matrix3<double>& rotation,
               double blend = 0);
  PoseMotionValue at(double s) const override;
  double length() const override { return starts_.back(); }
  std::vector<double> breaks() const override;
  std::vector<double> sharp_corners() const override { return sharp_; }
  /// Path lengths of the corners (sharp) or of the middles of their arcs.
  const std::vector<double>& corners() const { return corners_; }
  /// The smallest radius of the arcs; infinite without any. At speed u the acceleration in a corner
  /// is u^2 over the radius.
  double smallest_radius() const { return smallest_radius_; }

 private:
  /// A straight piece (curvature 0) or an arc that begins along `along` and bends towards
  /// `towards`.
  struct Piece {
    Vector3<double> begin, along, towards;
    double curvature, length;
  };
  void add(const Piece& piece);

  Matrix3<double> rotation_;
  std::vector<Piece> pieces_;
  std::vector<double> starts_, corners_, sharp_;
  double smallest_radius_;
};

/// Any path at constant speed: `speed` of its parameter per second, metres for lines, circles and
/// polylines. `ramp` seconds of smoothly rising and falling speed at start and end; 0: at once.
/// InputError when the path has sharp corners or the ramps do not fit.
ULNA_API PathMotion constant_speed(PosePathPtr path, double speed, double ramp = 0);

/// A polyline that comes to rest in every corner: on each leg constant acceleration for `ramp`
/// seconds to `speed`, constant speed, and constant deceleration. Legs too short to reach the speed
/// keep the acceleration.
ULNA_API PathMotion trapezoids_between_corners(std::shared_ptr<const PolylinePath> path,
                                               double speed, double ramp);

/// A polyline that comes to rest in every corner: each leg by the named motion program with `speed`
/// as its peak. The way to run sharp corners.
ULNA_API PathMotion stop_at_corners(std::shared_ptr<const PolylinePath> path, double speed,
                                    const std::string& program = "poly345");

}  // namespace ulna
