#pragma once
// A platform as Python holds it, and its arguments: poses (4, 4) or (N, 4, 4), twists (6,) or
// (N, 6), drives (legs,) or (N, legs).

#include "bindings.hpp"
#include "row_argument.hpp"
#include "ulna/kinematics/platform_kinematics.hpp"

namespace ulna::python {

struct PlatformHandle {
  explicit PlatformHandle(std::shared_ptr<RobotHandle> of)
      : robot(std::move(of)), platform(platform_of(*robot->model)) {}
  std::shared_ptr<RobotHandle> robot;
  Platform platform;
};
using PlatformClass = py::class_<PlatformHandle, std::shared_ptr<PlatformHandle>>;

/// Poses, checked to be poses.
struct PoseArgument {
  std::vector<Pose<double>> poses;
  py::ssize_t count = -1;

  /// A batch of one serves all; of an empty one the home pose is the sample.
  const Pose<double>& at(py::ssize_t i) const { return poses[count <= 1 ? 0 : i]; }
};
PoseArgument poses_of(const PlatformHandle& p, const py::object& object, const char* name);

/// compute(i) for each of them, on all cores.
template <class Compute>
auto for_poses(PlatformHandle& p, py::ssize_t count, py::ssize_t share, const Compute& compute) {
  return for_rows(*p.robot, count, share, [&](Context&, py::ssize_t i) { return compute(i); });
}

inline constexpr const char* twist_text = "rotation first";
inline Twist<double> twist_of(const ConstVector& x) { return Twist<double>::from_vector(x); }

void add_platform_limits(PlatformClass& platform);
void add_platform_dynamics(PlatformClass& platform);

}  // namespace ulna::python
