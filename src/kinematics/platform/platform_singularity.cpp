#include "ulna/kinematics/platform_singularity.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

constexpr double worst_condition = 1e9;

/// Twists times this have one unit.
Vector6<double> scale_of(const Platform& platform) {
  Vector6<double> scale = Vector6<double>::Ones();
  scale.head<3>().setConstant(platform.radius());
  return scale;
}

/// Rows on the freedoms, pure numbers: cranks by what they would move, turns by the radius.
Eigen::MatrixXd scaled_rows(const Platform& platform, const PlatformMotion& motion,
                            Eigen::VectorXd& freedom_scale) {
  const Eigen::MatrixXd scaled = scale_of(platform).asDiagonal() * platform.basis();
  freedom_scale = scaled.colwise().norm().cwiseInverse();
  Eigen::MatrixXd J = platform.jacobian(motion) * freedom_scale.asDiagonal();
  for (int k = 0; k < platform.legs(); ++k) J.row(k) *= std::abs(motion.legs[k].c);
  return J;
}

}  // namespace

PlatformSingularity singularity_of_rows(const Eigen::MatrixXd& scaled, const Eigen::MatrixXd& rows,
                                        const Eigen::Matrix<double, 6, Eigen::Dynamic>& basis,
                                        double radius, const Pose<double>& pose) {
  PlatformSingularity result;
  if (rows.cols() == 0) {
    result.point = pose.position;
    return result;
  }
  if (rows.rows() == rows.cols()) result.determinant = dense::determinant(rows);
  const dense::Svd svd = dense::svd(scaled, dense::SvdParts::right);
  const bool deficient = rows.rows() < rows.cols();
  result.smallest = deficient ? 0 : svd.values(rows.cols() - 1);
  result.condition = result.smallest > 0 ? svd.values(0) / result.smallest : INFINITY;
  result.screw = Twist<double>::from_vector(basis * svd.V.col(rows.cols() - 1));
  const Vector3<double>&w = result.screw.angular, &v = result.screw.linear;
  const double square = w.squaredNorm();
  // Turning by less than this share of the motion is no turning.
  if (square * radius * radius < 1e-16) {
    result.pitch = INFINITY;
    result.point = pose.position;
  } else {
    result.pitch = w.dot(v) / square;
    result.point = pose.position + w.cross(v) / square;
    result.point -= w * w.dot(result.point) / square;
  }
  return result;
}

PlatformSingularity singularity(const Platform& platform, const PlatformMotion& motion,
                                const Pose<double>& pose) {
  Eigen::VectorXd freedom_scale;
  const Eigen::MatrixXd scaled = scaled_rows(platform, motion, freedom_scale);
  return singularity_of_rows(scaled, platform.jacobian(motion),
                             platform.basis() * freedom_scale.asDiagonal(), platform.radius(),
                             pose);
}

void require_regular(const Platform& platform, const Pose<double>& pose,
                     const PlatformMotion& motion) {
  const PlatformSingularity s = singularity(platform, motion, pose);
  if (s.condition < worst_condition) return;
  const auto tidy = [](double x) { return std::abs(x) < 1e-9 ? 0.0 : x; };
  const Vector6<double> screw = s.screw.vector().unaryExpr(tidy);
  throw ComputationError(
      fmt::format("platform '{}' is singular at {}: its drives do not hold it along the twist "
                  "({:.3g}, {:.3g}, {:.3g}; {:.3g}, {:.3g}, {:.3g}) (rotation first; condition "
                  "{:.2g})",
                  platform.data().name, pose_text(pose), screw(0), screw(1), screw(2), screw(3),
                  screw(4), screw(5), s.condition),
      s.condition);
}

Matrix6<double> stiffness(const Platform& platform, const PlatformMotion& motion,
                          const Eigen::VectorXd& drive_stiffness) {
  if (drive_stiffness.size() != platform.legs() || !(drive_stiffness.minCoeff() > 0))
    throw InputError(fmt::format("{} stiffnesses of drives", drive_stiffness.size()),
                     fmt::format("{} numbers above zero", platform.legs()));
  Matrix6<double> K = Matrix6<double>::Zero();
  for (int k = 0; k < platform.legs(); ++k)
    K += drive_stiffness(k) * motion.legs[k].row * motion.legs[k].row.transpose();
  return K;
}

}  // namespace ulna
