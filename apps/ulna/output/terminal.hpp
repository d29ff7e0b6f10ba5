#pragma once
// What the user sees: results on standard output; warnings and errors on standard error. Colour
// only on a terminal, and not when NO_COLOR is set (https://no-color.org) or TERM is dumb.

#include <string>
#include <string_view>

#include "ulna/numerics/error.hpp"

namespace ulna::cli {

void print(std::string_view text);
/// Names and values come from files: a control character must not reach the terminal as one.
std::string printable(std::string_view text);
/// A line that stands above what follows, bold on a terminal.
std::string heading(const std::string& text);
/// "1 record", "2 records".
std::string counted(long count, std::string_view noun);

void note(const std::string& text);
void warn(const std::string& text);
void error(const std::string& text);
/// Every problem on a line of its own.
void error(const InputError& problems);

/// Columns of the terminal on standard output, 0 when there is none.
int terminal_width();

/// Writes out what was printed and returns the exit status: `status`, or 1 when it could not be
/// written. A reader that went away (`ulna fk ... | head -1`) is no failure.
int finish_output(int status);

}  // namespace ulna::cli
