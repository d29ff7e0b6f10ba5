#pragma once
// Drives of a robot with loops where nobody names them: slides and hinges rather than passive
// balls.

#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

/// `found` by pivoting; if one of these degrees belongs to a ball, a universal joint or the like,
/// the drives of the parallel robot, if it has as many. Places in all_speed_names().
ULNA_API std::vector<int> drives_rather_than_balls(const Model& model, std::vector<int> found);

}  // namespace ulna
