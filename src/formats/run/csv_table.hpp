#pragma once
// Tables of numbers in text: a header line, then lines of numbers separated by commas. Independent
// of the locale; what is not a finite number is refused with its line. Cells may stand in quotes
// (RFC 4180), and a byte order mark may stand in front, as Excel writes it.

#include <string>
#include <string_view>
#include <vector>

#include "ulna/model/internal/quantity.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {

struct CsvTable {
  std::string file;
  std::vector<std::string> titles;
  std::vector<std::vector<double>> columns;
  /// Cells as they stand, where words were allowed; then `columns` are empty.
  std::vector<std::vector<std::string>> words;

  /// By title, or by title without its unit "[...]"; InputError naming the nearest.
  const std::vector<double>& column(const std::string& name) const;
  /// In SI units: a unit in the title ("[deg]", "[ms]") is converted. What is no unit is taken for
  /// a part of the name; InputError for a unit that measures something else.
  std::vector<double> column(const std::string& name, const Quantity& quantity) const;
  /// The same of a table with words.
  const std::vector<std::string>& texts(const std::string& name) const;

 private:
  std::size_t index(const std::string& name) const;
};

/// InputError for titles that are the same. `words`: cells may be anything but empty.
CsvTable parse_csv(const std::string& text, const std::string& file_name, bool words = false);

/// A table of this form, or as spreadsheets and machines write it (log/log_table.hpp): semicolons,
/// tabs, decimal commas, other encodings, columns of words, which are left out. Errors are those of
/// the first form where no other is recognised.
CsvTable parse_table(const std::string& text, const std::string& file_name);

/// A title as it stands in a table: in quotes where it holds a comma, a quote or blanks at its
/// ends.
std::string csv_title(const std::string& title);

/// "q.joint1[rad]" without its unit. Names may hold brackets of their own.
std::string title_without_unit(std::string_view title);
/// What stands in the brackets at the end of a title, if anything.
std::string unit_of_title(std::string_view title);
/// A unit as loggers write it ("Nm", "°/s"), as parse_quantity reads it.
std::string plain_unit(std::string unit);
/// With or without its unit; "t [s]" is the title of t.
bool is_title_of(std::string_view title, std::string_view name);

}  // namespace ulna
