#pragma once
// A robot with loops as its tree alone, with a frame on either side of each closure, so that what
// is generated for trees serves it too; and what the page needs to close the loops again after a
// joint was moved: which directions each closure holds, how coordinates follow from speeds, and
// which speeds stay as they are while the others follow.

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "ulna/model/model.hpp"
#include "ulna/model/parts/platform.hpp"

namespace ulna {

struct OpenedLoops {
  std::shared_ptr<const Model> tree;       ///< bodies and frames first, as the robot has them
  std::vector<std::pair<int, int>> sides;  ///< frames F and M of each loop in it; -1 for couplings
};

/// None where a closure hangs on something that the tree cannot carry.
std::optional<OpenedLoops> open_tree(const Model& model);

/// The loops as the page reads them (web/src/loops.ts), at a closed posture.
nlohmann::ordered_json loops_json(const Model& model, const OpenedLoops& open, const VectorRef& q);
/// How each joint's coordinates follow from its speeds.
nlohmann::ordered_json tangents_json(const Model& model);

}  // namespace ulna
