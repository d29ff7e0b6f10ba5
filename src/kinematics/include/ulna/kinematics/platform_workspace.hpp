#pragma once
// Where a platform can stand: strokes, hinge and ball angles, legs that would touch, singular poses
// (docs/theory/platforms.md, section 6); and slices of the space of its poses: positions at a fixed
// orientation, orientations at a fixed position, or one of each.

#include <array>

#include "ulna/kinematics/platform_kinematics.hpp"

namespace ulna {

struct PlatformLimits {
  /// Largest angle of a leg from where it points at home, seen from the platform; infinite: none.
  /// Strokes, crank and hinge angles come from the legs themselves.
  double ball_angle = INFINITY;
  /// Radius of the legs where the robot draws none; 0 with nothing drawn: they may touch.
  double leg_radius = 0;
  double worst_condition = 1e9;  ///< poses beyond are singular
};

enum class PoseFault { none, unreachable, stroke, hinge_angle, ball_angle, collision, singular };
ULNA_API const char* name_of(PoseFault fault);

struct PoseCheck {
  PoseFault fault = PoseFault::none;
  int leg = -1, other = -1;  ///< whose
  double measure = 0;        ///< length, angle, distance or condition
  double condition = 0;      ///< of the rows, where the pose can be reached
  /// Slices of platforms with fewer than six freedoms: how far the platform leaves the slice in the
  /// other coordinates of its pose, metres and turns by its radius.
  double beside = 0;
};

class ULNA_API PoseChecker {
 public:
  explicit PoseChecker(const Platform& platform, const PlatformLimits& limits = {});
  PoseCheck check(const Pose<double>& pose);
  /// What is wrong, in words with the pose; empty for a good pose.
  std::string text(const PoseCheck& check, const Pose<double>& pose) const;
  /// ComputationError with that text.
  void require(const Pose<double>& pose);

 private:
  struct Segment {
    Vector3<double> from, to;
    double radius;
  };
  void find_segments();
  PoseCheck check_collisions();

  const Platform& platform_;
  PlatformLimits limits_;
  PlatformMotion motion_;
  std::vector<Vector3<double>> home_;           ///< directions of the legs, platform axes
  std::vector<std::vector<Segment>> segments_;  ///< by leg
  std::vector<std::pair<int, int>> pairs_;      ///< legs that do not meet at a joint
};

/// One direction of a slice: a coordinate of the position (world) or of the rotation vector from
/// the middle pose (world axes).
enum class SliceAxis { x, y, z, rx, ry, rz };
ULNA_API const char* name_of(SliceAxis axis);
/// By name; InputError for others.
ULNA_API SliceAxis slice_axis_named(const std::string& name);

struct SliceRange {
  SliceAxis axis;
  double lower, upper;  ///< position: of the coordinate; rotation: of the vector
  int count = 61;
};

struct WorkspaceSlice {
  std::array<SliceRange, 2> ranges;
  Pose<double> middle;
  std::vector<PoseCheck> checks;  ///< the first range runs fastest
  double share = 0;               ///< of the good poses
  double area = 0;                ///< theirs, in the units of the two axes

  double value(int axis, int index) const {
    const SliceRange& r = ranges[axis];
    return r.lower + (r.upper - r.lower) * index / (r.count - 1);
  }
  const PoseCheck& at(int first, int second) const {
    return checks[static_cast<std::size_t>(second) * ranges[0].count + first];
  }
};

/// InputError for empty ranges or the same axis twice.
ULNA_API WorkspaceSlice workspace_slice(const Platform& platform, const Pose<double>& middle,
                                        const std::array<SliceRange, 2>& ranges,
                                        const PlatformLimits& limits = {});
/// InputError for empty ranges or the same axis twice; the shares of `slice` from its checks.
ULNA_API void check_ranges(const std::array<SliceRange, 2>& ranges);
ULNA_API void count_good(WorkspaceSlice& slice);

}  // namespace ulna
