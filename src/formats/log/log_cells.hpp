#pragma once
// What may stand in a cell of a log: numbers with decimal point or comma, and times of a clock.

#include <optional>
#include <string>
#include <string_view>

namespace ulna {

/// Nothing when the cell is neither a number nor a time; NaN when it says that there is none. A
/// time is in seconds since midnight, with a date in front since 1970: "12:30:05.250", "2024-05-31
/// 12:30:05,25", "2024-05-31T12:30:05Z", "31.05.2024 12:30:05".
std::optional<double> number_in(std::string_view cell, char decimal);

/// The text in UTF-8. Spreadsheets also write UTF-16 (with a byte order mark) and Windows-1252.
std::string as_utf8(std::string text);

}  // namespace ulna
