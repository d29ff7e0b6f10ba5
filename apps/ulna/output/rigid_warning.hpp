#pragma once
// What a command says about a robot whose loops leave it no freedom, or that is singular.

#include "ulna/model/model.hpp"

namespace ulna::cli {

/// Warns where the loops, closed at q, leave the robot no freedom.
void warn_if_rigid(const Model& model, const Eigen::VectorXd& q);

/// Warns where accelerations at q, closed, hold to first order only: no motion need have them.
void warn_if_singular(const Model& model, const Eigen::VectorXd& q);

}  // namespace ulna::cli
