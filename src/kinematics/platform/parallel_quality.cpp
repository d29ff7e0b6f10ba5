#include "ulna/kinematics/parallel_quality.hpp"

#include <algorithm>
#include <cmath>

#include "platform/pose_displacement.hpp"
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

namespace {

/// Closed postures by the coordinates of the platform's displacement from one of them, and what
/// vanishes at the singular ones. Follows the branch from posture to posture.
class Surroundings {
 public:
  Surroundings(const ParallelRobot& robot, const Eigen::VectorXd& q)
      : robot_(robot), q_(q), start_(&robot) {
    const ParallelRates rates = robot.rates(q);
    wanted_.from = robot.pose(q);
    wanted_.held = scaled_basis(robot, rates).transpose();
    start_.next(q);
    go_back();
  }
  int freedoms() const { return static_cast<int>(wanted_.held.rows()); }
  double longest_part() const {
    return 0.1 * std::max(robot_.radius(), 0.1 * robot_.model().length_scale());
  }
  const Pose<double>& pose() const { return pose_; }
  Eigen::VectorXd coordinates(const Pose<double>& pose) const {
    return wanted_.held * pose_displacement(wanted_.from, pose, robot_.radius());
  }

  double holding(const Eigen::VectorXd& x) {
    if ((x - near_x_).norm() > std::max(0.3 * robot_.radius(), 2 * longest_part())) go_back();
    // Far ones in parts, so that the branch and the signs are kept.
    const Eigen::VectorXd from = near_x_;
    const int parts = std::max(1, static_cast<int>(std::ceil((x - from).norm() / longest_part())));
    double value = NAN;
    for (int k = 1; k <= parts; ++k) {
      wanted_.values = from + (x - from) * k / parts;
      const std::optional<ParallelPosture> posture = robot_.at_coordinates(near_, wanted_);
      if (!posture) return NAN;
      value = holding_.next(posture->q);
      near_ = posture->q;
      near_x_ = wanted_.values;
      pose_ = posture->pose;
    }
    return value;
  }

  /// At the posture that was asked for last, by small motions of all joints: these leave the loops
  /// open by the square of their size, alike on both sides.
  Eigen::VectorXd slope() const {
    constexpr double tiny = 1e-6;
    const ParallelRates rates = robot_.rates(near_);
    const int n = freedoms();
    if (rates.dof() != n) return {};
    const Eigen::MatrixXd by_freedoms =
        wanted_.held *
        displacement_rates(pose_displacement(wanted_.from, pose_, robot_.radius()),
                           robot_.radius()) *
        rates.basis;
    const dense::LeastNorm inverse(by_freedoms);
    if (inverse.rank() < n) return {};
    const Eigen::MatrixXd speeds = tiny * robot_.radius() * rates.speeds * inverse.pseudo_inverse();
    Eigen::VectorXd slope(n);
    for (int i = 0; i < n; ++i) {
      Holding ahead = holding_, behind = holding_;
      slope(i) = (ahead.next(robot_.model().integrate(near_, speeds.col(i))) -
                  behind.next(robot_.model().integrate(near_, -speeds.col(i)))) /
                 (2 * tiny * robot_.radius());
    }
    return slope;
  }

 private:
  void go_back() {
    near_ = q_;
    near_x_ = Eigen::VectorXd::Zero(freedoms());
    pose_ = wanted_.from;
    holding_ = start_;
  }

  const ParallelRobot& robot_;
  Eigen::VectorXd q_, near_, near_x_;
  PoseCoordinates wanted_;
  Pose<double> pose_;
  Holding start_, holding_{nullptr};
};

/// The singular poses about a posture, the nearest first: by the search from the posture itself,
/// from these poses and, where asked for, from points all around; along straight ways where none is
/// known.
std::vector<NearestSingularity> singular_about(const ParallelRobot& robot, const Eigen::VectorXd& q,
                                               bool all_around,
                                               const std::vector<NearestSingularity>& known) {
  Surroundings around(robot, q);
  const int n = around.freedoms();
  if (n == 0) return {};
  std::vector<Eigen::VectorXd> starts{Eigen::VectorXd::Zero(n)};
  if (all_around) starts = starts_around(n, robot.radius());
  for (const NearestSingularity& one : known) starts.push_back(around.coordinates(one.pose));
  const auto f = [&](const Eigen::VectorXd& x) { return around.holding(x); };
  std::vector<NearestSingularity> found;
  StraightSearch straight;
  if (all_around && known.empty())
    straight = {2 * around.longest_part(), 2 * robot.model().length_scale()};
  for (const Eigen::VectorXd& x : nearest_zeros(
           f, starts, robot.radius(), [&] { return around.slope(); }, straight))
    if (std::isfinite(f(x))) found.push_back({true, x.norm(), around.pose()});
  return found;
}

}  // namespace

NearestSingularity nearest_singularity(const ParallelRobot& robot, const Eigen::VectorXd& q) {
  const std::vector<NearestSingularity> found = singular_about(robot, q, true, {});
  return found.empty() ? NearestSingularity{} : found[0];
}

std::vector<NearestSingularity> nearest_singularities(const ParallelRobot& robot,
                                                      const std::vector<Eigen::VectorXd>& q) {
  std::vector<Pose<double>> path;
  for (const Eigen::VectorXd& at : q) path.push_back(robot.pose(at));
  return nearest_along(path, robot.radius(),
                       [&](std::size_t k, bool all_around, const auto& known) {
                         return singular_about(robot, q[k], all_around, known);
                       });
}

}  // namespace ulna
