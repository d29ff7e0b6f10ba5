#pragma once
// Forward kinematics and Jacobians of a robot as the JavaScript that `generate` makes of them, to
// stand in a script element of the page: the page has no kinematics of its own.
//
//   ulnaKinematics = {poses: (q, positions, rotations) => ..., jacobians: {"6": (q, J) => ...}}
//
// with the frames as Model::frames() numbers them. Robots with loops are opened (open_tree.hpp):
// the page closes them again by the frames on both sides of each closure.

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "ulna/model/model.hpp"

namespace ulna {

struct KinematicsScript {
  std::string text;     ///< safe inside <script>; empty where there is none
  std::string missing;  ///< why there is none
  /// Frames that have a Jacobian, the one chosen at first; null where there is no script.
  std::shared_ptr<const nlohmann::ordered_json> data;
};

/// Robots that cannot be generated (flexible ones) have none, and the reason is told. Loops are
/// closed at q.
KinematicsScript kinematics_script(const Model& model, const VectorRef& q);

}  // namespace ulna
