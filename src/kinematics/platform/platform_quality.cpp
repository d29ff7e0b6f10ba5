#include "ulna/kinematics/platform_quality.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "platform/pose_displacement.hpp"
#include "platform/singular_search.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/numerics/internal/rank.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

/// Of all y with |A y| <= limits: the radius of the largest ball inside, and the farthest point,
/// which is a corner where as many rows as dimensions are at their limits.
Capability capability(const Eigen::MatrixXd& A, const Eigen::VectorXd& limits) {
  Capability out;
  out.dimension = static_cast<int>(A.cols());
  if (A.cols() == 0) return out;
  out.everywhere = INFINITY;
  for (Eigen::Index k = 0; k < A.rows(); ++k)
    if (const double row = A.row(k).norm(); row > 0)
      out.everywhere = std::min(out.everywhere, limits(k) / row);
  const int n = static_cast<int>(A.cols());
  std::vector<char> chosen(static_cast<std::size_t>(A.rows()), 0);
  if (A.rows() < n) {
    out.best = INFINITY;
    return out;
  }
  std::fill(chosen.begin(), chosen.begin() + n, 1);
  do {
    Eigen::MatrixXd corner(n, n);
    Eigen::VectorXd right(n);
    for (Eigen::Index k = 0, at = 0; k < A.rows(); ++k)
      if (chosen[static_cast<std::size_t>(k)]) {
        corner.row(at) = A.row(k);
        right(at++) = limits(k);
      }
    const dense::FullLu solver(corner);
    if (!(solver.rcond() > 1e-12)) continue;
    for (int signs = 0; signs < (1 << (n - 1)); ++signs) {  // and their opposites
      Eigen::VectorXd signed_right = right;
      for (int k = 0; k < n - 1; ++k)
        if (signs >> k & 1) signed_right(k) *= -1;
      const Eigen::VectorXd y = solver.solve(signed_right);
      if (((A * y).cwiseAbs() - limits).maxCoeff() <= 1e-9 * limits.maxCoeff())
        out.best = std::max(out.best, y.norm());
    }
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return out;
}

/// Freedoms that move the platform by one part of its twist only, with that part orthonormal.
Eigen::MatrixXd pure_motions(const Eigen::MatrixXd& part, const Eigen::MatrixXd& other) {
  const Eigen::MatrixXd still = other.norm() > 0
                                    ? rank_by_svd(other, 1e-9).null_space
                                    : Eigen::MatrixXd::Identity(other.cols(), other.cols());
  if (still.cols() == 0) return still;
  const dense::Svd svd = dense::svd(part * still, dense::SvdParts::full);
  const int rank = svd.rank(1e-9);
  return still * svd.V.leftCols(rank) * svd.values.head(rank).cwiseInverse().asDiagonal();
}

/// The largest norm of P e over all errors within their bounds, and its root mean square.
void error_size(const Eigen::MatrixXd& P, const Eigen::VectorXd& errors, double& worst,
                double& rms) {
  const Eigen::MatrixXd scaled = P * errors.asDiagonal();
  rms = scaled.norm();
  worst = 0;
  const int n = static_cast<int>(errors.size());
  constexpr int most = 20;
  if (n > most) {  // an upper bound: all errors add up
    worst = scaled.colwise().norm().sum();
    return;
  }
  for (int signs = 0; signs < (1 << (n - 1)); ++signs) {
    Eigen::VectorXd sum = scaled.col(n - 1);
    for (int k = 0; k < n - 1; ++k) sum += (signs >> k & 1 ? -1.0 : 1.0) * scaled.col(k);
    worst = std::max(worst, sum.norm());
  }
}

/// det of the scaled rows, or of J'J for redundant drives: zero where the platform is not held.
double holding(const Platform& platform, const Pose<double>& pose, PlatformMotion& motion) {
  platform.inverse(pose, motion);
  Eigen::MatrixXd J = platform.jacobian(motion);
  for (int k = 0; k < platform.legs(); ++k) J.row(k) *= std::abs(motion.legs[k].c);
  for (int k = 0; k < platform.dof(); ++k)
    if (platform.basis().col(k).head<3>().norm() > 0) J.col(k) /= platform.radius();
  return J.rows() == J.cols() ? dense::determinant(J) : dense::determinant(J.transpose() * J);
}

}  // namespace

PlatformQuality quality(const Eigen::MatrixXd& J,
                        const Eigen::Matrix<double, 6, Eigen::Dynamic>& basis, double condition,
                        const DriveCapability& drives) {
  for (const Eigen::VectorXd* part : {&drives.speeds, &drives.efforts, &drives.errors})
    if (part->size() != J.rows() || (part->size() > 0 && !(part->minCoeff() >= 0)))
      throw InputError(fmt::format("{} limits for {} drives", part->size(), J.rows()),
                       "a number that is not negative for each drive");
  PlatformQuality out;
  out.dexterity = 1 / condition;
  // Parts of the twists that are there by rounding are none.
  const double noise = 1e-9 * basis.norm();
  Eigen::MatrixXd turn = basis.topRows<3>(), shift = basis.bottomRows<3>();
  if (turn.norm() < noise) turn.setZero();
  if (shift.norm() < noise) shift.setZero();
  // eq. 33: rates of the drives for pure translations and rotations.
  out.speed = capability(J * pure_motions(shift, turn), drives.speeds);
  out.turning = capability(J * pure_motions(turn, shift), drives.speeds);
  // eq. 34: efforts of the drives for pure forces and moments, along motions that there are.
  const Eigen::MatrixXd efforts = dense::LeastNorm(J.transpose()).pseudo_inverse();
  const auto along = [&](const Eigen::MatrixXd& part) {
    const dense::Svd svd = dense::svd(part, dense::SvdParts::full);
    const int rank = part.norm() > 0 ? svd.rank(1e-9) : 0;
    return Eigen::MatrixXd(efforts * part.transpose() * svd.U.leftCols(rank));
  };
  out.force = capability(along(shift), drives.efforts);
  out.moment = capability(along(turn), drives.efforts);
  // eq. 35
  const Eigen::MatrixXd back = dense::LeastNorm(J).pseudo_inverse();
  error_size(shift * back, drives.errors, out.position_worst, out.position_rms);
  error_size(turn * back, drives.errors, out.angle_worst, out.angle_rms);
  return out;
}

