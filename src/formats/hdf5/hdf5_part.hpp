#pragma once
// The door to libulna_hdf5.so, the part of Ulna that holds the HDF5 library. Loading HDF5 takes 7
// ms (it brings fifty other libraries along), which a program that writes no HDF5 file need not
// spend.

#include "hdf5/hdf5_file.hpp"

namespace ulna {

/// What the part can do: the functions of hdf5_file.hpp.
struct Hdf5Part {
  decltype(write_hdf5_columns)* columns;
  decltype(write_hdf5_sources)* sources;
};

/// Gives the part's functions.
using GetHdf5Part = void(Hdf5Part& part);
inline constexpr const char* get_hdf5_part_name = "ulna_hdf5_part";

}  // namespace ulna
