#pragma once
// A recorded run as one HDF5 file, for h5py, MATLAB and PlotJuggler. Every column of the run is a
// dataset of doubles under its name, "q.joint1", with the attributes `unit` and `title`; a slash in
// a name becomes a colon. The group `ulna` holds the summary, the robot and the experiment as
// texts.

#include <string>

#include "ulna/formats/run_directory.hpp"

namespace ulna {

/// Whether the file's name ends in .h5 or .hdf5.
ULNA_API bool is_hdf5_name(const std::string& file);

/// The file appears complete or not at all. ComputationError when it cannot be written, or where
/// Ulna was built without HDF5.
ULNA_API void write_run_hdf5(const StoredRun& run, const std::string& file);

}  // namespace ulna
