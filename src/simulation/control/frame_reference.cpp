#include "control/frame_reference.hpp"

#include "control/model_efforts.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {

FrameReference frame_reference(const ControlState& s, const std::vector<int>& joints, int frame) {
  const ClosedReference at = closed_reference(s, joints);
  update_motions(s.model, s.work, at.q, at.v, at.a);
  return {frame_pose(s.model, s.work, frame), frame_velocity(s.model, s.work, frame).vector(),
          frame_acceleration(s.model, s.work, frame).vector()};
}

FrameError frame_error(const ControlState& s, int frame, const FrameReference& wanted) {
  s.scratch.setZero();
  update_motions(s.model, s.work, s.q, s.v, s.scratch);
  const Pose<double> X = frame_pose(s.model, s.work, frame);
  FrameError e;
  e.place << log_rotation(wanted.X.rotation * X.rotation.transpose()),
      wanted.X.position - X.position;
  e.rate = wanted.velocity - frame_velocity(s.model, s.work, frame).vector();
  e.bias = frame_acceleration(s.model, s.work, frame).vector();
  return e;
}

}  // namespace ulna
