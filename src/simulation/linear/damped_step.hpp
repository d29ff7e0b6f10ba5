#pragma once
// A step of damped least squares: the x of least |J x + r|^2 + |damping x|^2, shortened where an
// entry exceeds `longest`.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

Eigen::VectorXd damped_step(const Eigen::MatrixXd& J, const Eigen::VectorXd& r, double damping,
                            double longest);

/// A step down the energy whose slope is r and whose curvature is J: Newton's where J is positive,
/// bent towards the slope where it is not. No entry is longer than `longest`.
Eigen::VectorXd falling_step(const Eigen::MatrixXd& J, const Eigen::VectorXd& r, double longest);

/// Says of an effort that is missing and that no posture changes, if there is one, that nothing
/// balances it, and of an actuator that it pushes beyond its stroke; else empty. `r` at q and its
/// derivative J have a row for each of the `speeds`.
std::string unbalanced_text(const Model& model, const std::vector<int>& speeds,
                            const Eigen::VectorXd& q, const Eigen::VectorXd& r,
                            const Eigen::MatrixXd& J);

/// What missing efforts are compared with: those at the start, those given, and the effort for a
/// radian or metre. The last has no meaning where an element has no length, and then lets the
/// weight of the robot itself pass for rounding: it counts up to a large multiple of the weight.
double effort_scale(const Model& model, double missing, double given, double stiffness);

}  // namespace ulna
