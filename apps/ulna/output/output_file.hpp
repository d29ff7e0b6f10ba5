#pragma once
// Files appear complete or not at all: written beside their place under another name, then renamed.

#include <string>

namespace ulna::cli {

/// InputError when the file cannot be created there, ComputationError when writing fails.
void write_file(const std::string& path, const std::string& content);

}  // namespace ulna::cli
