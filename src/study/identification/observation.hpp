#pragma once
// The stacked regressor of a recording, in the base columns.

#include <functional>

#include "ulna/study/identification.hpp"

namespace ulna {

/// InputError where positions, speeds and accelerations do not fit the model or each other.
void check_motion(const TorqueRegressor& regressor, const Recording& recording);
/// Y(:, kept) of all samples below each other.
Eigen::MatrixXd observation(TorqueRegressor& regressor, const BaseParameters& base,
                            const Recording& recording);
/// Recorded efforts less those of the terms that are no columns, speeds x samples.
Eigen::MatrixXd told_efforts(TorqueRegressor& regressor, const Recording& recording);
/// InputError where the rows are fewer than twice the unknowns.
void require_rows(const BaseParameters& base, Eigen::Index rows, Eigen::Index speeds);
/// docs/theory/regressor.md, eq. 21-23 for given rows, those of all `speeds` of a sample together.
Identification identify_rows(const Eigen::MatrixXd& W, const Eigen::VectorXd& y,
                             Eigen::Index speeds);
/// The triangle R of W = Q R.
Eigen::MatrixXd triangle(const Eigen::MatrixXd& W);
/// The same where part(first, count) makes the rows of W piece by piece: the triangle of a piece
/// below the triangle of those before it.
Eigen::MatrixXd triangle(Eigen::Index rows, Eigen::Index columns,
                         const std::function<Eigen::MatrixXd(Eigen::Index, Eigen::Index)>& part);
/// Condition number after bringing the columns to unit length; infinite when one is zero.
double condition_of(const Eigen::MatrixXd& R);

}  // namespace ulna
