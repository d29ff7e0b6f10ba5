#pragma once
// <attach model="hand" body="palm" prefix="left_"/>: a subtree of another model, which <asset>
// names, with the equalities, tendons and actuators that are about it. Its elements have the
// defaults of their own model; every name takes the prefix.

#include <pugixml.hpp>
#include <string>

namespace ulna {

/// The attribute of elements that need no defaults any more.
inline constexpr const char* complete_attribute = "@complete";

/// Puts the subtrees in place of all <attach> below the root. `depth`: of models in models.
void expand_mjcf_attachments(pugi::xml_node root, const std::string& main_file, int depth);

}  // namespace ulna
