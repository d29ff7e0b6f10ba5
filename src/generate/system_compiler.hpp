#pragma once
// The system's C compiler: found along PATH and run without a shell.

#include <string>
#include <vector>

namespace ulna::generate {

/// Full path of a program; empty when there is none.
std::string find_program(const std::string& name);

/// Something that changes when the compiler or the processor does.
std::string compiler_identity(const std::string& path);

/// Builds a shared library from C in `folder`, which nobody else may write to. ComputationError
/// with the first error of the compiler.
void build_library(const std::string& compiler, const std::vector<std::string>& flags,
                   const std::string& folder, const std::string& source,
                   const std::string& library);

/// The content of a file; empty when it cannot be read.
std::string read_whole(const std::string& path);

}  // namespace ulna::generate
