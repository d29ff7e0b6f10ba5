#pragma once
// Names of the joints that close loops. They have no entry in q and v, but are named as if they
// were in the tree: "rocker", "groove.slide".

#include "ulna/model/parts/loop.hpp"

namespace ulna {

/// Names of the own coordinates and speeds of a closing joint. None for rods and couplings.
ULNA_API std::vector<std::string> closing_coordinate_names(const Loop& loop);
ULNA_API std::vector<std::string> closing_speed_names(const Loop& loop);

}  // namespace ulna
