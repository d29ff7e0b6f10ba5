// A posture by some coordinates of the platform's pose: docs/theory/platforms.md, eq. 37-38.

#include <Eigen/Geometry>
#include <cmath>

#include "platform/pose_displacement.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/kinematics/parallel_robot.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/rank.hpp"

namespace ulna {
namespace {

constexpr int most_newton_steps = 40;
constexpr double least_freedom = 1e-7;  ///< singular values below are no freedom
constexpr double short_step = 1e-10;    ///< steps, in radians and lengths of the robot
constexpr double value_reached = 1e-8;  ///< of the platform's radius: a coordinate has its value

}  // namespace

std::optional<ParallelPosture> ParallelRobot::at_coordinates(const Eigen::VectorXd& near,
                                                             const PoseCoordinates& wanted) const {
  Eigen::VectorXd q = near;
  Workspace work(model_);
  LoopClosure closure(model_);
  const int n = model_.joint_speeds();
  const Eigen::MatrixXd others = rank_by_svd(wanted.held, 1e-9).null_space.transpose();
  double before = INFINITY;
  for (int k = 0; k < most_newton_steps; ++k) {
    closure.update(work, q);
    const Eigen::VectorXd columns = closure.column_scale().head(n);
    const double tolerance = loop_rank_tolerance_of(model_);
    const Eigen::MatrixXd A = closure.scaled_jacobian().leftCols(n);
    const Eigen::MatrixXd N = rank_by_svd(A, tolerance).null_space;
    const Eigen::VectorXd close =
        -dense::LeastNorm(A, tolerance).solve(closure.row_scale().cwiseProduct(closure.residual()));
    const Vector6<double> at =
        pose_displacement(wanted.from, frame_pose(model_, work, body_), radius_);
    const Eigen::MatrixXd G = displacement_rates(at, radius_) *
                              jacobian(model_, work, q, {body_}).leftCols(n) * columns.asDiagonal();
    // What is held first, then the others in the freedom that this leaves.
    const Eigen::MatrixXd first = wanted.held * G * N;
    const Eigen::VectorXd miss = wanted.values - wanted.held * (at + G * close);
    Eigen::VectorXd u = dense::LeastNorm(first, least_freedom).solve(miss);
    if (others.rows() > 0) {
      const Eigen::MatrixXd left = rank_by_svd(first, least_freedom).null_space;
      if (left.cols() > 0)
        u += left * dense::LeastNorm(others * G * N * left, least_freedom)
                        .solve(-others * (at + G * (close + N * u)));
    }
    Eigen::VectorXd step = close + N * u;
    const double size = step.cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) return {};
    if (size > 0.5) step *= 0.5 / size;
    Eigen::VectorXd all = Eigen::VectorXd::Zero(model_.speeds());
    all.head(n) = columns.cwiseProduct(step);
    q = model_.integrate(q, all);
    if (size < short_step) break;
    if (k > 12 && !(size < 0.7 * before)) return {};
    before = std::min(size, before);
  }
  closure.update(work, q);
  if (!(closure.largest_gap(work) < 1e-9 * (1 + model_.length_scale()))) return {};
  ParallelPosture found = placed(std::move(q));
  const Vector6<double> at = pose_displacement(wanted.from, found.pose, radius_);
  if (!((wanted.held * at - wanted.values).norm() <= value_reached * radius_)) return {};
  found.off = (others * at).norm();
  return found;
}

}  // namespace ulna
