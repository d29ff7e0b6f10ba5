#pragma once
// Words for messages: lists, quotations, and from the model the nearest known name.

#include <string>
#include <vector>

#include "ulna/model/internal/quantity.hpp"  // in_quotes
#include "ulna/model/model.hpp"              // nearest_name_hint

namespace ulna {

/// "a, b or c".
std::string one_of(const std::vector<std::string>& words);

}  // namespace ulna
