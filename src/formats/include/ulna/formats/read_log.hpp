#pragma once
// Measured logs as machines write them: text tables of any delimiter, with decimal point or decimal
// comma, in UTF-8, UTF-16 or Windows-1252. Columns are found by their titles, or told.
//
// A title names what was recorded and the joint, by name or number, in any order and with anything
// between: "q.elbow", "elbow", "elbow_position [deg]", "/joint_states/elbow/effort", "actual_q_0".
// Numbers count from 1, or from 0 where a 0 occurs. Units are converted: in brackets, in
// parentheses or as the last word ("time_ms", "elbow_deg"). Times may be those of a clock, with or
// without a date. Columns of words are left aside.

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

/// InputError naming file and line, or the column that is missing or ambiguous. Records in which a
/// cell that is used is empty or not finite are left out, with a warning; another tells of
/// positions beyond the limits of a joint.
ULNA_API ReadLog read_log(const std::string& file, const Model& model,
                          const LogOptions& options = {});

}  // namespace ulna
