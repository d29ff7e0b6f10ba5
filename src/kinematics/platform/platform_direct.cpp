#include "ulna/kinematics/platform_direct.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "platform/leg_lines.hpp"
#include "ulna/kinematics/platform_singularity.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

using Lines = LegLines;
constexpr int most_iterations = 60;

Matrix3<double> rotation_by(const Vector3<double>& r) {
  const double angle = r.norm();
  if (angle == 0) return Matrix3<double>::Identity();
  return Eigen::AngleAxisd(angle, r / angle).toRotationMatrix();
}

/// One system of Newton: rows of the lines' lengths on the freedoms, and what is missing. eq. 9
/// With more legs than freedoms (m = Eigen::Dynamic) Gauss and Newton on all of them.
template <int n, int m>
class Newton {
 public:
  using Vector = Eigen::Matrix<double, n, 1>;
  Newton(const Platform& platform, const Lines& lines)
      : platform_(platform),
        lines_(lines),
        S_(platform.basis()),
        rows_(platform.legs(), n),
        residual_(platform.legs()) {}

  /// Error of the lines at a pose, the largest; fills rows and residual.
  double update(const Pose<double>& pose) {
    double worst = 0;
    for (int k = 0; k < rows_.rows(); ++k) {
      const Vector3<double> W = pose.rotation * platform_.leg(k).platform,
                            p = pose.position + W - lines_.E[k];
      const double length = lines_.length[k];
      // (|p|^2 - l^2) / 2l: polynomial, and the length error to first order.
      residual_(k) = 0.5 * (p.squaredNorm() / length - length);
      Vector6<double> row;
      row << W.cross(p), p;
      rows_.row(k) = (row.transpose() * S_) / length;
      worst = std::max(worst, std::abs(residual_(k)));
    }
    return worst;
  }
  Vector step() const {
    if constexpr (m == n)
      return -dense::solve_lu<n>(rows_, residual_);
    else
      return damped_step(0);
  }
  Vector damped_step(double mu) const {
    Eigen::Matrix<double, n, n> M = rows_.transpose() * rows_;
    const double shift = mu * M.diagonal().maxCoeff();
    for (int k = 0; k < n; ++k) M(k, k) += shift;
    return -dense::solve_ldlt<n>(M, rows_.transpose() * residual_);
  }
  double size() const { return residual_.squaredNorm(); }

  Pose<double> moved(const Pose<double>& pose, const Vector& step) const {
    const Vector6<double> twist = S_ * step;
    return {rotation_by(twist.template head<3>()) * pose.rotation,
            pose.position + twist.template tail<3>()};
  }

 private:
  const Platform& platform_;
  const Lines& lines_;
  Eigen::Matrix<double, 6, n> S_;
  Eigen::Matrix<double, m, n> rows_;
  Eigen::Matrix<double, m, 1> residual_;
};

/// Newton, with damping where it does not get nearer; or without, which from random starts visits
/// more of the postures. No value: no convergence.
template <int n, int m = n>
std::optional<DirectPose> solve(const Platform& platform, const Lines& lines,
                                const Pose<double>& start, DirectPose* reached, bool damped) {
  // Redundant drives agree with each other to the digits that they are given with.
  constexpr double close = m == n ? 1e-12 : 1e-6, still = m == n ? 1e-14 : 1e-11;
  Newton<n, m> newton(platform, lines);
  DirectPose at{start, 0, 0};
  double scale = 0;
  for (int k = 0; k < platform.legs(); ++k)
    scale = std::max({scale, lines.length[k], platform.leg(k).platform.norm()});
  at.gap = newton.update(at.pose);
  double mu = 0;
  for (; at.iterations < most_iterations; ++at.iterations) {
    const double size = newton.size();
    typename Newton<n, m>::Vector step = mu == 0 ? newton.step() : newton.damped_step(mu);
    if (!step.allFinite()) step = newton.damped_step(mu = std::max(mu, 1e-6));
    const double length = step.norm();
    if (length > 1) step /= length;  // about a radian
    const Pose<double> next = newton.moved(at.pose, step);
    const double gap = newton.update(next);
    if (!damped || newton.size() <= size || at.gap < 1e-13 * scale) {
      at.pose = next;
      at.gap = gap;
      mu = mu > 1e-7 ? 0.1 * mu : 0;
      if (length < still * scale || (length < 1e-9 * scale && gap < 1e-13 * scale)) {
        ++at.iterations;
        break;
      }
    } else {
      newton.update(at.pose);
      mu = mu == 0 ? 1e-4 : 10 * mu;
      if (mu > 1e6) break;
    }
  }
  if (reached) *reached = at;
  if (at.gap < close * scale) return at;
  return std::nullopt;
}

