#pragma once
// Which joints of an experiment are led: by their motions, or locked where they start.

#include <algorithm>

#include "ulna/simulation/experiment.hpp"

namespace ulna {

struct LedJoints {
  std::vector<char> coordinates, speeds;  ///< one entry each, of the robot with rigid links or not
};

inline LedJoints led_joints(const Experiment& experiment, const Model& model) {
  LedJoints led{std::vector<char>(static_cast<std::size_t>(model.coordinates()), 0),
                std::vector<char>(static_cast<std::size_t>(model.speeds()), 0)};
  for (std::size_t j = 0; j < experiment.drives.size(); ++j) {
    const Joint& joint = model.joints()[j];
    const Drive& drive = experiment.drives[j];
    if (drive.motion.empty() && drive.kind != DriveKind::locked) continue;
    std::fill_n(led.coordinates.begin() + joint.q, joint.coordinates, 1);
    std::fill_n(led.speeds.begin() + joint.v, joint.speeds, 1);
  }
  return led;
}

}  // namespace ulna
