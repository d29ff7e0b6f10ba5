#pragma once
// Files that a user names appear complete or not at all: written beside their place under a new
// name, then renamed. Pipes and devices are written as they are.

#include <string>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

/// InputError when the file cannot be created there, ComputationError when writing fails.
ULNA_API void write_output_file(const std::string& path, const std::string& content);

/// Creates an empty file beside `path`, under a name that nobody has, and gives its name.
ULNA_API std::string new_file_beside(const std::string& path);

/// InputError where `path` is a folder, a pipe or a device: a file renamed to it would replace it.
ULNA_API void require_ordinary(const std::string& path);

}  // namespace ulna
