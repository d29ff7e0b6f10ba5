#pragma once
// Help as people read it: no line longer than a hundred columns, and the same as a manual page.

#include <string>
#include <vector>

#include "options/command_line.hpp"

namespace ulna::cli {

/// Lines that are too long go on below: descriptions of options in their column, commands of
/// examples after a backslash, text where it begins.
std::string wrapped_help(const std::string& help, std::size_t columns = 100);

/// All commands with their options as a manual page, roff with the macros of man(7).
std::string manual_page(const std::vector<CommandDescription>& commands);

}  // namespace ulna::cli
