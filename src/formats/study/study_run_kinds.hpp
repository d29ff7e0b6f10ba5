#pragma once
// What runs of a platform and of an identification need beside a posture.

#include "study/study_parts.hpp"
#include "ulna/kinematics/platform_workspace.hpp"
#include "ulna/study/identification.hpp"

namespace ulna {

/// From a pose to the drives, from drives to the pose, or a slice of the workspace around it.
struct PlatformRun {
  std::optional<Vector3<double>> position;  ///< none: that of the home pose
  Vector3<double> turn = Vector3<double>::Zero();
  NamedValues drives;
  bool direct = false;
  std::optional<std::array<SliceRange, 2>> slice;
  PlatformLimits limits;
};

/// The drives that a run of a platform names. InputError for a robot that is no parallel robot.
std::vector<std::string> platform_drives(const Model& model);

/// The robot of a sample is moved along an exciting motion; from its efforts, with noise, the base
/// parameters of the robot without changes are identified.
struct IdentifyRun {
  IdentifyRun(std::shared_ptr<const Model> model, RegressorTerms asked,
              const ExcitationOptions& options);

  std::shared_ptr<const Model> nominal;
  RegressorTerms terms;
  BaseParameters base;
  Recording motion;
  std::vector<std::string> names;  ///< of the base parameters, for results
  double noise = 0;                ///< standard deviation of every effort
  std::uint64_t seed = 1;
};

}  // namespace ulna
