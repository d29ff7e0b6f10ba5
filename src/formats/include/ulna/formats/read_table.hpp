#pragma once
// A table of records: titles with units ("q.joint1[rad]"), one row of numbers per record. A run's
// run.csv is one, any CSV with a line of titles another.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "ulna/numerics/error.hpp"

namespace ulna {

struct RecordTable {
  std::vector<std::string> titles;  ///< the first is what the others are plotted against
  Eigen::MatrixXd values;           ///< one row per record
};

/// Reads a CSV file: a line of titles, then lines of finite numbers; '#' begins a comment line.
/// Tables of spreadsheets (semicolons, tabs, decimal commas) are recognised. InputError naming file
/// and line.
ULNA_API RecordTable read_table(const std::string& file);

}  // namespace ulna
