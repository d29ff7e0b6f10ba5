#pragma once
// Why a driven mechanism stopped: the motions lead where its loops cannot close.

#include <string>

#include "ulna/simulation/experiment.hpp"

namespace ulna {

/// Looks for any posture a little after t with what is driven where its motion wants it, from q.
/// Which loop opens and by how much where there is none; empty otherwise.
std::string cannot_follow(const Experiment& experiment, double t, const Eigen::VectorXd& q);

}  // namespace ulna
