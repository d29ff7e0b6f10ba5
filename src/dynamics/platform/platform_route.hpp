#pragma once
// The closed form of platforms (platform_dynamics.hpp) as a row of the table of formulations.

#include "formulation/tree_route.hpp"

namespace ulna {

/// Why a robot has no such form; empty where it has.
std::string is_not_a_platform(const Model& model);

std::unique_ptr<WholeRoute> make_platform_route(const Model& model);

}  // namespace ulna
