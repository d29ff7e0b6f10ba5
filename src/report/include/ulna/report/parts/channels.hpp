#pragma once
// The titles of a table of records taken apart ("q.joint1[rad]"), and channels chosen by pattern.

#include <string>
#include <vector>

#include "ulna/formats/read_table.hpp"

namespace ulna {

/// "tau.joint1[Nm]" taken apart.
struct ChannelTitle {
  std::string name;   ///< "tau.joint1"
  std::string unit;   ///< "Nm"; empty when there is none
  std::string group;  ///< what stands together in a plot: "tau"; of "frame.hand.x", "frame.hand"
  std::string label;  ///< what tells it from others in its group: "joint1"
};
ULNA_API ChannelTitle channel_title(const std::string& title);

/// Columns whose name matches one of the comma-separated patterns, in the order of the table,
/// without the first. '*' and '?' match as in a shell; "tau" alone also means "tau.*". InputError
/// naming the nearest channel for a pattern that matches nothing.
ULNA_API std::vector<int> select_channels(const std::vector<std::string>& titles,
                                          const std::string& patterns);

}  // namespace ulna
