#pragma once
// Bodies that only lie between two joints: without mass, shape and anything fixed to them, with one
// body behind. MuJoCo has no such bodies that move; there all these joints act on one body.

#include <set>
#include <string>

#include "write/written_tree.hpp"

namespace ulna {

/// Their names. MuJoCo allows six degrees of freedom to a body, and a free joint only alone.
std::set<std::string> massless_bodies_between(const WrittenTree& tree);

}  // namespace ulna
