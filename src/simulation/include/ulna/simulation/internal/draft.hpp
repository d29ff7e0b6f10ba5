#pragma once
// An experiment as a file describes it, before its motions are planned: what readers fill. `plan`
// computes the rest: where a path begins, loops closed, inverse kinematics, timing.

#include <optional>
#include <string>
#include <vector>

#include "ulna/simulation/internal/plan.hpp"
#include "ulna/simulation/internal/plan_tip.hpp"
#include "ulna/spatial/pose.hpp"

namespace ulna {

/// A pose on a path. What is not given is that of the frame at the start.
struct PoseRequest {
  std::optional<Vector3<double>> position;
  std::optional<Matrix3<double>> rotation;
};

/// A frame is led along a curve. docs/theory/motions.md, eq. 26-28.
struct PathRequest {
  enum class Shape { line, screw, circle, polyline };
  SourceMark mark;
  int frame = 0;
  bool position_only = false;
  HeldAxes held = all_axes;  ///< of the frame's origin
  Shape shape = Shape::line;
  PoseRequest from, to;  ///< of line and screw; circles have `from`
  Vector3<double> centre = Vector3<double>::Zero(),
                  axis = Vector3<double>::UnitZ();  ///< of a circle
  double angle = 0;
  bool turning = false;                 ///< the frame turns with the circle
  std::vector<Vector3<double>> points;  ///< of a polyline
  double blend = 0;
  std::optional<std::string> program;  ///< of motion; poly345 when absent
  std::optional<double> time;          ///< the duration of the experiment when absent
  std::optional<double> speed;         ///< constant speed instead of a time
  std::optional<double> ramp;          ///< seconds to reach it and to stop
};

struct TimingRequest {
  SourceMark mark;
  Timing timing;
};

struct ShapingRequest {
  SourceMark mark;
  Shaping shaping;
};

struct TipRequest {
  SourceMark mark;
  TipOptions options;
};

struct ExperimentDraft {
  Experiment experiment;  ///< its end is 0 where no duration is given
  std::optional<PathRequest> path;
  std::optional<TimingRequest> timing;
  std::optional<ShapingRequest> shaping;
  std::optional<TipRequest> tip;
};

/// The experiment with its motions. InputError at the marks of the draft; ComputationError where a
/// frame cannot be led along its path or no timing keeps the limits.
ULNA_API Experiment plan(ExperimentDraft draft);

/// Where the motions begin: coordinates and rates, neutral and at rest without one.
struct MotionStart {
  Eigen::VectorXd q, v;
};
ULNA_API MotionStart start_of_motions(const Experiment& experiment);

}  // namespace ulna
