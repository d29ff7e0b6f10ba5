#pragma once
// A table of records: titles with units ("q.joint1[rad]"), one row of numbers per record. What
// plots and reports are made of; a run's run.csv is one, any CSV with a line of titles another.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "ulna/numerics/error.hpp"

namespace ulna {

/// "tau.joint1[Nm]" taken apart.
struct ChannelTitle {
  std::string name;   ///< "tau.joint1"
  std::string unit;   ///< "Nm"; empty when there is none
  std::string group;  ///< what stands together in a plot: "tau"; of "frame.hand.x", "frame.hand"
  std::string label;  ///< what tells it from others in its group: "joint1"
};
ULNA_API ChannelTitle channel_title(const std::string& title);

struct RecordTable {
  std::vector<std::string> titles;  ///< the first is what the others are plotted against
  Eigen::MatrixXd values;           ///< one row per record
};

/// Reads a CSV file: a line of titles, then lines of finite numbers; '#' begins a comment line.
/// InputError naming file and line.
ULNA_API RecordTable read_csv(const std::string& file);

/// Columns whose name matches one of the comma-separated patterns, in the order of the table,
/// without the first. '*' and '?' match as in a shell; "tau" alone also means "tau.*". InputError
/// naming the nearest channel for a pattern that matches nothing.
ULNA_API std::vector<int> select_channels(const std::vector<std::string>& titles,
                                          const std::string& patterns);

}  // namespace ulna
