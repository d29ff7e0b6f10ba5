#pragma once
// Which column of a log is which coordinate, speed or effort of a model.

#include <map>
#include <string>
#include <vector>

#include "log/log_table.hpp"
#include "log/log_titles.hpp"
#include "ulna/formats/read_log.hpp"

namespace ulna {

/// "q.elbow" for its kind and place among the coordinates or speeds.
std::string log_name(const Model& model, LogKind kind, int place);

struct LogColumn {
  int column = -1;
  double factor = 1;
  bool sure = false;  ///< the unit or factor was given, not taken for SI
};
using LogColumns = std::map<std::pair<LogKind, int>, LogColumn>;  ///< time has the place 0

/// Titles that say what they are, and those told; the latter win.
LogColumns columns_by_title(const Model& model, const LogTable& table, const LogOptions& options,
                            const std::string& file);

}  // namespace ulna
