// A frame as a spring and a damper. docs/theory/control.md, eq. 3, 4.

#include "control/frame_reference.hpp"
#include "control/model_efforts.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/simulation/control_laws.hpp"

namespace ulna {

void Impedance::control(const ControlState& s, const double*, Eigen::VectorXd& tau, double*) const {
  const FrameReference wanted = frame_reference(s, joints, frame);
  const FrameError e = frame_error(s, frame, wanted);
  const Vector6<double> force = stiffness.cwiseProduct(e.place) + damping.cwiseProduct(e.rate);
  const Eigen::VectorXd along =
      jacobian(s.model, s.work, s.q, {frame}).transpose() * force - joint_damping * s.v;
  Eigen::VectorXd efforts = carried_by(s, joints, along);
  Eigen::VectorXd room;
  if (gravity) efforts += holding_efforts(s, joints, room);
  add_within(s, joints, efforts, limit, tau);
}

}  // namespace ulna
