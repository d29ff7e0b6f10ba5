#pragma once
// Rests of robots with loops at singular postures, where branches of motion cross and the loops
// have more freedom than elsewhere (docs/theory/closed-loops.md, section 5).

#include <Eigen/Core>
#include <string>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

/// Closed postures beside q, on each branch of motion that was found there, both ways; empty where
/// q is regular.
std::vector<Eigen::VectorXd> postures_on_branches(const Model& model, const Eigen::VectorXd& q);

/// Why the robot does not rest at a posture q that is singular or next to it: efforts are missing
/// for the motions that open there. Empty where none is missing, or none opens beyond the
/// `usual` number of freedoms.
std::string unheld_text(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& tau,
                        int usual);

}  // namespace ulna
