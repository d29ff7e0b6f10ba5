// Control of a frame through its operational inertia. docs/theory/control.md, eq. 5-8.

#include <fmt/format.h>

#include "control/frame_reference.hpp"
#include "control/model_efforts.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/simulation/control_laws.hpp"

namespace ulna {

std::string OperationalSpace::refusal(const Model& robot) const {
  if (robot.modes() == 0) return {};
  return fmt::format(
      "robot '{}' is flexible, and the inverse dynamics of a frame that flexible bodies carry is "
      "unstable; give the controller a rigid model by `model: {{rigid: true}}`",
      robot.name());
}

void OperationalSpace::control(const ControlState& s, const double*, Eigen::VectorXd& tau,
                               double*) const {
  const FrameReference wanted = frame_reference(s, joints, frame);
  const DrivenMotion motion = driven_motion(s, joints);
  const FrameError e = frame_error(s, frame, wanted);
  const int rows = position_only ? 3 : 6;
  const Eigen::MatrixXd J = jacobian(s.model, s.work, s.q, {frame}).bottomRows(rows);
  // Of the controlled joints: the others follow (eq. 19).
  const Eigen::MatrixXd Jd = J * motion.G;
  const Vector6<double> goal = wanted.acceleration + kp * e.place + kd * e.rate - e.bias;
  const dense::Cholesky mass(motion.mass);
  if (!mass.ok())
    throw ComputationError(fmt::format(
        "the operational inertia of '{}' for the controlled joints is singular at t = {:.9g} s",
        s.model.name(), s.t));
  const Eigen::MatrixXd MJ = mass.solve(Jd.transpose());
  // The generalised inverse weighted by the masses; at singular postures the minimum-norm one.
  const dense::LeastNorm mobility(Jd * MJ, 1e-9);
  const Eigen::VectorXd own = (joint_kp * s.error + joint_kd * (s.v_ref - s.v))(motion.speeds);
  const Eigen::VectorXd missing = goal.tail(rows) - J * motion.drift - Jd * own;
  const Eigen::VectorXd a = own + MJ * mobility.solve(missing);
  Eigen::VectorXd efforts = Eigen::VectorXd::Zero(s.model.speeds());
  efforts(motion.speeds) = motion.load + motion.mass * a;
  add_within(s, joints, efforts, limit, tau);
}

}  // namespace ulna
