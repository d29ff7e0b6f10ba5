#pragma once
// Words for messages: lists, quotations, and from the model the nearest known name.

#include <string>
#include <string_view>
#include <vector>

#include "ulna/model/model.hpp"  // nearest_name_hint

namespace ulna {

/// "a, b or c".
std::string one_of(const std::vector<std::string>& words);

/// 'text' in quotes, cut when it is long (between characters, never inside one).
std::string in_quotes(std::string_view text);

}  // namespace ulna
