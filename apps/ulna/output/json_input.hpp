#pragma once
// JSON that users hand in.

#include <optional>

#include "output/json_output.hpp"

namespace ulna::cli {

/// None where the text is not JSON.
std::optional<Json> json_from(const std::string& text);

}  // namespace ulna::cli
