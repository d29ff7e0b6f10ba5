#pragma once
// The robot as the page draws it: bodies, frames, joint axes and shapes.

#include <nlohmann/json_fwd.hpp>

#include "ulna/model/model.hpp"

namespace ulna {

nlohmann::ordered_json robot_json(const Model& model);
/// Numbers as a list.
nlohmann::ordered_json list_json(const VectorRef& values);

}  // namespace ulna
