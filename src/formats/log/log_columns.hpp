#pragma once
// Which column of a log is which coordinate, speed or effort of a model.

#include <map>
#include <string>
#include <vector>

#include "ulna/formats/read_log.hpp"

namespace ulna {

/// The kinds of what a log may hold.
enum class LogKind { time, q, v, a, tau };

/// "q.elbow" for its kind and place among the coordinates or speeds.
std::string log_name(const Model& model, LogKind kind, int place);

struct LogColumn {
  int column = -1;
  double factor = 1;
};
using LogColumns = std::map<std::pair<LogKind, int>, LogColumn>;  ///< time has the place 0

/// Titles that say what they are, and those told; the latter win.
LogColumns columns_by_title(const Model& model, const std::vector<std::string>& titles,
                            const LogOptions& options, const std::string& file);

}  // namespace ulna
