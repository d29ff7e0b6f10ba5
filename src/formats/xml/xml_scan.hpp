#pragma once
// A look at XML text before it is parsed: tags must match, nesting is bounded, and document types
// (the door for entity expansion) are refused. It knows the line where an unclosed tag began, which
// the parser does not tell.

#include <string>

#include "text_file.hpp"

namespace ulna {

/// Throws InputError. What it lets pass may still be malformed inside a tag.
void scan_xml(const std::string& text, const LineIndex& lines);

/// The name of the first element; empty where there is none. The text need not be valid.
std::string outermost_element(const std::string& text);

}  // namespace ulna
