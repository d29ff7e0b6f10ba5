#pragma once
// Where a structure is pushed or watched, as a vector on its freedoms: "tip.z" is the force (or
// displacement) of a frame's point along a world axis, "tip.rx" the moment (or rotation), "elbow"
// the effort (or motion) of a joint coordinate that is free. The same vector serves as input and as
// output of elastic::frequency_response and elastic::modal_transient.

#include <string>

#include "ulna/structure/robot_structure.hpp"

namespace ulna {

/// InputError naming what does not exist, and a joint that is locked.
ULNA_API Eigen::VectorXd response_point(const RobotStructure& structure, const std::string& where);

}  // namespace ulna
