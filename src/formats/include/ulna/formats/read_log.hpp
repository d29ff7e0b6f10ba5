#pragma once
// Measured logs as machines write them: text tables of any delimiter, with decimal point or decimal
// comma. Columns are found by their titles, or told.
//
// A title names what was recorded and the joint, by name or number, in any order and with anything
// between: "q.elbow", "elbow", "elbow_position [deg]", "/joint_states/elbow/effort", "actual_q_0".
// Numbers count from 1, or from 0 where a 0 occurs. Units in brackets or parentheses are converted.

#include <string>
#include <utility>
#include <vector>

#include "ulna/study/measurement.hpp"

namespace ulna {

struct LogOptions {
  /// What is recorded where: {"tau.elbow", "current 2*0.11"}. The left side is t, q.NAME, v.NAME,
  /// a.NAME or tau.NAME, the right side a title or the number of a column (from 1), times a factor.
  std::vector<std::pair<std::string, std::string>> columns = {};
};

struct ReadLog {
  MeasuredLog log;
  std::string layout;                                        ///< "semicolons, decimal comma"
  std::vector<std::pair<std::string, std::string>> columns;  ///< what was found under which title
  std::vector<std::string> unused;                           ///< titles without a use
  std::vector<std::string> warnings;                         ///< full sentences
};

/// InputError naming file and line, or the column that is missing or ambiguous. Records with a cell
/// that is empty or not finite are left out, with a warning.
ULNA_API ReadLog read_log(const std::string& file, const Model& model,
                          const LogOptions& options = {});

}  // namespace ulna
