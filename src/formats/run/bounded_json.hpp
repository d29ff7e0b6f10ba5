#pragma once
// JSON of files: refused when it is nested deeper than anything Ulna writes, since reading and
// writing it again recurse.

#include <string>

namespace ulna {

/// InputError with the line when brackets stand more than 64 deep.
void check_json_depth(const std::string& text, const std::string& file_name);

}  // namespace ulna
