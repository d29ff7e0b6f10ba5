#include "ulna/kinematics/platform_quality.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

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

/// Steps towards det = 0 on the shortest way, from one starting direction.
class SingularSearch {
 public:
  SingularSearch(const Platform& platform, const Pose<double>& pose)
      : platform_(platform), pose_(pose), motion_(platform), scale_(platform.dof()) {
    for (int k = 0; k < platform.dof(); ++k)
      scale_(k) = platform.basis().col(k).head<3>().norm() > 0 ? 1 / platform.radius() : 1;
  }

  Pose<double> at(const Eigen::VectorXd& x) const {
    const Vector6<double> step = platform_.basis() * scale_.cwiseProduct(x);
    return {exp_rotation(Vector3<double>(step.head<3>())) * pose_.rotation,
            pose_.position + step.tail<3>()};
  }

  /// eq. 36; false where the search leaves the workspace or does not end.
  bool run(Eigen::VectorXd& x) {
    constexpr int most = 100;
    const double longest = 0.2 * platform_.radius(), tiny = 1e-6 * platform_.radius();
    for (int k = 0; k < most; ++k) {
      double f = 0;
      Eigen::VectorXd slope(x.size());
      try {
        f = holding(platform_, at(x), motion_);
        for (Eigen::Index i = 0; i < x.size(); ++i) {
          const Eigen::VectorXd e = tiny * Eigen::VectorXd::Unit(x.size(), i);
          slope(i) =
              (holding(platform_, at(x + e), motion_) - holding(platform_, at(x - e), motion_)) /
              (2 * tiny);
        }
      } catch (const ComputationError&) {
        return false;
      }
      if (!(slope.norm() > 0)) return false;
      const Eigen::VectorXd n = slope.normalized();
      const Eigen::VectorXd next = n * (n.dot(x) - f / slope.norm());
      Eigen::VectorXd step = next - x;
      const double size = step.norm();
      if (size > longest) step *= longest / size;
      x += step;
      if (size < 1e-9 * platform_.radius()) return true;
    }
    return false;
  }

 private:
  const Platform& platform_;
  Pose<double> pose_;
  PlatformMotion motion_;
  Eigen::VectorXd scale_;
};

}  // namespace

NearestSingularity nearest_singularity(const Platform& platform, const Pose<double>& pose) {
  NearestSingularity best;
  SingularSearch search(platform, pose);
  const int n = platform.dof();
  std::vector<Eigen::VectorXd> starts{Eigen::VectorXd::Zero(n)};
  for (int k = 0; k < n; ++k)
    for (const double sense : {-0.4, 0.4})
      starts.push_back(sense * platform.radius() * Eigen::VectorXd::Unit(n, k));
  for (Eigen::VectorXd x : starts) {
    if (!search.run(x) || !(x.norm() < best.distance)) continue;
    best = {true, x.norm(), search.at(x)};
  }
  return best;
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
  // Where the sign changes along a side of a cell, by bisection.
  using Point = std::array<double, 2>;
  const auto crossing = [&](Point a, Point b, double at_a) {
    for (int k = 0; k < 40; ++k) {
      const Point middle{0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])};
      const double there = value(middle[0], middle[1]);
      if (!std::isfinite(there)) break;
      (std::signbit(there) == std::signbit(at_a) ? a : b) = middle;
    }
    return Point{0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])};
  };
  std::vector<LocusPiece> pieces;
  for (int j = 0; j + 1 < rows; ++j)
    for (int i = 0; i + 1 < columns; ++i) {
      const int around[4][2] = {{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}};
      std::vector<Point> points;
      for (int side = 0; side < 4; ++side) {
        const int* a = around[side];
        const int* b = around[(side + 1) % 4];
        const double fa = f(a[0], a[1]), fb = f(b[0], b[1]);
        if (!std::isfinite(fa) || !std::isfinite(fb) || std::signbit(fa) == std::signbit(fb))
          continue;
        points.push_back(crossing({slice.value(0, a[0]), slice.value(1, a[1])},
                                  {slice.value(0, b[0]), slice.value(1, b[1])}, fa));
      }
      for (std::size_t k = 0; k + 1 < points.size(); k += 2)
        pieces.push_back({points[k], points[k + 1]});
    }
  return pieces;
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
    // Mirrored at the direction of P, eq. 3.
    const Vector3<double> D = m.P - leg.base;
    const double towards = std::atan2(D.dot(leg.y), D.dot(leg.x));
    modes.angles.back().push_back(std::remainder(2 * towards - m.q, 2 * M_PI));
    modes.count *= 2;
  }
  return modes;
}

}  // namespace ulna