namespace {

/// Straight ways as far as twice the way to the farthest joint on the base.
StraightSearch straight_from(const Platform& platform, const Pose<double>& pose) {
  double reach = platform.radius();
  for (int k = 0; k < platform.legs(); ++k)
    reach = std::max(reach, 2 * (platform.leg(k).base - pose.position).norm());
  return {std::max(0.1 * platform.radius(), 0.002 * reach), reach, true};
}

/// The singular poses about a pose, the nearest first: by the search from points all around and
/// from these; along straight ways where none is known before.
std::vector<NearestSingularity> singular_about(const Platform& platform, const Pose<double>& pose,
                                               const std::vector<NearestSingularity>& known) {
  const int n = platform.dof();
  const double radius = platform.radius();
  Eigen::VectorXd scale(n);
  for (int k = 0; k < n; ++k)
    scale(k) = platform.basis().col(k).head<3>().norm() > 0 ? 1 / radius : 1;
  const Eigen::Matrix<double, 6, Eigen::Dynamic> steps = platform.basis() * scale.asDiagonal();
  const auto at = [&](const Eigen::VectorXd& x) -> Pose<double> {
    const Vector6<double> step = steps * x;
    return {exp_rotation(Vector3<double>(step.head<3>())) * pose.rotation,
            pose.position + step.tail<3>()};
  };
  PlatformMotion motion(platform);
  const auto f = [&](const Eigen::VectorXd& x) {
    try {
      return holding(platform, at(x), motion);
    } catch (const ComputationError&) {
      return double(NAN);  // out of reach
    }
  };
  std::vector<Eigen::VectorXd> starts = starts_around(n, radius);
  const dense::LeastNorm coordinates(steps);
  for (const NearestSingularity& one : known)
    starts.push_back(coordinates.solve(pose_displacement(pose, one.pose, 1)));
  std::vector<NearestSingularity> found;
  const StraightSearch straight = known.empty() ? straight_from(platform, pose) : StraightSearch{};
  for (const Eigen::VectorXd& x : nearest_zeros(f, starts, radius, {}, straight))
    found.push_back({true, x.norm(), at(x)});
  return found;
}

}  // namespace

NearestSingularity nearest_singularity(const Platform& platform, const Pose<double>& pose) {
  const std::vector<NearestSingularity> found = singular_about(platform, pose, {});
  return found.empty() ? NearestSingularity{} : found[0];
}

std::vector<NearestSingularity> nearest_singularities(const Platform& platform,
                                                      const std::vector<Pose<double>>& path) {
  return nearest_along(path, platform.radius(), [&](std::size_t k, bool, const auto& known) {
    return singular_about(platform, path[k], known);
  });
}

Pose<double> slice_pose(const WorkspaceSlice& slice, double first, double second) {
  Pose<double> pose = slice.middle;
  Vector3<double> turn = Vector3<double>::Zero();
  for (const auto& [range, value] :
       {std::pair{slice.ranges[0], first}, {slice.ranges[1], second}}) {
    const int axis = static_cast<int>(range.axis);
    (axis < 3 ? pose.position(axis) : turn(axis - 3)) = value;
  }
  if (turn.norm() > 0)
    pose.rotation =
        Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix() * pose.rotation;
  return pose;
}

std::vector<LocusPiece> singular_loci(const Platform& platform, const WorkspaceSlice& slice) {
  PlatformMotion motion(platform);
  const auto value = [&](double u, double v) {
    try {
      return holding(platform, slice_pose(slice, u, v), motion);
    } catch (const ComputationError&) {
      return double(NAN);  // out of reach
    }
  };
  const int columns = slice.ranges[0].count, rows = slice.ranges[1].count;
  Eigen::MatrixXd f(columns, rows);
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i) f(i, j) = value(slice.value(0, i), slice.value(1, j));
  return loci_of_zero(
      slice, f, [&](const std::array<double, 2>& at, int, int) { return value(at[0], at[1]); });
}

WorkingModes working_modes(const Platform& platform, const Pose<double>& pose) {
  PlatformMotion motion(platform);
  platform.inverse(pose, motion);
  WorkingModes modes;
  modes.count = 1;
  for (int k = 0; k < platform.legs(); ++k) {
    const Platform::Leg& leg = platform.leg(k);
    const LegMotion& m = motion.legs[k];
    modes.angles.push_back({m.q});
    if (leg.kind == LegKind::slider) continue;
    // Mirrored at the direction of P, eq. 3; of carriages at its foot on the rail.
    const Vector3<double> D = m.P - leg.base;
    modes.count *= 2;
    if (leg.on_rail) {
      modes.angles.back().push_back(2 * D.dot(leg.rail) - m.q);
      continue;
    }
    const double towards = std::atan2(D.dot(leg.y), D.dot(leg.x));
    modes.angles.back().push_back(std::remainder(2 * towards - m.q, 2 * M_PI));
  }
  return modes;
}

}  // namespace ulna
