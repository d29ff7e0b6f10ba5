#pragma once
// Tables of numbers in text: a header line, then lines of numbers separated by commas. Independent
// of the locale; what is not a finite number is refused with its line. Cells may stand in quotes
// (RFC 4180), and a byte order mark may stand in front, as Excel writes it.

#include <string>
#include <string_view>
#include <vector>

#include "ulna/numerics/error.hpp"

namespace ulna {

struct CsvTable {
  std::string file;
  std::vector<std::string> titles;
  std::vector<std::vector<double>> columns;

  /// By title, or by title without its unit "[...]"; InputError naming the nearest.
  const std::vector<double>& column(const std::string& name) const;
};

/// InputError for titles that are the same.
CsvTable parse_csv(const std::string& text, const std::string& file_name);

/// A title as it stands in a table: in quotes where it holds a comma, a quote or blanks at its
/// ends.
std::string csv_title(const std::string& title);

/// "q.joint1[rad]" without its unit. Names may hold brackets of their own.
std::string title_without_unit(std::string_view title);
/// With or without its unit; "t [s]" is the title of t.
bool is_title_of(std::string_view title, std::string_view name);

}  // namespace ulna
