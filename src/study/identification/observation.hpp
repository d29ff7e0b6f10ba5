#pragma once
// The stacked regressor of a recording, in the base columns.

#include "ulna/study/identification.hpp"

namespace ulna {

/// Y(:, kept) of all samples below each other.
Eigen::MatrixXd observation(TorqueRegressor& regressor, const BaseParameters& base,
                            const Recording& recording);
/// The triangle R of W = Q R.
Eigen::MatrixXd triangle(const Eigen::MatrixXd& W);
/// Condition number after bringing the columns to unit length; infinite when one is zero.
double condition_of(const Eigen::MatrixXd& R);

}  // namespace ulna
