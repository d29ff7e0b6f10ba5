#pragma once
// What drives a joint of an experiment.

#include <memory>
#include <vector>

#include "ulna/motion/formula.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {

enum class DriveKind {
  free,       ///< no effort but those of damping, friction and springs
  locked,     ///< held where it starts
  motion,     ///< follows its motion exactly; the effort for it is found
  effort,     ///< under an effort given as a function of time, or as a formula of the state
  controller  ///< under the effort of the controller that lists it
};
ULNA_API const char* name_of(DriveKind kind);

/// What drives one joint. Functions of time, one per speed of the joint; for spherical and free
/// joints a motion is roll, pitch, yaw about the fixed axes of the joint frame F (and x, y, z in
/// F).
struct Drive {
  DriveKind kind = DriveKind::free;
  std::vector<ScalarMotionPtr> motion;  ///< of kind motion; the reference of kind controller
  std::vector<ScalarMotionPtr> effort;  ///< of kind effort; added to a controller's
  SourceMark mark;
  /// Efforts that depend on channels besides t (channels.hpp), added to `effort`; null entries:
  /// none. Only what follows from coordinates and speeds: nothing that efforts decide.
  std::vector<std::shared_ptr<const VariableFormula>> effort_formulas = {};
};

}  // namespace ulna
