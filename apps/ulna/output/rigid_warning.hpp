#pragma once
// What a command says about a robot whose loops leave it no freedom.

#include "ulna/model/model.hpp"

namespace ulna::cli {

/// Warns where the loops, closed at q, leave the robot no freedom.
void warn_if_rigid(const Model& model, const Eigen::VectorXd& q);

}  // namespace ulna::cli
