#pragma once
// What was asked of `compile`, as text: the same text gives the same code, so that a compiled
// function can be looked up before anything is traced.

#include <string>

#include "ulna/generate/compile.hpp"

namespace ulna::generate {

/// Every number of the robot and every option that the code depends on, and this library's own
/// identity. Empty for robots with loops or flexible bodies, and where the time of a search decides
/// what it finds: those are known by their code only.
std::string request_text(const Model& model, const std::string& function,
                         const CompileOptions& options);

}  // namespace ulna::generate
