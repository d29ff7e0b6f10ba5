#pragma once
// A step of damped least squares: the x of least |J x + r|^2 + |damping x|^2, shortened where an
// entry exceeds `longest`.

#include <Eigen/Core>

namespace ulna {

Eigen::VectorXd damped_step(const Eigen::MatrixXd& J, const Eigen::VectorXd& r, double damping,
                            double longest);

/// A step down the energy whose slope is r and whose curvature is J: Newton's where J is positive,
/// bent towards the slope where it is not. No entry is longer than `longest`.
Eigen::VectorXd falling_step(const Eigen::MatrixXd& J, const Eigen::VectorXd& r, double longest);

}  // namespace ulna
