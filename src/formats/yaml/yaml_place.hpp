#pragma once
// A place in a parsed file by its path (formats/parameters.hpp).

#include <string>
#include <vector>

#include "yaml/yaml_tree.hpp"

namespace ulna {

/// The node at the path, made where it is not there yet; both sides of a square box for
/// `section.outer` and `section.inner`. InputError naming the path when it cannot be there.
std::vector<YamlNode*> place_in(YamlNode& root, const std::string& path);

/// Its text; empty when there is none.
std::string text_at(const YamlNode& root, const std::string& path);

}  // namespace ulna
