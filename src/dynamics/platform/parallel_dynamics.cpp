#include "ulna/dynamics/parallel_dynamics.hpp"

#include <fmt/format.h>

#include "ulna/dynamics/dynamics.hpp"
#include "ulna/kinematics/state.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {

ParallelDynamics::ParallelDynamics(const ParallelRobot& robot)
    : robot_(robot), dynamics_(std::make_unique<Dynamics>(robot.model())) {}
ParallelDynamics::~ParallelDynamics() = default;

Eigen::VectorXd ParallelDynamics::inverse(const Eigen::VectorXd& q,
                                          const ParallelRobot::Motion& motion,
                                          ExternalWrenches wrenches) {
  LoopDynamics& loops = *dynamics_->loops();
  Workspace& work = dynamics_->work();
  const ParallelRates at = robot_.rates(q);
  const Eigen::Index m = at.dof(), idle = at.idle.cols(), drives = at.J.rows();
  if (drives < m)
    throw InputError(
        fmt::format("{} drives for the {} degrees of freedom of body '{}' of robot "
                    "'{}'",
                    drives, m, robot_.model().bodies()[robot_.body()].name, robot_.model().name()),
        "at least as many drives");
  Eigen::MatrixXd D(at.speeds.rows(), m + idle);
  D << at.speeds, at.idle;
  const Eigen::VectorXd needed = loops.required_efforts(work, q, motion.v, motion.a, wrenches);
  // eq. 31: efforts of the drives, and accelerations of the idle freedoms.
  Eigen::MatrixXd system(m + idle, drives + idle);
  system.topLeftCorner(m, drives) = at.J.transpose();
  system.bottomLeftCorner(idle, drives) = at.J_idle.transpose();
  for (Eigen::Index k = 0; k < idle; ++k) {
    const Eigen::VectorXd with =
        loops.required_efforts(work, q, motion.v, motion.a + at.idle.col(k), wrenches);
    system.col(drives + k) = -D.transpose() * (with - needed);
  }
  const Eigen::VectorXd right = D.transpose() * needed;
  const Eigen::VectorXd found = dense::LeastNorm(system, 1e-10).solve(right);
  const double left = (system * found - right).norm();
  if (!(left <= 1e-7 * (right.norm() + 1e-12)) && left > 1e-9)
    throw ComputationError(
        fmt::format("the drives do not hold body '{}' of robot '{}' at {}: {:.3g} of {:.3g} N is "
                    "left",
                    robot_.model().bodies()[robot_.body()].name, robot_.model().name(),
                    pose_text(robot_.pose(q)), left, right.norm()),
        left);
  return found.head(drives);
}

ParallelDynamics::Acceleration ParallelDynamics::forward(const Eigen::VectorXd& q,
                                                         const Eigen::VectorXd& v,
                                                         const Eigen::VectorXd& efforts,
                                                         ExternalWrenches wrenches) {
  const Model& model = robot_.model();
  NamedValues named;
  for (std::size_t k = 0; k < robot_.drive_names().size(); ++k)
    named.push_back({robot_.drive_names()[k], efforts(static_cast<Eigen::Index>(k))});
  Acceleration out;
  out.a = dynamics_->forward(q, v, complete_efforts(model, q, named), wrenches);
  Workspace work(model);
  update_motions(model, work, q, v, out.a);
  out.platform = frame_acceleration(model, work, robot_.body());
  const State state = complete_state(model, {q, v, out.a});
  const std::vector<ClosingDegree> closing = closing_degrees(model);
  out.drives.resize(std::ssize(robot_.drives()));
  for (Eigen::Index k = 0; k < out.drives.size(); ++k) {
    const int place = robot_.drives()[static_cast<std::size_t>(k)];
    if (place < model.speeds()) {
      out.drives(k) = out.a(place);
    } else {
      const ClosingDegree& at = closing[static_cast<std::size_t>(place - model.speeds())];
      out.drives(k) = state.closing[static_cast<std::size_t>(at.loop)].a(at.degree);
    }
  }
  return out;
}

