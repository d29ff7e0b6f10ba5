#include "ulna/kinematics/parallel_quality.hpp"

#include <cmath>

#include "platform/singular_search.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

/// Twists by the freedoms with turns by the radius: orthonormal columns.
Eigen::MatrixXd scaled_basis(const ParallelRobot& robot, const ParallelRates& rates) {
  Eigen::MatrixXd B = rates.basis;
  B.topRows<3>() *= robot.radius();
  return B;
}

}  // namespace

double Holding::next(const Eigen::VectorXd& q) {
  const ParallelRates rates = robot_->rates(q);
  Eigen::MatrixXd B = scaled_basis(*robot_, rates), rows = rates.J;
  for (Eigen::Index k = 0; k < rows.rows(); ++k)
    if (const double size = rows.row(k).norm(); size > 0) rows.row(k) /= size;
  if (rows.rows() != rows.cols())
    return rows.rows() < rows.cols() ? 0 : dense::determinant(rows.transpose() * rows);
  if (basis_.cols() == B.cols()) {
    // The nearest orientation to that before; rows that passed through infinity turn back.
    if (B.cols() > 0 && dense::determinant(basis_.transpose() * B) < 0) {
      B.col(0) *= -1;
      rows.col(0) *= -1;
    }
    const Eigen::MatrixXd now = rows * B.transpose();
    for (Eigen::Index k = 0; k < rows.rows(); ++k)
      if (now.row(k).dot(rows_.row(k)) < 0) rows.row(k) *= -1;
  }
  basis_ = B;
  rows_ = rows * B.transpose();
  return dense::determinant(rows);
}

NearestSingularity nearest_singularity(const ParallelRobot& robot, const Eigen::VectorXd& q,
                                       Eigen::VectorXd* known) {
  const ParallelRates rates = robot.rates(q);
  const int n = rates.dof();
  if (n == 0) return {};
  PoseCoordinates wanted;
  wanted.from = robot.pose(q);
  wanted.held = scaled_basis(robot, rates).transpose();
  Eigen::VectorXd near = q, near_x = Eigen::VectorXd::Zero(n);
  Holding here(&robot);
  here.next(q);
  Holding holding = here;
  Pose<double> pose;
  const auto f = [&](const Eigen::VectorXd& x) {
    if ((x - near_x).norm() > 0.3 * robot.radius()) {  // from the posture itself again
      near = q;
      near_x.setZero();
      holding = here;
    }
    // Far ones in parts, so that the branch and the signs are kept.
    const Eigen::VectorXd from = near_x;
    const int parts =
        std::max(1, static_cast<int>(std::ceil((x - from).norm() / (0.1 * robot.radius()))));
    double value = NAN;
    for (int k = 1; k <= parts; ++k) {
      wanted.values = from + (x - from) * k / parts;
      const std::optional<ParallelPosture> posture = robot.at_coordinates(near, wanted);
      if (!posture) return double(NAN);
      value = holding.next(posture->q);
      near = posture->q;
      near_x = wanted.values;
      pose = posture->pose;
    }
    return value;
  };
  std::vector<Eigen::VectorXd> starts;
  if (known && known->size() == 6)
    starts = {Eigen::VectorXd::Zero(n), wanted.held * *known};
  else
    starts = starts_around(n, robot.radius());
  const Eigen::VectorXd x = nearest_zero(f, starts, robot.radius());
  if (x.size() == 0) return {};
  if (known) *known = wanted.held.transpose() * x;
  f(x);
  return {true, x.norm(), pose};
}

}  // namespace ulna
