#pragma once
// Frequencies over a sweep: as a table, in JSON, and as a plot with one line for each mode.

#include "commands/modes_options.hpp"

namespace ulna::cli {

struct SweptFrequencies {
  Eigen::MatrixXd omega, assurance;  ///< points by modes
  Eigen::MatrixXd growth;            ///< empty where modes neither grow nor decay
};

int report_sweep(const SweepGrid& grid, const SweptFrequencies& found, const ModesOptions& options,
                 const std::string& title);

}  // namespace ulna::cli
