#pragma once
// Planning the motions of an experiment before it runs: a frame led along a path becomes motions of
// the joints; motions are run faster or slower, as fast as limits allow, or along the same path in
// the least time. docs/theory/motions.md, eq. 26-37, 41, 42.

#include <memory>
#include <string>

#include "ulna/motion/cartesian_motion.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna {

/// Gives every joint that can move its share of the motion of a frame, and drives by it those that
/// have no other drive. ComputationError where the frame cannot be carried along.
ULNA_API void plan_frame_motion(Experiment& experiment, int frame, const PoseMotion& motion,
                                const CartesianMotionOptions& options = {});

/// What a timing may not exceed; one per speed, infinite where there is no limit.
struct PlanLimits {
  Eigen::VectorXd rates, efforts;
};

enum class TimingKind {
  scale,         ///< all motions `scale` times as fast
  limits,        ///< as fast as the limits allow, the law unchanged
  minimum_time,  ///< the least time along the same path within the limits
};

struct Timing {
  TimingKind kind = TimingKind::scale;
  double scale = 1;
  PlanLimits limits;
  int intervals = 1000;  ///< of the path, for the least time
};

/// Changes the motions of the experiment; its end is left as it is. Joints without a motion rest at
/// their start, or follow the loops. Limits are met by the robot with rigid links. InputError
/// without any motion or limit, and where the motions leave freedoms of loops open;
/// ComputationError when no timing keeps the limits, or the loops cannot follow.
ULNA_API TimingResult plan_timing(Experiment& experiment, const Timing& timing);

/// Where a motion ends: its duration, or for a formula the time from which it rests if that is
/// earlier.
ULNA_API double motion_end(const ScalarMotion& motion);
/// A sentence about the motions that the end of the experiment cuts while they move; empty: none.
ULNA_API std::string cut_motions(const Experiment& experiment);
/// The robot with rigid links, on which motions are planned; the robot itself when it has no modes.
/// Its joints have the same coordinates, frames the same numbers.
ULNA_API std::shared_ptr<const Model> rigid_twin(const std::shared_ptr<const Model>& model);
/// The end of the longest motion; infinite when one never ends, 0 without motions. Formulas last
/// as long as the experiment, or until they rest where it has no duration.
ULNA_API double motions_end(const Experiment& experiment);

}  // namespace ulna
