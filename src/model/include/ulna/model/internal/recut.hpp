#pragma once
// Which joints of a mechanism with loops have coordinates: those of the tree. Whoever wants to
// drive a joint that closes a loop has another joint of that loop cut instead.

#include <memory>
#include <string>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

/// The robot with other joints cut, so that all of these have coordinates. The same model where
/// that is the case already; as it is where it cannot be (every other joint of a loop is named,
/// too).
ULNA_API std::shared_ptr<const Model> with_joints_in_tree(std::shared_ptr<const Model> model,
                                                          const std::vector<std::string>& joints);

}  // namespace ulna
