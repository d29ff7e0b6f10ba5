#include "ulna/generate/internal/snap.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

double snapped(double x, double tolerance) {
  for (double exact : {-1.0, 0.0, 1.0})
    if (std::abs(x - exact) <= tolerance) return exact;
  return x;
}

/// Whether something was changed; by how much, in radians.
bool snap(Eigen::Matrix3d& R, double tolerance, double& angle) {
  const Eigen::Matrix3d exact =
      R.unaryExpr([tolerance](double x) { return snapped(x, tolerance); });
  const bool rotation = (exact * exact.transpose() - Eigen::Matrix3d::Identity()).norm() < 1e-12;
  if (exact == R || !rotation) return false;
  angle = Eigen::AngleAxisd(Eigen::Matrix3d(R.transpose() * exact)).angle();
  R = exact;
  return true;
}

bool snap(Eigen::Vector3d& axis, double tolerance, double& angle) {
  if (!(axis.norm() > 0)) return false;
  const Eigen::Vector3d unit = axis.normalized();
  const Eigen::Vector3d exact =
      unit.unaryExpr([tolerance](double x) { return snapped(x, tolerance); });
  if (exact == unit || std::abs(exact.norm() - 1) > 1e-12) return false;
  angle = std::atan2(unit.cross(exact).norm(), unit.dot(exact));
  axis = exact;
  return true;
}

}  // namespace

std::vector<std::string> snap_right_angles(Robot& robot, double tolerance) {
  if (!(tolerance > 0) || tolerance > 0.1)
    throw InputError(fmt::format("a tolerance of {} for right angles is not possible", tolerance),
                     "more than 0, at most 0.1");
  std::vector<std::string> changes;
  const auto note = [&](const std::string& joint, const char* what, double angle) {
    changes.push_back(fmt::format("joint '{}': {} turned by {:.2g} rad", joint, what, angle));
  };
  for (JointData& joint : robot.joints) {
    double angle = 0;
    if (snap(joint.X_PF.rotation, tolerance, angle)) note(joint.name, "placement", angle);
    if (snap(joint.X_MC.rotation, tolerance, angle)) note(joint.name, "child's placement", angle);
    if (snap(joint.axis, tolerance, angle)) note(joint.name, "axis", angle);
  }
  return changes;
}

}  // namespace ulna
