#pragma once
// What a frozen model answers about its degrees of freedom: their names, and which coordinates move
// with which speeds.

#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

/// From the joints, nodes, loops and modes of a model that has all of them already.
void describe_degrees(const Model& model, std::vector<DegreeOfFreedom>& degrees,
                      std::vector<int>& coordinate_of_speed, std::vector<TangentBlock>& blocks);

}  // namespace ulna
