#pragma once
// What is written into an HDF5 file, as plain data. The library is used in hdf5_file.cpp only, and
// only where it is installed.

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

}  // namespace ulna
