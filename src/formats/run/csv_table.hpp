#pragma once
// Tables of numbers in text: a header line, then lines of numbers separated by commas. Independent
// of the locale; what is not a finite number is refused with its line.

#include <string>
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

CsvTable parse_csv(const std::string& text, const std::string& file_name);

}  // namespace ulna
