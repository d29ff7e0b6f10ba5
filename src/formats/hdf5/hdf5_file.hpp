#pragma once
// What is written into an HDF5 file, as plain data. The library is used in hdf5_file.cpp only, and
// only where it is installed.

#include <functional>
#include <string>
#include <vector>

namespace ulna {

struct Hdf5Column {
  std::string name, unit, title;
  std::vector<double> values;
};

struct Hdf5Text {
  std::string name, content;
};

/// Datasets `columns` at the root and scalar texts in `group`. Returns what went wrong, or nothing.
std::string write_hdf5(const std::string& file, const std::vector<Hdf5Column>& columns,
                       const std::string& group, const std::vector<Hdf5Text>& texts);

/// A column that is made when it is written, so that one at a time is in memory.
struct Hdf5Source {
  std::string name, unit;  ///< the name may begin with that of a group: "measures/peak"
  bool whole = false;      ///< written as 64-bit integers
  std::function<std::vector<double>()> values;
};

/// Datasets of sources, lists of texts and single texts, each in its group. The file has no times
/// in it: the same content is the same file. Returns what went wrong, or nothing.
std::string write_hdf5(const std::string& file, const std::vector<std::string>& groups,
                       const std::vector<Hdf5Source>& sources,
                       const std::vector<std::pair<std::string, std::vector<std::string>>>& lists,
                       const std::vector<Hdf5Text>& texts);

}  // namespace ulna
