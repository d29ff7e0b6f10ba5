#pragma once
// Default classes of a MuJoCo model: attributes that elements have without saying so.

#include <pugixml.hpp>

#include "problems.hpp"

namespace ulna {

/// Writes into every element below `root` the attributes its default class gives it, and removes
/// the <default> elements. A class is named by `class`, else by `childclass` of the nearest body or
/// frame around, else it is the outermost one.
void apply_mjcf_defaults(pugi::xml_node root, Problems& problems);

}  // namespace ulna
