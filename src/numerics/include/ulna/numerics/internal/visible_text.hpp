#pragma once
// Characters in names and texts of a file that a reader cannot see, but terminals, compilers and
// browsers obey: control characters, line separators, marks that turn the direction of writing.

#include <string>
#include <string_view>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

/// Length of the UTF-8 sequence that starts at `i`; 0 when it is malformed.
ULNA_API std::size_t utf8_length(std::string_view text, std::size_t i);

enum class LineBreaks { refused, allowed };  ///< and tabulators

/// The first such character, as "U+2028 (a line separator)", or malformed bytes; empty when there
/// is none.
ULNA_API std::string hidden_character(std::string_view text,
                                      LineBreaks breaks = LineBreaks::refused);

/// The text with those characters written out, "\u{2028}", malformed bytes as "\x{ff}".
ULNA_API std::string visible(std::string_view text, LineBreaks breaks = LineBreaks::allowed);

}  // namespace ulna