double ParallelDynamics::potential(const Eigen::VectorXd& q, const Eigen::VectorXd& from,
                                   const Eigen::VectorXd& efforts, const Eigen::VectorXd& values,
                                   const Eigen::VectorXd& stiffness, ExternalWrenches wrenches) {
  const Model& model = robot_.model();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds()),
                        change = robot_.drive_values(q) - values;
  double sum = dynamics_->energy(q, zero).potential - efforts.dot(change) +
               0.5 * change.dot(stiffness.cwiseProduct(change));
  if (wrenches.empty()) return sum;
  Workspace here(model), there(model);
  update_poses(model, there, q);
  update_poses(model, here, from);
  for (const ExternalWrench& w : wrenches) {
    const Pose<double> X = frame_pose(model, there, w.body), X0 = frame_pose(model, here, w.body);
    const Vector3<double> force = frame_pose(model, here, w.expressed_in).rotation * w.force;
    sum -= force.dot(X * w.point - X0 * w.point);
    // A moment has no potential: its work along a small turn, which leaves no stiffness.
    const Matrix3<double> turn = X.rotation * X0.rotation.transpose();
    const Vector3<double> small =
        0.5 *
        Vector3<double>(turn(2, 1) - turn(1, 2), turn(0, 2) - turn(2, 0), turn(1, 0) - turn(0, 1));
    sum -= (frame_pose(model, here, w.expressed_in).rotation * w.moment).dot(small);
  }
  return sum;
}

Matrix6<double> ParallelDynamics::stiffness(const Eigen::VectorXd& q,
                                            const Eigen::VectorXd& drive_stiffness,
                                            ExternalWrenches wrenches) {
  const Model& model = robot_.model();
  const ParallelRates at = robot_.rates(q);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  const ParallelRobot::Motion rest{zero, zero, {}, {}};
  const Eigen::VectorXd efforts = inverse(q, rest, wrenches), values = robot_.drive_values(q);
  if (drive_stiffness.size() != efforts.size())
    throw InputError(fmt::format("{} stiffnesses of drives", drive_stiffness.size()),
                     fmt::format("{} numbers above zero", efforts.size()));
  // eq. 32: second differences of the potential of the loads; what the drives add is exact.
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(efforts.size());
  const double step = 1e-3 * robot_.radius();
  const double middle = potential(q, q, efforts, values, none, wrenches);
  const auto bend = [&](const Eigen::VectorXd& x) {
    double sum = -2 * middle;
    for (const double sense : {-1.0, 1.0}) {
      Eigen::VectorXd there = model.integrate(q, at.speeds * (sense * step * x));
      if (!dynamics_->close_positions(there))
        throw ComputationError(fmt::format("the loops of robot '{}' cannot be closed beside {}",
                                           model.name(), pose_text(robot_.pose(q))));
      sum += potential(there, q, efforts, values, none, wrenches);
    }
    return sum / (step * step);
  };
  const int m = at.dof();
  Eigen::MatrixXd K = at.J.transpose() * drive_stiffness.asDiagonal() * at.J;
  Eigen::VectorXd alone(m);
  for (int i = 0; i < m; ++i) alone(i) = bend(Eigen::VectorXd::Unit(m, i));
  for (int i = 0; i < m; ++i) {
    K(i, i) += alone(i);
    for (int j = 0; j < i; ++j) {
      const double both = bend(Eigen::VectorXd::Unit(m, i) + Eigen::VectorXd::Unit(m, j));
      const double mixed = 0.5 * (both - alone(i) - alone(j));
      K(i, j) += mixed;
      K(j, i) += mixed;
    }
  }
  const Eigen::MatrixXd inverse_basis = dense::LeastNorm(at.basis).pseudo_inverse();
  return inverse_basis.transpose() * K * inverse_basis;
}

}  // namespace ulna
