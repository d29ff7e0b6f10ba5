#pragma once
// The system's C compiler: found along PATH and run without a shell.

#include <string>
#include <vector>

namespace ulna::generate {

/// Full path of a program; empty when there is none.
std::string find_program(const std::string& name);

/// A command like "ccache gcc -m64" as words, the first with its full path; nothing when there is
/// no such program. A name that is a program as it stands, spaces and all, is one word.
std::vector<std::string> find_command(const std::string& command);

/// Something that changes when the compiler or the processor does.
std::string compiler_identity(const std::vector<std::string>& command);

/// Builds a shared library from C in `folder`, which nobody else may write to. ComputationError
/// with the first error of the compiler.
void build_library(const std::vector<std::string>& compiler, const std::vector<std::string>& flags,
                   const std::string& folder, const std::string& source,
                   const std::string& library);

/// The content of a file; empty when it cannot be read.
std::string read_whole(const std::string& path);

}  // namespace ulna::generate
