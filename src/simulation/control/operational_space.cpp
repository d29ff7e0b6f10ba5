// Control of a frame through its operational inertia. docs/theory/control.md, eq. 5-8.

#include <fmt/format.h>

#include "control/frame_reference.hpp"
#include "control/model_efforts.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/simulation/control_laws.hpp"

namespace ulna {

std::string OperationalSpace::refusal(const Model& robot) const {
  if (std::string reason = why_no_tree(robot, "operational space control", false); !reason.empty())
    return reason;
  int driven = 0;
  for_each_speed(robot, joints, [&](int, int) { ++driven; });
  if (driven != robot.speeds())
    return fmt::format("it drives {} of {} speeds, and operational space control needs all", driven,
                       robot.speeds());
  return {};
}

void OperationalSpace::control(const ControlState& s, const double*, Eigen::VectorXd& tau,
                               double*) const {
  const FrameReference wanted = frame_reference(s, joints, frame);
  const FrameError e = frame_error(s, frame, wanted);
  const Vector6<double> goal = wanted.acceleration + kp * e.place + kd * e.rate - e.bias;
  const int rows = position_only ? 3 : 6;
  const Eigen::MatrixXd J = jacobian(s.model, s.work, s.q, {frame}).bottomRows(rows);
  const dense::Cholesky mass(mass_matrix(s.model, s.work, s.q));
  if (!mass.ok())
    throw ComputationError(fmt::format("the mass matrix of '{}' is singular", s.model.name()));
  const Eigen::MatrixXd MJ = mass.solve(J.transpose());
  // The generalised inverse weighted by the masses; at singular postures the minimum-norm one.
  const dense::LeastNorm mobility(J * MJ, 1e-9);
  const Eigen::VectorXd own = joint_kp * s.error + joint_kd * (s.v_ref - s.v);
  const Eigen::VectorXd missing = goal.tail(rows) - J * own;
  const Eigen::VectorXd a = own + MJ * mobility.solve(missing);
  Eigen::VectorXd room;
  add_within(s, joints, driving_efforts(s, joints, a, false, room), limit, tau);
}

}  // namespace ulna
