#pragma once
// A text table whose delimiter, decimal sign and encoding are recognised from its content. Columns
// of words (states, remarks) may stand among those of numbers.

#include <string>
#include <vector>

namespace ulna {

struct LogTable {
  std::vector<std::string> titles;  ///< with units; "1", "2", ... where there is no line of titles
  std::vector<std::vector<double>> rows;  ///< NaN where a cell is empty, says so or holds words
  std::vector<int> lines;                 ///< of each row
  std::vector<std::string> words;         ///< of each column a cell, if it holds words; else empty
  std::string layout;                     ///< in words
  int cut_off = 0;                        ///< the last line, if it ends early; 0: it does not
};

/// InputError naming the line.
LogTable parse_log(const std::string& text, const std::string& file);

}  // namespace ulna
