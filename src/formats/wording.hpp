#pragma once
// Words for messages: a mistyped word's nearest neighbour, lists, quotations.

#include <string>
#include <string_view>
#include <vector>

namespace ulna {

/// The candidate with the fewest edits (insert, delete, replace, swap neighbours; case is free), or
/// an empty text when none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// "did you mean 'x'?", or an empty text.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

/// "a, b or c".
std::string one_of(const std::vector<std::string>& words);

/// 'text' in quotes, cut when it is long (between characters, never inside one).
std::string quoted(std::string_view text);

}  // namespace ulna
