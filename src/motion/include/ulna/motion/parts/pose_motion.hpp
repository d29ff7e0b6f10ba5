#pragma once
// Motions of a frame: its pose, velocity and acceleration as functions of time. A motion is a path
// (a curve in position and rotation) run through by a time law. docs/theory/motions.md, eq. 20-25.
//
//   auto path = std::make_shared<ScrewPath>(X_start, X_end);
//   PathMotion motion(path, std::make_shared<Polynomial345>(0, path->length(), 2.0));

#include "ulna/motion/motion.hpp"
#include "ulna/spatial/twist.hpp"

namespace ulna {

/// As frame_velocity and frame_acceleration give them: world axes; `twist` holds the angular
/// velocity and the velocity of the frame's origin, `acceleration` their time derivatives.
struct PoseMotionValue {
  Pose<double> pose;
  Twist<double> twist, acceleration;
};

class ULNA_API PoseMotion {
 public:
  virtual ~PoseMotion();
  virtual PoseMotionValue at(double t) const = 0;
  /// Times where a derivative up to the acceleration jumps.
  virtual std::vector<double> breakpoints() const { return {}; }
  virtual double duration() const = 0;
};
using PoseMotionPtr = std::shared_ptr<const PoseMotion>;

/// A curve of poses. Its parameter s runs from 0 to length().
class ULNA_API PosePath {
 public:
  virtual ~PosePath();
  /// The pose, and its first and second derivatives by s in place of time.
  virtual PoseMotionValue at(double s) const = 0;
  virtual double length() const = 0;
  /// Where a derivative by s up to the second jumps; both ends are left out.
  virtual std::vector<double> breaks() const { return {}; }
  /// Those of the breaks where the direction itself jumps.
  virtual std::vector<double> sharp_corners() const { return {}; }
};
using PosePathPtr = std::shared_ptr<const PosePath>;

/// A path run through by a time law s(t).
class ULNA_API PathMotion final : public PoseMotion {
 public:
  /// InputError when the law leaves 0..length() of the path.
  PathMotion(PosePathPtr path, ScalarMotionPtr law);
  PoseMotionValue at(double t) const override;
  /// Those of the law, and the times at which it passes the breaks of the path.
  std::vector<double> breakpoints() const override { return breakpoints_; }
  double duration() const override { return law_->duration(); }

 private:
  PosePathPtr path_;
  ScalarMotionPtr law_;
  std::vector<double> breakpoints_;
};

}  // namespace ulna
