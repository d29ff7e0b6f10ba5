#pragma once
// A text table whose delimiter and decimal sign are recognised from its content.

#include <string>
#include <vector>

namespace ulna {

struct LogTable {
  std::vector<std::string> titles;  ///< with units; "1", "2", ... where there is no line of titles
  std::vector<std::vector<double>> rows;
  std::string layout;   ///< in words
  long incomplete = 0;  ///< lines left out because a cell was empty or not finite
  int first_incomplete = 0;
};

/// InputError naming the line.
LogTable parse_log(const std::string& text, const std::string& file);

}  // namespace ulna