std::optional<DirectPose> solve(const Platform& platform, const Lines& lines,
                                const Pose<double>& start, DirectPose* reached = nullptr,
                                bool damped = true) {
  if (platform.legs() < platform.dof())
    throw InputError(fmt::format("platform '{}' has {} legs for {} degrees of freedom: too few "
                                 "drives",
                                 platform.data().name, platform.legs(), platform.dof()),
                     "at least as many legs as degrees of freedom");
  if (platform.legs() > platform.dof())
    return platform.dof() == 6 ? solve<6, Eigen::Dynamic>(platform, lines, start, reached, damped)
                               : solve<3, Eigen::Dynamic>(platform, lines, start, reached, damped);
  return platform.dof() == 6 ? solve<6>(platform, lines, start, reached, damped)
                             : solve<3>(platform, lines, start, reached, damped);
}

}  // namespace

double pose_distance(const Pose<double>& a, const Pose<double>& b) {
  const Matrix3<double> R = a.rotation.transpose() * b.rotation;
  return std::max((a.position - b.position).norm(), (R - Matrix3<double>::Identity()).norm());
}

LegLines leg_lines(const Platform& platform, const Eigen::VectorXd& drives) {
  if (drives.size() != platform.legs())
    throw InputError(
        fmt::format("{} drives for platform '{}'", drives.size(), platform.data().name),
        fmt::format("{}, one for each leg", platform.legs()));
  LegLines lines;
  for (int k = 0; k < platform.legs(); ++k) {
    const Platform::Leg& leg = platform.leg(k);
    if (leg.kind == LegKind::slider) {
      if (!(drives(k) > 0))
        throw InputError(
            fmt::format("length {} m of leg '{}'", drives(k), platform.data().legs[k].name),
            "a length above zero");
      lines.E.push_back(leg.base);
      lines.length.push_back(drives(k));
    } else {
      lines.E.push_back(leg.end(drives(k)));
      lines.length.push_back(leg.rod);
    }
  }
  return lines;
}

double LegLines::gap(const Platform& platform, const Pose<double>& pose) const {
  double worst = 0;
  for (int k = 0; k < platform.legs(); ++k)
    worst = std::max(worst, std::abs((pose * platform.leg(k).platform - E[k]).norm() - length[k]));
  return worst;
}

DirectPose direct(const Platform& platform, const Eigen::VectorXd& drives,
                  const Pose<double>& start) {
  DirectPose reached;
  const std::optional<DirectPose> found =
      solve(platform, leg_lines(platform, drives), start, &reached);
  if (found) return *found;
  throw ComputationError(
      fmt::format("no pose of platform '{}' was found for these drives: nearest {}, legs off by "
                  "{:.3g} m",
                  platform.data().name, pose_text(reached.pose), reached.gap),
      reached.gap);
}

DirectPose direct_by_continuation(const Platform& platform, const Eigen::VectorXd& drives,
                                  const Pose<double>& start) {
  constexpr int few = 6;
  PlatformMotion motion(platform);
  platform.inverse(start, motion);
  const Eigen::VectorXd from = motion.q();
  DirectPose at{start, 0, 0};
  double share = 0, step = 0.1;
  int iterations = 0;
  while (share < 1) {
    const double next = std::min(1.0, share + step);
    const Eigen::VectorXd drives_there = from + next * (drives - from);
    // Predictor: along the rates of the drives.
    Pose<double> guess = at.pose;
    bool fine = true;
    try {
      const Twist<double> twist = direct_twist(platform, at.pose, (next - share) * (drives - from));
      guess = {rotation_by(twist.angular) * at.pose.rotation, at.pose.position + twist.linear};
    } catch (const ComputationError&) {
      fine = false;
    }
    const std::optional<DirectPose> found =
        fine ? solve(platform, leg_lines(platform, drives_there), guess) : std::nullopt;
    if (found) iterations += found->iterations;
    // A pose far from the prediction is another branch.
    const double moved = found ? pose_distance(at.pose, found->pose) : 0;
    if (!found || found->iterations > few ||
        pose_distance(guess, found->pose) > 0.5 * moved + 1e-9) {
      step *= 0.5;
      if (step < 1e-7)
        throw ComputationError(
            fmt::format("platform '{}' cannot follow its drives past {} of the way: the branch "
                        "ends at {}",
                        platform.data().name, share, pose_text(at.pose)),
            share);
      continue;
    }
    at = *found;
    share = next;
    step *= 2;
  }
  at.iterations = iterations;
  return at;
}

