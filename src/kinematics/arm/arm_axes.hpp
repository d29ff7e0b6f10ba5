#pragma once
// The turning joints that carry a frame, as axes in the world at coordinate zero, and what is
// special about them.

#include <string>
#include <vector>

#include "loops/circles.hpp"
#include "ulna/kinematics/closed_form.hpp"

namespace ulna {

struct ArmAxes {
  std::vector<int> coordinates, nodes;
  std::vector<TurnAxis> axes;
  Pose<double> X_WF;  ///< the frame at coordinate zero
  double size = 0;
  std::string reason;  ///< why it is no such arm
};

ArmAxes arm_axes(const Model& model, int frame);

bool are_parallel(const TurnAxis& a, const TurnAxis& b);

/// The structure of an arm of six axes, and its axes made exactly so: CAD and URDF round their
/// numbers.
struct ExactAxes {
  ArmStructure structure;
  TurnAxis axes[6];
  Vector3<double> centre = Vector3<double>::Zero();  ///< where three of them meet
};
ExactAxes exact_axes(const ArmAxes& arm);

}  // namespace ulna
