#pragma once
// Bang-bang from state to state: the switch times of switched efforts that bring a robot to its
// goal, found by simulating again and again. docs/theory/motions.md, eq. 40.

#include <functional>
#include <stop_token>

#include "ulna/simulation/experiment.hpp"

namespace ulna {

struct AimOptions {
  /// Called before each simulation with how many there were. May be empty.
  std::function<void(int evaluations)> progress;
  std::stop_token stop;  ///< ComputationError "interrupted"
};

struct AimResult {
  double duration = 0;
  double miss = 0;  ///< what is left, SI units
  int evaluations = 0;
};

/// Replaces the switch times of all switched efforts and the end of the experiment by those that
/// meet `experiment.goal`; the times it has are the first guess. InputError without a goal, without
/// a switched effort, or with a goal for joints with quaternions; ComputationError when the goal
/// is not met, with what is left.
ULNA_API AimResult aim(Experiment& experiment, const AimOptions& options = {});

}  // namespace ulna
