#pragma once
// A platform as Python holds it, and its arguments: poses (4, 4) or (N, 4, 4), twists (6,) or
// (N, 6), drives (legs,) or (N, legs).

#include "bindings.hpp"
#include "platform_engine.hpp"
#include "row_argument.hpp"

namespace ulna::python {

struct PlatformHandle {
  /// None: found, as ParallelRobot says.
  PlatformHandle(std::shared_ptr<RobotHandle> of, py::object actuated, py::object body);

  std::shared_ptr<RobotHandle> robot;
  py::object asked_drives, asked_body;  ///< for pickles
  std::unique_ptr<PlatformEngine> engine;

  const PlatformEngine& ask() const { return *engine; }
  int drives() const { return drives_; }
  /// Poses that are worth a thread.
  py::ssize_t share() const { return engine->closed_form() ? cheap_share : 4; }

 private:
  int drives_ = 0;
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

/// One per drive; {name: value} gives some, and the others are zero.
RowArgument drive_rows(const PlatformHandle& p, const py::object& object, const char* name);
/// One number for all drives, or one each. InputError where one is not a finite number, at least
/// `least`.
Eigen::VectorXd each_drive(const PlatformHandle& p, const py::object& object, const char* name,
                           double least);
/// (N, 4, 4), or (4, 4) of one.
py::object stacked_poses(std::span<const Pose<double>> poses, bool batch);

void add_platform_limits(PlatformClass& platform);
void add_platform_quality(PlatformClass& platform);
void add_platform_direct(PlatformClass& platform);
void add_platform_dynamics(PlatformClass& platform);

}  // namespace ulna::python