DirectPoses direct_all(const Platform& platform, const Eigen::VectorXd& drives,
                       const DirectSearch& search) {
  const Lines lines = leg_lines(platform, drives);
  // Every pose has the platform's origin within this of each line's end.
  Vector3<double> centre = Vector3<double>::Zero();
  double reach = 0;
  for (int k = 0; k < platform.legs(); ++k) centre += lines.E[k] / platform.legs();
  for (int k = 0; k < platform.legs(); ++k)
    reach = std::max(reach, lines.length[k] + platform.leg(k).platform.norm());
  std::mt19937_64 generator(search.seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(-1, 1);

  DirectPoses result;
  std::vector<int> hits;
  const Platform& p = platform;
  for (; result.starts < search.starts; ++result.starts) {
    interruption_point();
    Pose<double> start = p.data().home;
    if (p.freedom() == PlatformFreedom::spatial) {
      start.rotation = Eigen::Quaterniond(normal(generator), normal(generator), normal(generator),
                                          normal(generator))
                           .normalized()
                           .toRotationMatrix();
      start.position =
          centre + reach * Vector3<double>(unit(generator), unit(generator), unit(generator));
    } else {
      Eigen::Vector3d u(unit(generator), unit(generator), unit(generator));
      u *= reach;
      if (p.freedom() == PlatformFreedom::planar) u(2) *= M_PI / reach;
      const Vector6<double> twist = p.basis() * u;
      start.rotation = rotation_by(twist.head<3>()) * start.rotation;
      start.position += twist.tail<3>();
    }
    const std::optional<DirectPose> found = solve(platform, lines, start, nullptr, false);
    if (!found) continue;
    ++result.converged;
    const auto same = std::find_if(result.poses.begin(), result.poses.end(), [&](const auto& o) {
      return pose_distance(o.pose, found->pose) < search.distinct;
    });
    if (same != result.poses.end()) {
      ++hits[static_cast<std::size_t>(same - result.poses.begin())];
      continue;
    }
    result.poses.push_back(*found);
    hits.push_back(1);
  }
  if (!hits.empty()) result.least_hits = *std::min_element(hits.begin(), hits.end());
  std::sort(result.poses.begin(), result.poses.end(), [&](const auto& a, const auto& b) {
    return pose_distance(a.pose, p.data().home) < pose_distance(b.pose, p.data().home);
  });
  return result;
}

Twist<double> direct_twist(const Platform& platform, const Pose<double>& pose,
                           const Eigen::VectorXd& rates) {
  PlatformMotion motion(platform);
  platform.inverse(pose, motion);
  require_regular(platform, pose, motion);
  const Eigen::MatrixXd J = platform.jacobian(motion);
  const Eigen::VectorXd u = dense::PivotedQr(J).solve(rates);
  return Twist<double>::from_vector(platform.basis() * u);
}

Twist<double> direct_acceleration(const Platform& platform, const Pose<double>& pose,
                                  const Twist<double>& twist,
                                  const Eigen::VectorXd& accelerations) {
  PlatformMotion motion(platform);
  platform.inverse(pose, twist, {}, motion);
  require_regular(platform, pose, motion);
  const Eigen::MatrixXd J = platform.jacobian(motion);
  // With no acceleration of the platform the drives have these.
  const Eigen::VectorXd u = dense::PivotedQr(J).solve(accelerations - motion.accelerations());
  return Twist<double>::from_vector(platform.basis() * u);
}

}  // namespace ulna
