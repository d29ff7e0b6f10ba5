#pragma once
// Modes and matrices of a straight member in a file of its own: what `modes: {file: NAME}` of a
// flexible beam reads and `ulna condense --write NAME` writes. YAML (hence also JSON), format in
// docs/robot-file.md.

#include <string>

#include "ulna/model/parts/mode_table.hpp"

namespace ulna {

/// InputError naming file and line.
ULNA_API ModeTable read_mode_table(const std::string& file);
ULNA_API ModeTable read_mode_table_text(const std::string& text, const std::string& file);

/// Reads back to the same bits. `comment` becomes the first line.
ULNA_API std::string write_mode_table(const ModeTable& table, const std::string& comment = {});

}  // namespace ulna
