#pragma once
// What is written into an HDF5 file, as plain data. The library is used in hdf5_file.cpp only, in a
// part that is loaded for the first file (hdf5_part.hpp), and only where it is installed.

#include <functional>
#include <span>
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
std::string write_hdf5_columns(const std::string& file, const std::vector<Hdf5Column>& columns,
                               const std::string& group, const std::vector<Hdf5Text>& texts);

/// A column that is written in pieces as it is made, so that none is in memory as a whole.
struct Hdf5Source {
  std::string name, unit;  ///< the name may begin with that of a group: "measures/peak"
  bool whole = false;      ///< written as 64-bit integers
  long size = 0;
  /// Calls `piece` with the values one after the other, in all `size` of them.
  std::function<void(const std::function<void(std::span<const double>)>& piece)> values;
};

/// A list of texts, likewise.
struct Hdf5List {
  std::string name;
  long size = 0;
  std::function<void(const std::function<void(std::span<const std::string>)>& piece)> texts;
};

/// Datasets of sources, lists of texts and single texts, each in its group. The file has no times
/// in it: the same content is the same file. Returns what went wrong, or nothing.
std::string write_hdf5_sources(const std::string& file, const std::vector<std::string>& groups,
                               const std::vector<Hdf5Source>& sources,
                               const std::vector<Hdf5List>& lists,
                               const std::vector<Hdf5Text>& texts);

}  // namespace ulna
